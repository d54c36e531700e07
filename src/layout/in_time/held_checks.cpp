#include "layout/in_time/held_checks.h"

namespace pileus::planning {

void check_held_fields(const Draft& draft, Findings& findings) {
  for (NodeIndex index = 0; index < draft.graph.field_count; ++index) {
    const Node& node = draft.graph.nodes[index];
    if (node.is_off || !node.is_live || !node.field->is_held) continue;
    if (draft.values[index] && draft.terms[*draft.values[index]].spread == Spread::own) {
      report(findings, node.where,
             described(draft.graph, index) +
                 " holds (hold=\"true\"), and each model rank has a value of its own, with which another "
                 "layout could not go on; hand it over in every step, and remove hold");
      continue;
    }
    if (index >= draft.shapes.fields.size() || !draft.shapes.fields[index].points) continue;
    report(
        findings, node.where,
        described(draft.graph, index) +
            " holds (hold=\"true\"), and lies on points that no box has, which are dealt out again in each "
            "step; hand it over in every step, and remove hold");
  }
}

}  // namespace pileus::planning
