#pragma once
// The files of servers: those to which no file refers any more, or not yet, and those that are gone.

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace pileus::apps {

struct PartsListing {
  /// Paths of those that nobody needs, with the id of the run that wrote each.
  std::vector<std::pair<std::string, std::string>> unneeded;
  std::vector<std::string> lacking;  ///< texts: which file refers to one that is not there
};

/// Of the folders with parts in the directory and below it. `referred`: those that checkpoints need, from the
/// directory. Nobody knows of the parts beside a published file that cannot be read.
PartsListing list_parts(const std::string& directory, const std::set<std::string>& referred);

}  // namespace pileus::apps
