#pragma once
// The output of --version: which Pileus this is, and what it was made from.

#include <string>
#include <vector>

namespace pileus::apps {

/// Several lines: "PROGRAM VERSION (commit ...)", then `libraries`, one on each line, and last the compiler.
std::string version_text(const std::string& program, const std::vector<std::string>& libraries);

}  // namespace pileus::apps
