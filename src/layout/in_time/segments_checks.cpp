#include "layout/in_time/segments_checks.h"

namespace pileus::planning {
namespace {

bool is_in_time(const Node& node) { return node.declaration != nullptr && node.declaration->is_in_time; }

void refuse(const Location& where, const Node& rule, Findings& findings) {
  report(findings, where,
         rule.declaration->name +
             " is made of many steps, for a file: include the field itself, with "
             "time_manipulation=\"time_spectrum\"");
}

}  // namespace

void check_rules_in_time(const Draft& draft, Findings& findings) {
  const Graph& graph = draft.graph;
  for (const Node& node : graph.nodes) {
    if (node.is_off) continue;
    for (const Use& use : node.inputs)
      if (is_in_time(graph.nodes[use.node])) refuse(use.where, graph.nodes[use.node], findings);
  }
  for (const Entry& entry : graph.entries) {
    const Node& node = graph.nodes[entry.node];
    if (is_in_time(node) && entry.include->segments.samples == 0) refuse(entry.name.where, node, findings);
  }
}

}  // namespace pileus::planning
