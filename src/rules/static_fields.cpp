#include <algorithm>

#include "rules/graph.h"

namespace pileus::planning {

std::vector<bool> static_nodes(const Graph& graph) {
  std::vector<bool> is_static(graph.nodes.size(), false);
  for (NodeIndex field = 0; field < graph.field_count; ++field)
    is_static[field] = graph.nodes[field].field->is_static;
  for (NodeIndex rule : graph.order) {
    const std::vector<Use>& inputs = graph.nodes[rule].inputs;
    const bool is_coordinate = graph.nodes[rule].kind == NodeKind::given && !graph.nodes[rule].clock;
    is_static[rule] =
        is_coordinate ||
        (!inputs.empty() && std::ranges::all_of(inputs, [&](const Use& use) { return is_static[use.node]; }));
  }
  return is_static;
}

void refuse_own_statics(Graph& graph, const std::vector<Spread>& spreads, Findings& findings) {
  for (NodeIndex index = 0; index < graph.field_count; ++index) {
    Node& node = graph.nodes[index];
    if (!node.field->is_static || !node.is_live || node.is_off || spreads[index] != Spread::own) continue;
    report(
        findings, node.where,
        "field " + quoted(node.name) +
            " is static, and each model rank holds a value of its own, which a run that continues on other "
            "ranks could not know; declare collective=\"true\" or parts=\"same\", or do without static");
    node.is_off = true;
  }
}

}  // namespace pileus::planning
