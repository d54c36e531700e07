#include "rules/given_nodes.h"

#include <algorithm>
#include <vector>

namespace pileus::planning {

namespace {

Node given_node(Graph& graph, const Text& name, DiagnosticIndex diagnostic, std::optional<ClockValue> clock) {
  Node node;
  node.kind = NodeKind::given;
  node.name = name.value;
  node.where = name.where;
  node.diagnostic = diagnostic;
  node.clock = clock;
  RuleConfig& rule = graph.made_rules.emplace_back();
  rule.name = {clock ? "clock" : "coordinates", name.where};
  rule.result = name;
  rule.where = name.where;
  node.rule = &rule;
  return node;
}

}  // namespace

bool GivenNames::is_dimension(const std::string& name) {
  if (dimensions_.empty()) {
    for (const DimensionConfig& one : graph_.config->dimensions) dimensions_.insert(one.name.value);
    for (NodeIndex field = 0; field < graph_.field_count; ++field)
      for (const Text& one : graph_.nodes[field].field->size) dimensions_.insert(one.value);
  }
  return dimensions_.contains(name);
}

const std::vector<std::string>& GivenNames::words() {
  if (!words_.empty()) return words_;
  (void)is_dimension("");
  words_.assign(dimensions_.begin(), dimensions_.end());
  for (const ClockDeclaration& one : kClockValues) words_.emplace_back(one.word);
  return words_;
}

std::optional<NodeIndex> GivenNames::find(DiagnosticIndex diagnostic, const Text& name) {
  const ClockDeclaration* const said = find_clock_value(name.value);
  const bool is_coordinate = is_dimension(name.value);
  if (said == nullptr && !is_coordinate) return {};
  const auto [known, is_new] = known_.try_emplace({diagnostic, name.value}, graph_.nodes.size());
  std::optional<ClockValue> clock;
  if (!is_coordinate) clock.emplace(said->value);
  if (is_new) graph_.nodes.push_back(given_node(graph_, name, diagnostic, clock));
  return known->second;
}

void GivenNames::note_if_hidden(const Text& name, Findings& findings) {
  if (find_clock_value(name.value) == nullptr || !hidden_.insert(name.value).second) return;
  findings.note(name.where, quoted(name.value) +
                                " is the field or diagnostic of that name here, and not what the clock says");
}

void refuse_given_alone(const Graph& graph, Findings& findings) {
  std::vector<bool> is_given_alone(graph.nodes.size(), false);
  for (const NodeIndex index : graph.order) {
    const Node& node = graph.nodes[index];
    const bool is_made_so = !node.inputs.empty() && std::ranges::all_of(node.inputs, [&](const Use& use) {
      return is_given_alone[use.node];
    });
    is_given_alone[index] = node.kind == NodeKind::given || is_made_so;
  }
  for (const Entry& entry : graph.entries) {
    if (!is_given_alone[entry.node] || graph.nodes[entry.node].is_off) continue;
    report(findings, entry.name.where,
           described(graph, entry.node) +
               " is made of coordinates or the clock alone, and nothing of the model comes with it: other "
               "expressions can use it, but a file has coordinates and times without it");
  }
}

}  // namespace pileus::planning
