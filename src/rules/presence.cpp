#include <map>
#include <set>

#include "config/namespaces.h"
#include "core/suggest.h"
#include "rules/model_shapes.h"

namespace pileus::planning {
namespace {

/// The first twenty, and how many more there are.
std::string joined(const std::vector<std::string>& parts) {
  constexpr std::size_t kMost = 20;
  const std::size_t shown = parts.size() > kMost + 1 ? kMost : parts.size();
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : ", ") + parts[i];
  return shown < parts.size() ? text + " and " + std::to_string(parts.size() - shown) + " others" : text;
}

/// "diagnostic "d" (rules "a", "b"), "d" in file "f.nc"": what is lost with these fields, in the order of the
/// configuration.
std::string losses(const Graph& graph, const std::vector<NodeIndex>& fields) {
  std::vector<bool> is_lost(graph.nodes.size());
  for (NodeIndex field : fields) is_lost[field] = true;
  for (NodeIndex node : graph.order) {
    for (const Use& use : graph.nodes[node].inputs) is_lost[node] = is_lost[node] || is_lost[use.node];
  }

  std::map<DiagnosticIndex, std::vector<std::string>> rules_lost;
  for (NodeIndex node = graph.field_count; node < graph.nodes.size(); ++node) {
    const bool is_said = is_lost[node] && graph.nodes[node].is_live;
    if (is_said) rules_lost[graph.nodes[node].diagnostic].push_back(quoted(graph.nodes[node].name));
  }
  std::vector<std::string> parts;
  for (const auto& [d, rules] : rules_lost) {
    const std::string rule_list = (rules.size() == 1 ? " (rule " : " (rules ") + joined(rules) + ")";
    parts.push_back("diagnostic " + quoted(graph.config->diagnostics[d].field.value) + rule_list);
  }
  std::set<std::pair<std::string, std::size_t>> told;
  for (const Entry& entry : graph.entries) {
    if (!is_lost[entry.node] || !told.insert({entry.name.value, entry.file}).second) continue;
    parts.push_back(quoted(entry.name.value) + " in file " +
                    quoted(graph.config->files[entry.file].name.value));
  }
  return joined(parts);
}

/// Optional fields are left to warn_of_optional.
void switch_off(Graph& graph, NodeIndex index, const std::vector<std::string>& registered,
                Findings& findings) {
  Node& node = graph.nodes[index];
  node.is_off = true;
  if (node.field->is_optional) return;
  const std::string what = "the model does not register the field " + quoted(node.name);
  if (!node.is_live) return findings.note(node.where, what + "; nothing needs it");
  report(findings, node.where,
         what + ", which " + losses(graph, {index}) + " needs" + did_you_mean(node.registered, registered));
}

/// One finding for all of them: a model without a scheme lacks a hundred fields at once.
void warn_of_optional(const Graph& graph, const std::vector<NodeIndex>& missing, Findings& findings) {
  if (missing.empty()) return;
  const Node& first = graph.nodes[missing.front()];
  const std::string lost = "left out are " + losses(graph, missing);
  if (missing.size() == 1) {
    findings.warning(first.where, "the model does not register the field " + quoted(first.name) +
                                      ", which is optional: " + lost);
    return;
  }
  std::vector<std::string> names;
  for (NodeIndex field : missing) names.push_back(quoted(graph.nodes[field].name));
  findings.warning(first.where, "the model does not register " + std::to_string(missing.size()) +
                                    " optional fields: " + joined(names) + "; " + lost);
}

/// The dimensions without an index on any rank, as that of tracers in a model that has none, and the fields
/// along each.
std::map<std::string, std::set<std::string>> fields_without_values(const ModelRanks& model) {
  std::map<std::string, std::set<std::string>> fields;
  for (std::size_t kind = 0; kind < model.kind_count(); ++kind) {
    const RankDescription& rank = model.kind(kind);
    for (const ModelDimension& dimension : rank.dimensions) {
      if (dimension.size != 0) continue;
      for (const ModelField& field : rank.fields) {
        const bool has_it = std::ranges::find(field.dimensions, dimension.name) != field.dimensions.end();
        if (has_it) fields[dimension.name].insert(field.name);
      }
    }
  }
  return fields;
}

void switch_off_without_values(Graph& graph, const ModelRanks& model, Findings& findings) {
  for (const auto& [dimension, names] : fields_without_values(model)) {
    std::vector<NodeIndex> off;
    for (NodeIndex field = 0; field < graph.field_count; ++field) {
      Node& node = graph.nodes[field];
      if (node.is_off || !names.contains(node.registered)) continue;
      node.is_off = true;
      if (node.is_live) off.push_back(field);
    }
    if (off.empty()) continue;
    findings.warning(graph.nodes[off.front()].where, "the model's dimension " + quoted(dimension) +
                                                         " has the size 0, so there is nothing of " +
                                                         losses(graph, off));
  }
}

}  // namespace

void switch_off_missing(Graph& graph, const ModelRanks& model, Findings& findings) {
  std::set<std::string> registered;
  for (std::size_t kind = 0; kind < model.kind_count(); ++kind) {
    for (const ModelField& field : model.kind(kind).fields) registered.insert(field.name);
  }
  const std::vector<std::string> names(registered.begin(), registered.end());
  std::set<std::string> unknown = registered;
  std::vector<NodeIndex> optional;
  for (NodeIndex field = 0; field < graph.field_count; ++field) {
    Node& node = graph.nodes[field];
    node.registered = registered_name(node.name, registered);
    unknown.erase(node.registered);
    if (registered.contains(node.registered)) continue;
    switch_off(graph, field, names, findings);
    if (node.field->is_optional && node.is_live) optional.push_back(field);
  }
  warn_of_optional(graph, optional, findings);
  switch_off_without_values(graph, model, findings);
  if (unknown.empty()) return;
  std::vector<std::string> parts;
  for (const std::string& name : unknown) parts.push_back(quoted(name));
  findings.note({}, "the model registers what the configuration does not mention: " + joined(parts));
}

}  // namespace pileus::planning
