#pragma once
// SHA-256 (FIPS 180-4). A file identifies the configuration of its run by this hash.

#include <string>
#include <string_view>

namespace pileus::planning {

/// The digest of `text` as 64 hexadecimal digits.
std::string sha256(std::string_view text);

}  // namespace pileus::planning
