#include <algorithm>

#include "terms/application.h"
#include "terms/lowering.h"

namespace pileus::planning {

Lowered Lowering::lower() {
  for (NodeIndex node = 0; node < graph_.field_count; ++node) lower_field(node);
  for (NodeIndex node : graph_.order) lower_rule(node);
  for (const Entry& entry : graph_.entries) bring_together(entry.node);
  Lowered lowered;
  for (const Entry& entry : graph_.entries) place(entry, lowered);
  lowered.values = std::move(values_);
  return lowered;
}

namespace {

bool comes_at_end(const DataGroupConfig& group) {
  return group.frequency.is_every_step() || group.frequency.is_final_only() || group.send_on_terminate;
}

}  // namespace

void Lowering::lower_field(NodeIndex index) {
  const Node& node = graph_.nodes[index];
  if (node.is_off || !node.is_live) return;
  const DataGroupConfig& group = graph_.config->data_groups[node.group];
  // What never changes is there in every step, so it meets others as often as they come.
  const Cadence cadence = node.field->is_static ? Cadence() : group.frequency;
  const bool at_end = cadence.is_every_step() || cadence.is_final_only() || group.send_on_terminate;
  const FieldShape& shape = shapes_.fields[index];
  const std::optional<double> missing = node.field->missing_value ? node.field->missing_value : shape.hole;
  const TermIndex term = terms_.field(index, shape, spreads_[index], cadence, at_end, missing);
  terms_[term].name = node.name;
  terms_[term].where = node.where;
  terms_[term].is_static = node.field->is_static;
  terms_[term].presence_varies = node.field->missing_value && !node.field->is_static;
  values_[index] = term;
}

void Lowering::lower_rule(NodeIndex index) {
  Node& node = graph_.nodes[index];
  for (const Use& use : node.inputs) node.is_off = node.is_off || graph_.nodes[use.node].is_off;
  if (node.is_off || !node.is_live) return;
  if (uses_text(node)) {
    node.is_off = true;
    return;
  }
  const std::size_t first_new = terms_.size();
  switch (node.kind) {
    case NodeKind::localreduce: values_[index] = lower_localreduce(node); break;
    case NodeKind::reduction: values_[index] = lower_reduction(node); break;
    case NodeKind::arithmetic: values_[index] = lower_arithmetic(node); break;
    case NodeKind::broadcast: values_[index] = terms_.broadcast(*values_[node.inputs.front().node]); break;
    case NodeKind::sift: values_[index] = lower_sifted(node); break;
    case NodeKind::apply: values_[index] = lower_application(node); break;
    case NodeKind::regrid: values_[index] = lower_regridded(node); break;
    case NodeKind::given: values_[index] = lower_given(node); break;
    case NodeKind::lag: values_[index] = lower_lag(node); break;
    case NodeKind::field: break;
  }
  if (!values_[index]) node.is_off = true;
  // Asked in order, so that no question goes deeper than one node.
  if (values_[index] && terms_[*values_[index]].spread == Spread::rooted) (void)places_.near(*values_[index]);
  sign_from(first_new, node);
  if (values_[index] && *values_[index] >= first_new) terms_[*values_[index]].name = node.name;
}

bool Lowering::uses_text(const Node& node) {
  for (const Use& use : node.inputs) {
    if (is_number(terms_[*values_[use.node]].type)) continue;
    wrong(node, use.where,
          described(graph_, use.node) + " is a text, which can be written but not computed with");
    return true;
  }
  return false;
}

void Lowering::bring_together(NodeIndex index) {
  if (!values_[index]) return;
  const Term& local = terms_[*values_[index]];
  if (local.kind != TermKind::localreduce || local.spread != Spread::own) return;
  const std::size_t first_new = terms_.size();
  const Reduction reduction = local.reduction;
  values_[index] = terms_.communicate(reduction, *values_[index], {});
  sign_from(first_new, graph_.nodes[index]);
  if (*values_[index] >= first_new) terms_[*values_[index]].name = graph_.nodes[index].name;
}

void Lowering::place(const Entry& entry, Lowered& lowered) {
  const bool is_asked_for = entry.diagnostic && graph_.config->diagnostics[*entry.diagnostic].is_exact;
  lowered.written.push_back(values_[entry.node]);
  lowered.is_exact.push_back(false);
  if (!values_[entry.node]) return;
  const std::size_t first_new = terms_.size();
  const TermIndex value = *values_[entry.node];
  lowered.is_exact.back() = places_.is_averaged_exactly(value, is_asked_for);
  if (is_asked_for && !lowered.is_exact.back()) {
    findings_.warning(
        entry.include->where,
        quoted(entry.name.value) +
            " is divided by another count or weight in each step, so its averages are rounded in "
            "each step, for all that exact=\"true\" asks for");
  }
  lowered.written.back() = places_.best(value, lowered.is_exact.back());
  sign_from(first_new, graph_.nodes[entry.node]);
  if (*lowered.written.back() >= first_new) terms_[*lowered.written.back()].name = terms_[value].name;
}

void Lowering::sign_from(std::size_t first_new, const Node& node) {
  for (std::size_t term = first_new; term < terms_.size(); ++term)
    sign(terms_[static_cast<TermIndex>(term)], node);
}

void Lowering::sign(Term& term, const Node& node) const {
  term.diagnostic = node.diagnostic;
  term.node = static_cast<NodeIndex>(&node - graph_.nodes.data());
  term.where = node.where;
  term.name = "part of " + node.name;
  term.rule_name = node.rule->name.value + " " + quoted(node.name) + " of diagnostic " +
                   quoted(graph_.diagnostic_of(node).field.value);
}

std::optional<TermIndex> Lowering::wrong(const Node& node, const Location& where, const std::string& what) {
  report(findings_, where, "diagnostic " + quoted(graph_.diagnostic_of(node).field.value) + ": " + what);
  return {};
}

void Lowering::warn(const Node& node, const Location& where, const std::string& what) {
  findings_.warning(where, "diagnostic " + quoted(graph_.diagnostic_of(node).field.value) + ": " + what);
}

TermIndex Lowering::rounded_locally(const Node& node, const Use& use, TermIndex partial,
                                    const std::string& why) {
  warn_of_layout(node, use, why);
  return terms_.rounded(partial);
}

void Lowering::warn_of_layout(const Node& node, const Use& use, const std::string& why) {
  warn(node, use.where,
       described(graph_, use.node) + " is one model rank's part of a reduction, and " + why +
           ": the result depends on how the model is spread over its ranks");
}

void Lowering::warn_of_partials(const Node& node, const std::string& why) {
  for (const Use& use : node.inputs) {
    const Term& input = terms_[*values_[use.node]];
    if (input.form == Form::partials && input.spread == Spread::own) warn_of_layout(node, use, why);
  }
}

TermIndex Lowering::as_numbers(TermIndex term) {
  return terms_[term].form == Form::partials ? terms_.rounded(term) : term;
}

/// Without a model a dimension may be known by its description alone.
TermIndex Lowering::lower_given(const Node& node) {
  if (node.clock) return terms_.clock(*node.clock);
  auto found = std::ranges::find(shapes_.dimensions, node.name, &PlannedDimension::name);
  if (found == shapes_.dimensions.end())
    found = shapes_.dimensions.insert(found, {node.name, kImaginedSize, {}, ""});
  return terms_.coordinates(DimensionId(static_cast<std::size_t>(found - shapes_.dimensions.begin())));
}

/// Parts of the ranks' own are not kept, as a run on other ranks could not go on with them.
std::optional<TermIndex> Lowering::lower_lag(const Node& node) {
  const Use& use = node.inputs.front();
  const TermIndex operand = *values_[use.node];
  if (terms_[operand].spread == Spread::own)
    return wrong(node, use.where,
                 described(graph_, use.node) +
                     " is each model rank's own, and is not kept: a run that continues on other ranks could "
                     "not know it; declare collective=\"true\" or parts=\"same\"");
  const DataGroupConfig& group = graph_.config->data_groups[node.group];
  return terms_.lag(operand, node.back, group.frequency, comes_at_end(group));
}

std::optional<TermIndex> Lowering::lower_application(const Node& node) {
  if (!check_cadences(node)) return {};
  const std::vector<TermIndex> given = values_of_inputs(node);
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!is_of_integers_along(node, given[i])) continue;
    return wrong(node, node.inputs[i].where,
                 described(graph_, node.inputs[i].node) +
                     " has integers of 64 bits: whole lines of them cannot be brought together, in double "
                     "precision; hand over integers of 32 bits or floating-point numbers");
  }
  if (is_counted(node, given.front())) return lower_counted(node);
  const std::vector<TermIndex> operands = with_whole_columns(node, given);
  warn_of_partials(node, "this operator rounds it before it is reduced");
  const auto bring = [&](std::vector<TermIndex> inputs) { return lying_together(node, std::move(inputs)); };
  const auto applied = apply_operator(graph_, node, operands, shapes_, terms_, findings_, bring);
  if (applied && !may_follow(node, *applied)) return {};
  return lower_reducing(node, applied);
}

