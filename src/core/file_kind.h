#pragma once
// What kind of thing a path names where a file is expected. Opening a pipe waits for somebody at its other
// end, and a device may never end, so code that reads or extends a file named by the user asks here first.

#include <filesystem>
#include <string_view>

namespace pileus {

/// "a folder", "a pipe", "a device" or "a socket". It is "" for a file or a link to one, and also for a path
/// that does not exist or cannot be looked at, as opening it reports that.
std::string_view kind_if_no_file(const std::filesystem::path& path);

}  // namespace pileus
