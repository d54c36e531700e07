#include <algorithm>

#include "config/namespaces.h"
#include "plan/draft.h"

namespace pileus::planning {
namespace {

const DiagnosticConfig* diagnostic_of(const Draft& draft, const Entry& entry) {
  return entry.diagnostic ? &draft.graph.config->diagnostics[*entry.diagnostic] : nullptr;
}

ElementType file_type(const Draft& draft, const Entry& entry, TermIndex term, Manipulation manipulation) {
  const Term& value = draft.terms[term];
  const bool is_field = value.kind == TermKind::field;
  const ElementType natural = is_field ? draft.shapes.fields[value.field].file_type : value.type;
  const DiagnosticConfig* diagnostic = diagnostic_of(draft, entry);
  const ElementType type = diagnostic ? type_of(diagnostic->data_type, natural) : natural;
  const bool is_mean = manipulation == Manipulation::averaged;
  const bool is_whole = is_integer(type) || type == ElementType::boolean;
  return is_mean && is_whole ? ElementType::float64 : type;
}

/// "y: x: mean " where a value is exactly a reduction of a distributed field over named dimensions, else "".
std::string area_methods(const Draft& draft, TermIndex index) {
  constexpr const char* kWords[] = {"sum", "mean", "minimum", "maximum"};
  const Term& whole = draft.terms[index];
  if (whole.kind != TermKind::communicate) return "";
  const Term& local = draft.terms[whole.operands.front()];
  if (local.kind != TermKind::localreduce) return "";
  const Term& input = draft.terms[local.operands.front()];
  if (input.spread != Spread::distributed) return "";
  std::string text;
  for (int axis : local.axes) {
    text += draft.shapes.dimensions[input.dimensions[static_cast<std::size_t>(axis)].index].name + ": ";
  }
  return text.empty() ? "" : text + kWords[whole.reduction] + " ";
}

std::string names(const Draft& draft, const std::vector<DimensionId>& dimensions) {
  std::string text;
  for (DimensionId id : dimensions)
    text += (text.empty() ? "" : ",") + draft.shapes.dimensions[id.index].name;
  return text;
}

void check_declaration(const Draft& draft, const DiagnosticConfig& diagnostic, const Term& value,
                       Findings& findings) {
  const std::string what = "diagnostic " + quoted(diagnostic.field.value);
  const ElementType declared = type_of(diagnostic.data_type, ElementType::float64);
  if (is_integer(declared) && !is_integer(value.type)) {
    report(findings, diagnostic.data_type.where,
           what +
               " is computed in double precision; its data_type is double or "
               "float, not " +
               quoted(diagnostic.data_type.value));
  }
  if (value.is_unknown_shape) return;
  const std::string made = names(draft, value.dimensions);
  if (diagnostic.type.is_given() && diagnostic.type.value == "scalar" && !value.dimensions.empty()) {
    report(findings, diagnostic.type.where,
           what + " is a scalar here, but its rules make an array of size " + quoted(made));
  }
  if (diagnostic.type.is_given() && diagnostic.type.value == "array" && value.dimensions.empty() &&
      !value.nameless_like) {
    report(findings, diagnostic.type.where, what + " is an array here, but its rules make a scalar");
  }
  if (!diagnostic.has_size) return;
  std::string size;
  for (const Text& name : diagnostic.size) size += (size.empty() ? "" : ",") + name.value;
  if (size == made) return;
  report(findings, diagnostic.size.empty() ? diagnostic.where : diagnostic.size.front().where,
         what + " has the size " + quoted(size) + " here, but its rules make " +
             (made.empty() ? "a scalar" : quoted(made) + " (fastest first)"));
}

}  // namespace

Variable describe_variable(const Draft& draft, const Entry& entry, TermIndex term,
                           Manipulation manipulation) {
  Variable variable;
  variable.type = file_type(draft, entry, term, manipulation);
  const DiagnosticConfig* diagnostic = diagnostic_of(draft, entry);
  const Metadata& metadata =
      diagnostic ? diagnostic->metadata : draft.graph.nodes[entry.node].field->metadata;
  const std::string& long_name = metadata.long_name.value;
  variable.attributes.push_back({"long_name", long_name.empty()
                                                  ? std::string(last_name(full_name_of(draft.graph, entry)))
                                                  : long_name});
  if (!metadata.standard_name.value.empty()) {
    variable.attributes.push_back({"standard_name", metadata.standard_name.value});
  }
  if (!metadata.units.value.empty()) variable.attributes.push_back({"units", metadata.units.value});
  const std::string in_time = manipulation == Manipulation::averaged ? "time: mean" : "time: point";
  variable.attributes.push_back({"cell_methods", area_methods(draft, term) + in_time});
  return variable;
}

void check_declarations(const Draft& draft, Findings& findings) {
  const Graph& graph = draft.graph;
  for (DiagnosticIndex d = 0; d < graph.results.size(); ++d) {
    if (!graph.results[d] || !draft.values[*graph.results[d]]) continue;
    const Term& value = draft.terms[*draft.values[*graph.results[d]]];
    check_declaration(draft, graph.config->diagnostics[d], value, findings);
  }
  for (const Entry& entry : graph.entries) {
    if (!draft.values[entry.node]) continue;
    const Term& value = draft.terms[*draft.values[entry.node]];
    if (!value.nameless_like) continue;
    report(findings, entry.name.where,
           described(graph, entry.node) + " cannot be written to " +
               quoted(graph.config->files[entry.file].name.value) +
               ": the model gives no names to its dimensions; declare its size, and register it with "
               "dimensions");
  }
}

}  // namespace pileus::planning
