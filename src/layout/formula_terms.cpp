#include "layout/formula_terms.h"

#include <algorithm>

#include "config/values.h"
#include "core/suggest.h"

namespace pileus::planning {
namespace {

/// The variables of "ap: a b: b"; nothing if it is no such list.
std::vector<std::string> variables_of_terms(const Text& terms) {
  std::vector<std::string> variables;
  bool is_term = true;
  for (const std::string& word : split_words(terms.value)) {
    if ((word.back() == ':') != is_term || word == ":") return {};
    if (!is_term) variables.push_back(word);
    is_term = !is_term;
  }
  return is_term ? variables : std::vector<std::string>();
}

/// What variables of files may be called. Several in a file also have their manipulation in their names.
std::vector<std::string> names_of_variables(const Config& config) {
  std::vector<std::string> known;
  for (const DataGroupConfig& group : config.data_groups)
    for (const FieldConfig& field : group.fields) known.push_back(field.name.value);
  for (const DiagnosticConfig& diagnostic : config.diagnostics) known.push_back(diagnostic.field.value);
  for (const FileConfig& file : config.files) {
    for (const FileIncludeConfig& include : file.includes)
      if (include.name.is_given()) known.push_back(include.name.value);
  }
  return known;
}

void check_terms(const DimensionConfig& dimension, const std::vector<std::string>& known,
                 Findings& findings) {
  const Text& terms = dimension.formula_terms;
  const std::string what = "dimension " + quoted(dimension.name.value) + ": formula_terms";
  const std::vector<std::string> variables = variables_of_terms(terms);
  if (variables.empty())
    report(findings, terms.where,
           what + "=" + quoted(terms.value) + ": expected pairs such as \"ap: a b: b ps: ps\"");
  for (const std::string& name : variables) {
    const bool is_known = std::ranges::any_of(
        known, [&](const std::string& one) { return name == one || name.starts_with(one + "_"); });
    if (!is_known)
      report(findings, terms.where,
             what + ": no field or diagnostic " + quoted(name) + did_you_mean(name, known));
  }
}

/// Calls `visit` with the description of each dimension of the entries that has terms.
template <class Visit>
void for_each_with_terms(const Draft& draft, const std::vector<const Entry*>& entries, Visit visit) {
  std::set<std::string> dimensions;
  for (const Entry* entry : entries) {
    for (const DimensionId id : draft.terms[*draft.values[entry->node]].dimensions)
      dimensions.insert(draft.shapes.dimensions[id.index].name);
  }
  for (const DimensionConfig& said : draft.graph.config->dimensions) {
    if (said.formula_terms.is_given() && dimensions.contains(said.name.value)) visit(said);
  }
}

}  // namespace

void include_formula_terms(Graph& graph, Findings& findings) {
  std::vector<std::size_t> files;
  for (const Entry& entry : graph.entries)
    if (files.empty() || files.back() != entry.file) files.push_back(entry.file);
  for (const DimensionConfig& said : graph.config->dimensions) {
    if (!said.formula_terms.is_given() || said.formula_terms.value.find('{') != std::string::npos) continue;
    check_terms(said, names_of_variables(*graph.config), findings);
    const std::vector<std::string> variables = variables_of_terms(said.formula_terms);
    for (NodeIndex node = 0; node < graph.field_count; ++node) {
      const FieldConfig& field = *graph.nodes[node].field;
      if (!field.is_static || std::ranges::find(variables, field.name.value) == variables.end()) continue;
      for (const std::size_t file : files) {
        FileIncludeConfig include;
        include.time_manipulation.value = "none";
        include.where = said.formula_terms.where;
        graph.made_includes.push_back(include);
        graph.entries.push_back({file, &graph.made_includes.back(), field.name, node, {}, true});
      }
    }
  }
  std::ranges::stable_sort(graph.entries, {}, &Entry::file);
}

std::set<NodeIndex> fields_of_terms(const Draft& draft, const std::vector<const Entry*>& entries) {
  std::set<NodeIndex> fields;
  for_each_with_terms(draft, entries, [&](const DimensionConfig& said) {
    const std::vector<std::string> variables = variables_of_terms(said.formula_terms);
    for (NodeIndex node = 0; node < draft.graph.field_count; ++node) {
      const std::string& name = draft.graph.nodes[node].field->name.value;
      if (std::ranges::find(variables, name) != variables.end()) fields.insert(node);
    }
  });
  return fields;
}

void check_formula_terms(const Draft& draft, const std::vector<const Entry*>& entries,
                         const std::vector<std::string>& names, Findings& findings) {
  for_each_with_terms(draft, entries, [&](const DimensionConfig& said) {
    for (const std::string& name : variables_of_terms(said.formula_terms)) {
      if (std::ranges::find(names, name) != names.end()) continue;
      const std::string& file = draft.graph.config->files[entries.front()->file].name.value;
      report(findings, said.formula_terms.where,
             "formula_terms of dimension " + quoted(said.name.value) + ": file " + quoted(file) +
                 " has this dimension and no variable " + quoted(name) + "; include it there");
    }
  });
}

}  // namespace pileus::planning
