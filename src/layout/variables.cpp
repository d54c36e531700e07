#include <algorithm>
#include <set>

#include "config/namespaces.h"
#include "core/missing.h"
#include "layout/attributes.h"
#include "layout/metadata.h"
#include "layout/stage_words.h"
#include "layout/storage/storage.h"
#include "layout/unit_change.h"

namespace pileus::planning {
namespace {

const DiagnosticConfig* diagnostic_of(const Draft& draft, const Entry& entry) {
  return entry.diagnostic ? &draft.graph.config->diagnostics[*entry.diagnostic] : nullptr;
}

bool is_floating(ElementType type) { return type == ElementType::float64 || type == ElementType::float32; }

Index record_bytes(const Draft& draft, const Term& value, ElementType type) {
  auto bytes = static_cast<Index>(size_bytes(type));
  for (DimensionId id : value.dimensions) bytes *= draft.shapes.dimensions[id.index].size;
  return bytes;
}

ElementType file_type(const Draft& draft, const Entry& entry, TermIndex term,
                      const std::vector<Stage>& chain) {
  const Term& value = draft.terms[term];
  const bool is_field = value.kind == TermKind::field;
  const ElementType natural = is_field ? draft.shapes.fields[value.field].file_type : value.type;
  const DiagnosticConfig* diagnostic = diagnostic_of(draft, entry);
  const bool is_declared = diagnostic && diagnostic->data_type.is_given();
  // Computed values are double, also those of a diagnostic that only gives a field another name.
  const bool is_single = diagnostic && natural == ElementType::float32;
  const ElementType otherwise = is_single ? ElementType::float64 : natural;
  const ElementType type = is_declared ? type_of(diagnostic->data_type, otherwise) : otherwise;
  if (chain.back().manipulation->holds == RecordHolds::time) return ElementType::float64;
  const bool is_mean = !keep_type(chain);
  const bool is_whole = is_integer(type) || type == ElementType::boolean;
  const ElementType kept = is_mean && is_whole ? ElementType::float64 : type;
  return is_floating(kept) ? type_of(storage_of(draft, entry).precision, kept) : kept;
}

/// Whether the value exists only where a condition holds.
bool is_conditional(const Term& term) {
  return term.kind == TermKind::operation && term.operation == Operation::keep;
}

/// The local reduction that a value is the whole of; null where it is something else, or one over the
/// dimensions of several.
const Node* local_reduction_of(const Draft& draft, NodeIndex index) {
  const Node* node = &draft.graph.nodes[index];
  while (node->kind == NodeKind::reduction || node->kind == NodeKind::broadcast)
    node = &draft.graph.nodes[node->inputs.front().node];
  const bool is_one = node->kind == NodeKind::localreduce &&
                      draft.graph.nodes[node->inputs.front().node].kind != NodeKind::localreduce;
  return is_one ? node : nullptr;
}

bool has_name(const std::vector<Text>& names, const std::string& name) {
  return std::ranges::find(names, name, &Text::value) != names.end();
}

/// What the name of a reduction leaves out: "weighted by rho", nothing of means with the areas that the grid
/// has; nullopt where cells of other areas count alike, which CF has no word for. It follows from the rules
/// as they are written, as terms differ between layouts of the ranks.
std::optional<std::string> weights_in_words(const Draft& draft, const Node& local, const Grid* grid,
                                            bool is_in_degrees) {
  const bool has_areas = grid != nullptr && (*grid)[GridPart::area];
  const ReductionDeclaration& reduction = declaration_of(local.reduction);
  if (!reduction.is_weighted) {
    const bool counts_cells = reduction.with_weights && local.reduction != Reduction::sum;
    return (has_areas || is_in_degrees) && counts_cells ? std::nullopt : std::optional(std::string());
  }
  const NodeIndex weight = local.inputs[reduction.takes_pairs ? 2 : 1].node;
  const bool is_area = has_areas && weight == (*grid)[GridPart::area];
  if (is_area && local.reduction != Reduction::weighted_sum) return "";
  const Node& node = draft.graph.nodes[weight];
  const bool has_word =
      node.is_field() || node.kind == NodeKind::given || std::ranges::count(draft.graph.results, weight) > 0;
  return "weighted by " + (has_word ? node.name : std::string("an expression"));
}

/// Whether cells between meridians and circles of latitude are reduced, whose areas differ.
bool is_in_degrees(const Draft& draft, const Term& input, const std::vector<int>& axes) {
  return std::ranges::any_of(axes, [&](int axis) {
    const DimensionId id = input.dimensions[static_cast<std::size_t>(axis)];
    return draft.shapes.dimensions[id.index].standard_name == "latitude";
  });
}

/// "over z and w": what is reduced besides an area; nullopt where none is. An area has both horizontal
/// dimensions, or all those of a grid.
std::optional<std::string> other_dimensions(const Draft& draft, const Term& input,
                                            const std::vector<int>& axes, const Grid* grid) {
  bool has_x = false, has_y = false;
  std::size_t of_grid = 0;
  std::string others;
  for (int axis : axes) {
    const DimensionId id = input.dimensions[static_cast<std::size_t>(axis)];
    const PlannedDimension& dimension = draft.shapes.dimensions[id.index];
    const char way = axis_of(dimension);
    has_x = has_x || way == 'X';
    has_y = has_y || way == 'Y';
    const bool is_of_grid = grid != nullptr && has_name(grid->config->dimensions, dimension.name);
    of_grid += is_of_grid ? 1 : 0;
    if (way != 'X' && way != 'Y' && !is_of_grid)
      others += (others.empty() ? "over " : " and ") + dimension.name;
  }
  const bool is_whole_grid = grid != nullptr && of_grid == grid->config->dimensions.size();
  return (has_x && has_y) || is_whole_grid ? std::optional(others) : std::nullopt;
}

/// "area: mean " for a value that is just a reduction of a distributed field over both of its horizontal
/// dimensions, or all those of its grid, "area: mean (over z) " if it takes other dimensions too, and ""
/// otherwise: CF has no word for a dimension that is gone and has left no coordinate. Source: CF conventions
/// 1.11, sections 7.3 and 7.3.4.
std::string area_methods(const Draft& draft, const Entry& entry, TermIndex index) {
  while (draft.terms[index].kind == TermKind::broadcast) index = draft.terms[index].operands.front();
  const Term& whole = draft.terms[index];
  const char* const word = declaration_of(whole.reduction).cell_method;
  if (word == nullptr) return "";
  const bool is_sent = whole.kind == TermKind::communicate;
  const Term& local = is_sent ? draft.terms[whole.operands.front()] : whole;
  if (local.kind != TermKind::localreduce || local.bins) return "";
  const Node* const written = local_reduction_of(draft, entry.node);
  const Term& input =
      draft.terms[written ? draft.values[written->inputs.front().node].value() : local.operands.front()];
  if (!input.is_of_distributed) return "";  // for other values, where they lie may depend on the layout
  const bool is_mean = whole.reduction == Reduction::mean || whole.reduction == Reduction::weighted_mean;
  if (input.is_truth && !is_mean) return "";
  const GridSet& grids = draft.grids.of_nodes[written ? written->inputs.front().node : entry.node];
  const Grid* const grid = grids.size() == 1 ? &draft.grids.all[*grids.begin()] : nullptr;
  std::optional<std::string> others = other_dimensions(draft, input, local.axes, grid);
  if (!others) return "";
  const std::optional<std::string> weights =
      written ? weights_in_words(draft, *written, grid, is_in_degrees(draft, input, local.axes))
              : std::string();
  if (!weights) return "";
  if (!weights->empty()) *others += (others->empty() ? "" : ", ") + *weights;
  if (is_conditional(input))
    *others += others->empty() ? "where a condition holds" : ", where a condition holds";
  return std::string("area: ") + word + (others->empty() ? " " : " (" + *others + ") ");
}

/// "y_by_4: x_by_4: mean " for what is just a mean over blocks, the slowest dimension first.
std::string block_methods(const Draft& draft, const Entry& entry, TermIndex index) {
  const Node& node = draft.graph.nodes[entry.node];
  const Term& term = draft.terms[index];
  if (node.kind != NodeKind::regrid || term.kind != TermKind::regrid || !term.regridding) return "";
  std::string text;
  for (const RegridDimension& one : term.regridding->dimensions)
    if (one.block > 1) text = one.name + ": " + text;
  if (text.empty()) return "";
  const bool is_conditional = draft.graph.nodes[node.inputs.front().node].is_filter;
  return text + (is_conditional ? "mean (where a condition holds) " : "mean ");
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

/// The units of a field, also if it goes to all ranks in this layout.
const std::string& field_units(const Draft& draft, TermIndex index) {
  static const std::string kNone;
  if (draft.terms[index].kind == TermKind::rounded) index = draft.terms[index].operands.front();
  const Term& term = draft.terms[draft.terms.stood_for(index).value_or(index)];
  if (term.kind != TermKind::field) return kNone;
  return draft.graph.nodes[term.field].field->metadata.units.value;
}

std::string product(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return "";
  if (a == "1" || b == "1") return a == "1" ? b : a;
  return a == b ? "(" + a + ")2" : "(" + a + ") (" + b + ")";
}

/// The term below a condition, or the term itself.
TermIndex without_condition(const Draft& draft, TermIndex index) {
  const Term& term = draft.terms[index];
  return is_conditional(term) ? term.operands.front() : index;
}

/// The value that a reduced value is multiplied with: of variances the value itself.
TermIndex other_of_pair(const Term& term, TermIndex reduced) {
  if (term.reduction == Reduction::weighted_sum) return term.operands[1];
  return declaration_of(term.reduction).takes_pairs ? term.operands[1] : reduced;
}

/// The units of a reduction of fields and truth values, if they follow from those of the fields; otherwise
/// "".
std::string units_of_reduction(const Draft& draft, TermIndex index) {
  const Term* term = &draft.terms[index];
  if (!term->units.empty()) return term->units;
  while (term->kind == TermKind::communicate || term->kind == TermKind::broadcast)
    term = &draft.terms[term->operands.front()];
  if (term->kind != TermKind::localreduce) return "";
  const TermIndex reduced = without_condition(draft, term->operands.front());
  const bool is_weighted_sum = term->reduction == Reduction::weighted_sum;
  if (draft.terms[reduced].is_truth) return is_weighted_sum ? field_units(draft, term->operands[1]) : "1";
  const std::string& units = field_units(draft, reduced);
  switch (declaration_of(term->reduction).units) {
    case UnitsOf::values: break;
    case UnitsOf::product: return product(units, field_units(draft, other_of_pair(*term, reduced)));
    case UnitsOf::nothing: return "1";
  }
  return units;
}

std::string long_name(const Draft& draft, const Entry& entry, const Metadata& metadata) {
  const std::string& given = metadata.long_name.value;
  return given.empty() ? std::string(last_name(full_name_of(draft.graph, entry))) : given;
}

std::string without_blanks_at_its_end(std::string text) {
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

}  // namespace

Variable describe_variable(const Draft& draft, const Entry& entry, TermIndex term,
                           const std::vector<Stage>& chain, Findings& findings) {
  Variable variable;
  variable.type = file_type(draft, entry, term, chain);
  // Samples keep the model's own number; what is made of several of them has ours.
  const bool is_sample = !chain.back().manipulation.covers_window();
  const std::optional<double>& missing = draft.terms[term].missing;
  const bool has_fill_already = !is_sample && keep_type(chain) && is_integer(draft.terms[term].type);
  if (missing && !has_fill_already) variable.missing_value = is_sample ? *missing : kMissing;
  const DiagnosticConfig* diagnostic = diagnostic_of(draft, entry);
  const Metadata& metadata =
      diagnostic ? diagnostic->metadata : draft.graph.nodes[entry.node].field->metadata;
  variable.attributes.push_back({"long_name", name_in_time(long_name(draft, entry, metadata), chain)});
  if (hold_samples(chain) && !metadata.standard_name.value.empty())
    variable.attributes.push_back({"standard_name", metadata.standard_name.value});
  const std::string units =
      metadata.units.value.empty() ? units_of_reduction(draft, term) : metadata.units.value;
  for (Attribute& one : units_in_time(units, metadata.units_metadata.value, chain, draft.plan.time))
    variable.attributes.push_back(std::move(one));
  variable.change =
      change_units(draft, entry, chain, metadata.units_metadata.value, variable.attributes, findings);
  if (variable.change && !is_floating(variable.type)) {
    // The fill value of whole numbers is no number that could be converted.
    const ElementType type = draft.terms[term].type;
    if (missing && has_fill_already) variable.missing_value = missing_of_files(type);
    if (missing && has_fill_already && type == ElementType::int64) {
      report(findings, entry.include->units.where,
             quoted(entry.name.value) +
                 ": 64-bit integers that may be missing are not converted; write an "
                 "expression, such as 1.0 * " +
                 entry.name.value);
    }
    variable.type = type_of(storage_of(draft, entry).precision, ElementType::float64);
  }
  const bool is_given = diagnostic && diagnostic->cell_methods.is_given();
  const std::string in_space = is_given
                                   ? diagnostic->cell_methods.value + " "
                                   : block_methods(draft, entry, term) + area_methods(draft, entry, term);
  const std::string methods = without_blanks_at_its_end(in_space + methods_in_time(chain));
  if (!methods.empty()) variable.attributes.push_back({"cell_methods", methods});
  const char* const in_records = chain.back().manipulation->note;
  const std::string note = in_records != nullptr ? in_records : draft.terms[term].note;
  if (!note.empty()) variable.attributes.push_back({"comment", note});
  add_attributes(draft, entry, variable, findings);
  if (variable.change) check_ranges(entry, variable.attributes, findings);
  if (is_floating(variable.type) && chain.back().manipulation->holds != RecordHolds::time)
    add_rounding(draft, entry, variable, findings);
  else
    refuse_information(draft, entry, findings);
  const bool is_worth_it = record_bytes(draft, draft.terms[term], variable.type) >= kSmallestPacked;
  variable.storage.compression = compression_of(
      storage_of(draft, entry), *draft.graph.config->files[entry.file].kind, is_worth_it, findings);
  add_selection(draft, entry, variable, findings);
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
