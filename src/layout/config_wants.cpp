#include "layout/config_wants.h"

#include <algorithm>

#include "config/namespaces.h"
#include "layout/formula_terms.h"
#include "layout/grids.h"
#include "rules/graph.h"

namespace pileus {
namespace {

using Outputs = std::vector<std::vector<WantedOutput>>;  ///< by node

void add(std::vector<WantedOutput>& outputs, const WantedOutput& output) {
  if (std::ranges::find(outputs, output) == outputs.end()) outputs.push_back(output);
}

WantedOutput output_of(const FileIncludeConfig& include) {
  const Duration every = include.output_frequency.value_or(Duration{});
  return {every.months > 0 ? 0 : every.seconds, every.months};
}

/// Rules are looked at after those that take their results.
Outputs outputs_of(const planning::Graph& graph) {
  Outputs outputs(graph.nodes.size());
  for (const planning::Entry& entry : graph.entries) add(outputs[entry.node], output_of(*entry.include));
  for (auto node = graph.order.rbegin(); node != graph.order.rend(); ++node) {
    for (const planning::Use& use : graph.nodes[*node].inputs) {
      for (const WantedOutput& output : std::vector(outputs[*node])) add(outputs[use.node], output);
    }
  }
  return outputs;
}

WantedField wanted_field(const DataGroupConfig& group, const FieldConfig& field) {
  WantedField wanted;
  wanted.name = full_name(group.scope, field.name.value);
  wanted.kind = field.type.value;
  wanted.data_type = field.data_type.value;
  for (const Text& size : field.size) wanted.sizes.push_back(size.value);
  wanted.has_sizes = field.has_size || field.type.value == "scalar";
  wanted.is_optional = field.is_optional;
  wanted.is_collective = field.is_collective;
  wanted.is_static = field.is_static;
  return wanted;
}

}  // namespace

Wants config_wants(const Config& config, Findings& findings) {
  planning::Graph graph = planning::resolve_names(config, findings);
  planning::order_rules(graph, findings);
  planning::include_grids(graph, planning::resolve_grids(graph, findings));
  planning::include_formula_terms(graph, findings);
  const Outputs outputs = outputs_of(graph);
  Wants wants;
  for (const DataGroupConfig& group : config.data_groups) {
    const auto first = static_cast<std::uint32_t>(wants.fields.size());
    const auto count = static_cast<std::uint32_t>(group.fields.size());
    const auto number = static_cast<std::uint32_t>(wants.definitions.size());
    wants.definitions.push_back({group.name.value, group.scope, group.frequency.steps,
                                 group.frequency.every.seconds, group.send_on_terminate, first, count});
    for (const FieldConfig& field : group.fields) {
      wants.fields.push_back(wanted_field(group, field));
      wants.fields.back().definition = number;
      wants.fields.back().outputs = outputs[wants.fields.size() - 1];
    }
  }
  return wants;
}

}  // namespace pileus
