#include "layout/given_checks.h"

#include <algorithm>
#include <set>

#include "core/suggest.h"

namespace pileus::planning {
namespace {

/// "" where the model gives them.
std::string lack_of_coordinates(const std::string& name, const std::vector<PlannedDimension>& dimensions) {
  const auto found = std::ranges::find(dimensions, name, &PlannedDimension::name);
  if (found == dimensions.end()) {
    std::vector<std::string> known;
    for (const PlannedDimension& one : dimensions) known.push_back(one.name);
    return "the model registers no dimension " + quoted(name) + ", whose coordinates are needed here" +
           did_you_mean(name, known);
  }
  if (!found->coordinates.empty()) return "";
  return "the model gives no coordinates of the dimension " + quoted(name) +
         ", which are needed here: register them with the dimension (pileus_dimension), or let the model "
         "hand "
         "over a field of that size";
}

}  // namespace

void check_given(Draft& draft, Findings& findings) {
  std::set<std::string> noted;
  for (const NodeIndex index : draft.graph.order) {
    Node& node = draft.graph.nodes[index];
    if (node.kind != NodeKind::given || node.is_off || !node.is_live) continue;
    std::string lack, note;
    if (!node.clock) {
      lack = draft.shapes.is_imagined ? "" : lack_of_coordinates(node.name, draft.shapes.dimensions);
      note = quoted(node.name) +
             " stands for the coordinates of the dimension, which the model has to give when it registers it";
    } else if (declaration_of(*node.clock).needs_date && !draft.plan.time.has_epoch) {
      const std::string what = quoted(node.name) + " needs the date of model time 0: ";
      lack = what + "<time epoch=\"2000-01-01 00:00:00\"/>, or pileus_calendar in the model";
      note = what + "nothing here says it, so the model has to (pileus_calendar)";
    }
    if (draft.shapes.is_imagined) {
      if (!note.empty() && noted.insert(node.name).second) findings.note(node.where, note);
    } else if (!lack.empty()) {
      node.is_off = true;
      report(findings, node.where,
             "diagnostic " + quoted(draft.graph.diagnostic_of(node).field.value) + ": " + lack);
    }
  }
}

}  // namespace pileus::planning
