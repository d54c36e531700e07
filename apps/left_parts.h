#pragma once
// The files of servers to which no file refers any more, or not yet.

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace pileus::apps {

/// Paths of those in the directory and below it, with the id of the run that wrote each. `referred`: those
/// that checkpoints need, from the directory. Parts beside a file that cannot be read are none of them.
std::vector<std::pair<std::string, std::string>> parts_nobody_needs(const std::string& directory,
                                                                    const std::set<std::string>& referred);

}  // namespace pileus::apps
