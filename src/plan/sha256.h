#pragma once
// SHA-256 (FIPS 180-4), by which a file names the configuration that it was written with.

#include <string>
#include <string_view>

namespace pileus::planning {

/// The digest of `text` as 64 hexadecimal digits.
std::string sha256(std::string_view text);

}  // namespace pileus::planning
