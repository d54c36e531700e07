#pragma once
// In which order expressions are read: one may ask what others before it are made of.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rules/graph.h"

namespace pileus::planning {

/// What a name means in an expression; nothing where it is none.
using MeaningOf = std::function<std::optional<NodeIndex>(const Node& expression, const std::string& name)>;

/// The nodes of all expressions that are written, each after those that it needs, also behind others;
/// in a cycle they come in any order. REQUIRES: all written rules are read.
std::vector<NodeIndex> expressions_in_order(const Graph& graph, const MeaningOf& meaning_of);

}  // namespace pileus::planning
