#pragma once
// What stands at a path where a file is meant. To open a pipe waits for somebody at its other end, and a
// device may never end: whatever reads or adds to a file that a user names asks here first.

#include <filesystem>
#include <string_view>

namespace pileus {

/// "a folder", "a pipe", "a device" or "a socket"; "" for a file, for a link to one, and for what is not
/// there or cannot be looked at, which opening it says.
std::string_view kind_if_no_file(const std::filesystem::path& path);

}  // namespace pileus
