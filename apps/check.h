#pragma once
// pileus check: everything that is wrong with configurations, without a model.

#include <string>
#include <utility>
#include <vector>

namespace pileus::apps {

/// Prints the findings of each file. Status: 0 if there is no error, 1 if there is, 2 if a file cannot be
/// read.
int check(const std::vector<std::string>& files,
          const std::vector<std::pair<std::string, std::string>>& settings);

}  // namespace pileus::apps
