#pragma once
// What a rule of the configuration says of itself: its parameters, read into its node.

#include <functional>

#include "rules/graph.h"

namespace pileus::planning {

/// Finds what `name` means to the rule `node` and adds it to its inputs; reports a name that means nothing.
using LookUp = std::function<void(Node& node, const Text& name)>;

/// Reads operator or communication and parameters into `node`, which is off if they are wrong.
void read_rule(const Graph& graph, Node& node, const LookUp& look_up, Findings& findings);

}  // namespace pileus::planning
