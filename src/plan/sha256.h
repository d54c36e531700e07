#pragma once
// SHA-256 (FIPS 180-4). A file identifies the configuration of its run by this hash.

#include <string>
#include <string_view>

namespace pileus::planning {

/// The digest of `text` as 64 hexadecimal digits.
std::string sha256(std::string_view text);

/// Of a file, of which some pieces are read: what has another digest is another file. "" where there is none.
std::string digest_of_file(const std::string& path);

}  // namespace pileus::planning