/// A run that continues has to find again what was known before.
bool Lowering::may_follow(const Node& node, TermIndex applied) {
  const auto& prepared = terms_[applied].prepared;
  if (!prepared || !prepared->followed) return true;
  for (const std::size_t input : prepared->followed->inputs) {
    const Use& use = node.inputs.at(input);
    const Term& term = terms_[*values_[use.node]];
    const std::string name = described(graph_, use.node);
    if (term.is_static)
      wrong(node, use.where, name + " never changes: nothing is to be followed from step to step");
    if (term.spread == Spread::own)
      wrong(node, use.where,
            name +
                " is each model rank's own: a run that continues on other ranks could not know it "
                "again; declare collective=\"true\" or parts=\"same\"");
    if (term.is_static || term.spread == Spread::own) return false;
  }
  return true;
}

/// Of what is on one server all ranks get the whole, of which rank 0 gives it on.
std::optional<TermIndex> Lowering::lower_regridded(const Node& node) {
  if (!check_cadences(node)) return {};
  warn_of_partials(node, "regridding rounds it before it is reduced");
  TermIndex value = *values_[node.inputs.front().node];
  if (terms_[value].spread == Spread::rooted) value = terms_.broadcast(value);
  std::vector<TermIndex> places;
  for (std::size_t i = 1; i < node.inputs.size(); ++i) places.push_back(*values_[node.inputs[i].node]);
  return regrid_operator(graph_, node, as_numbers(value), std::move(places), shapes_, terms_, findings_);
}

