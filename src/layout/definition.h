#pragma once
// What a value is, as a text: how the configuration makes it from the model's fields. A checkpoint holds it,
// so that nothing continues with samples of something else that has kept its name.

#include <string>
#include <vector>

#include "terms/terms.h"

namespace pileus::planning {

/// By node; empty where a node is off or not live. Equal for nodes that are made alike of fields of the same
/// names and global shapes, and of the same length however many rules there are. It follows from the rules as
/// they are written, never from the terms that a layout of ranks makes of them. What an operator does is not
/// in it, only its name and its parameters.
std::vector<std::string> node_definitions(const Graph& graph, const std::vector<Spread>& spreads,
                                          const Shapes& shapes);

/// Of a variable with this value, whose node has the definition: what a window takes and by which arithmetic,
/// exact sums or not; nothing of where that lies.
std::string window_definition(const std::string& node, const Term& value, bool is_exact,
                              const Shapes& shapes);

}  // namespace pileus::planning
