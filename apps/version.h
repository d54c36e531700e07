#pragma once
// What --version prints: which Pileus this is, and what it was made of.

#include <string>
#include <vector>

namespace pileus::apps {

/// Several lines, the first "PROGRAM VERSION (commit ...)", then `libraries`, one a line, and the compiler.
std::string version_text(const std::string& program, const std::vector<std::string>& libraries);

}  // namespace pileus::apps