std::optional<TermIndex> Lowering::lower_sifted(const Node& node) {
  if (!check_cadences(node)) return {};
  std::vector<TermIndex> operands;
  for (const Use& use : node.inputs) operands.push_back(*values_[use.node]);
  const auto axes = sifted_axes(node, operands);
  if (!axes) return {};
  return sift_operator(graph_, node, operands, *axes, shapes_, terms_, findings_);
}

std::optional<std::vector<int>> Lowering::sifted_axes(const Node& node,
                                                      const std::vector<TermIndex>& operands) {
  const Term& field = terms_[operands.front()];
  if (operands.size() == 1) return reduced_axes(node, node.inputs.front(), field);
  const Term& value = terms_[operands[1]];
  for (DimensionId dimension : value.dimensions) {
    if (has_dimension(field, dimension) || field.is_unknown_shape) continue;
    wrong(node, node.inputs[1].where,
          described(graph_, node.inputs[1].node) + " has the dimension " +
              quoted(shapes_.dimensions[dimension.index].name) + ", which " +
              described(graph_, node.inputs[0].node) + " lacks");
    return {};
  }
  std::vector<int> axes;
  for (std::size_t d = 0; d < field.dimensions.size(); ++d) {
    if (!has_dimension(value, field.dimensions[d])) axes.push_back(static_cast<int>(d));
  }
  return axes;
}

bool Lowering::has_dimension(const Term& term, DimensionId dimension) {
  return std::find(term.dimensions.begin(), term.dimensions.end(), dimension) != term.dimensions.end();
}

Lowered lower_rules(Graph& graph, const std::vector<Spread>& spreads, Shapes& shapes, TermTable& terms,
                    Findings& findings) {
  return Lowering(graph, spreads, shapes, terms, findings).lower();
}

}  // namespace pileus::planning
