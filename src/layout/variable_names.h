#pragma once
// What the variables of a file are called before anything is known of their times.

#include <string>
#include <vector>

#include "rules/graph.h"

namespace pileus::planning {

/// The name of each entry's variable, without regard to time. If the same name comes from several namespaces,
/// those in a namespace get it as a prefix. Names that the user gives stay as they are.
std::vector<std::string> names_without_time(const Graph& graph, const std::vector<const Entry*>& entries);

}  // namespace pileus::planning
