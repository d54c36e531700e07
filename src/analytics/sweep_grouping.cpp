#include "analytics/sweep_grouping.h"

#include <algorithm>
#include <set>

#include "math/reduced_axes.h"

namespace pileus {
namespace {

bool is_swept_reduction(Reduction reduction) {
  const Keeps keeps = keeps_of(reduction);
  return keeps == Keeps::sum || keeps == Keeps::extreme || keeps == Keeps::moments;
}

/// Sweeps compute in double precision, as equations do; only what is handed over can be floats.
bool is_plain_number(const Value& value) {
  const bool has_type =
      value.type == ElementType::float64 || (value.type == ElementType::float32 && value.field.is_valid());
  return has_type && !value.missing && !value.has_nameless_shape && value.form == Form::numbers;
}

bool is_reduced_axis(const std::vector<int>& axes, std::size_t d) {
  return std::ranges::count(axes, static_cast<int>(d)) > 0;
}

/// By dimension: how far its neighbours lie apart in what is left without some axes; 0 for those.
std::vector<Index> strides_without(const std::vector<Index>& extents, const std::vector<int>& axes) {
  std::vector<Index> strides;
  Index stride = 1;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    strides.push_back(is_reduced_axis(axes, d) ? 0 : stride);
    if (!is_reduced_axis(axes, d)) stride *= extents[d];
  }
  return strides;
}

}  // namespace

std::optional<SweepShape> sweep_shape(const std::vector<Index>& extents,
                                      const std::vector<int>& reduced_axes) {
  constexpr Index kMostElements = Index{1} << 20;  // of a cell: its sums still have bits to spare
  const std::vector<Index> result_strides = strides_without(extents, reduced_axes);
  std::vector<ReducedAxis> axes;
  Index stride = 1;
  for (std::size_t d = 0; d < extents.size(); stride *= extents[d++])
    axes.push_back({extents[d], stride, result_strides[d]});
  axes = merged(axes);
  if (axes.empty() || axes.size() > 2) return {};
  const bool is_first_reduced = axes[0].is_reduced();
  if (axes.size() == 1 && !is_first_reduced) return {};
  if (axes.size() == 2 && is_first_reduced == axes[1].is_reduced()) return {};
  SweepShape shape;
  shape.are_cells_side_by_side = !is_first_reduced;
  for (const ReducedAxis& axis : axes) (axis.is_reduced() ? shape.length : shape.cells) = axis.extent;
  const bool fits = shape.length <= kMostElements && shape.cells <= SweepShape::kMostCells;
  return fits ? std::optional(shape) : std::nullopt;
}

std::vector<std::uint32_t> targets_of_cells(const std::vector<Index>& extents,
                                            const std::vector<int>& cell_axes,
                                            const std::vector<int>& reduced_axes) {
  const std::vector<Index> strides = strides_without(extents, reduced_axes);
  std::vector<std::uint32_t> targets = {0};
  for (std::size_t d = 0; d < extents.size(); ++d) {
    if (is_reduced_axis(cell_axes, d)) continue;
    const std::vector<std::uint32_t> before = std::move(targets);
    targets.clear();
    for (Index i = 0; i < extents[d]; ++i) {
      for (const std::uint32_t target : before)
        targets.push_back(target + static_cast<std::uint32_t>(i * strides[d]));
    }
  }
  return targets;
}

SweptValues::SweptValues(const Plan& plan, const RuleRunner& runner)
    : plan_(plan), depths_(plan.values.size(), kNotSwept), is_sum_(plan.values.size(), false) {
  for (std::size_t v = 0; v < plan.values.size(); ++v) {
    regions_.push_back(runner.region(ValueId(v)));
    if (plan.values[v].field.is_valid() && is_plain_number(plan.values[v])) depths_[v] = 1;
  }
  for (const Rule& rule : plan.rules) {
    const auto* action = std::get_if<Arithmetic>(&rule.action);
    const Value& made = plan[rule.output];
    if (action == nullptr || !is_plain_number(made)) continue;
    depths_[rule.output.index] =
        depth_of(rule, action->program, {made.dimensions, regions_[rule.output.index]});
    if (depths_[rule.output.index] != kNotSwept) is_sum_[rule.output.index] = *is_sum(rule, action->program);
  }
}

/// Whether the program makes a sum or difference; nullopt where it multiplies one. The smallest number of
/// such a product can only be bounded from its operands' units, so that its running sums would rarely fit.
std::optional<bool> SweptValues::is_sum(const Rule& rule, const Program& program) const {
  std::vector<bool> made;
  for (const Instruction& one : program.instructions) {
    switch (one.operation) {
      case Operation::input: made.push_back(is_sum_[rule.inputs[one.left].index]); break;
      case Operation::add:
      case Operation::subtract: made.push_back(true); break;
      case Operation::negate: made.push_back(made[one.left]); break;
      case Operation::multiply:
        if (made[one.left] || made[one.right]) return std::nullopt;
        made.push_back(false);
        break;
      default: made.push_back(false); break;
    }
  }
  return made.back();
}

/// Whether the value is made of fields, and has the domain.
bool SweptValues::lies_alike(ValueId value, const SweptDomain& domain) const {
  return depths_[value.index] != kNotSwept && plan_[value].dimensions == domain.dimensions &&
         regions_[value.index] == domain.region;
}

/// Of what the program makes over the domain; kNotSwept where it is not made of fields that lie alike.
int SweptValues::depth_of(const Rule& rule, const Program& program, const SweptDomain& domain) const {
  constexpr int kDeepest = 16;
  if (!SweepNodes::can_compute(program) || !is_sum(rule, program)) return kNotSwept;
  int depth = 1;
  for (const ValueId input : rule.inputs) {
    if (!lies_alike(input, domain)) return kNotSwept;
    depth = std::max(depth, depths_[input.index] + 1);
  }
  return depth <= kDeepest ? depth : kNotSwept;
}

std::optional<SweptDomain> SweptValues::domain_of(const Rule& rule) const {
  const auto* action = std::get_if<LocalReduce>(&rule.action);
  if (action == nullptr || action->edges || !is_swept_reduction(action->reduction)) return {};
  const std::size_t operands = declaration_of(action->reduction).takes_pairs ? 2 : 1;
  if (action->computed ? operands != 1 : rule.inputs.size() != operands) return {};
  const Value& reduced = action->computed ? action->computed->value : plan_[rule.inputs[0]];
  if (!is_plain_number(reduced)) return {};
  const SweptDomain domain{reduced.dimensions,
                           action->computed ? plan_.held(reduced, regions_) : regions_[rule.inputs[0].index]};
  // The result is that of this part alone.
  const Region left = without_axes(domain.region, action->reduced_axes);
  if (domain.region.size() == 0 || left != regions_[rule.output.index]) return {};
  if (operands == 2 && !lies_alike(rule.inputs[1], domain)) return {};
  const int depth =
      action->computed ? depth_of(rule, action->computed->program, domain) : depths_[rule.inputs[0].index];
  return depth != kNotSwept ? std::optional(domain) : std::nullopt;
}

SweptResult SweptValues::add(SweepNodes& nodes, const Rule& rule) const {
  const auto& action = std::get<LocalReduce>(rule.action);
  const NodeIndex first =
      action.computed ? add_program(nodes, rule, action.computed->program) : add_value(nodes, rule.inputs[0]);
  SweptResult result{first, first, action.reduction, {}, {}};
  if (keeps_of(action.reduction) != Keeps::moments) return result;
  const bool is_of_pairs = declaration_of(action.reduction).takes_pairs;
  result.node = nodes.product(first, is_of_pairs ? add_value(nodes, rule.inputs[1]) : first);
  return result;
}

NodeIndex SweptValues::add_value(SweepNodes& nodes, ValueId id) const {
  const Value& value = plan_[id];
  if (value.field.is_valid()) return nodes.field(id);
  if (const auto known = nodes.node_of(id)) return *known;
  const Rule& rule = plan_[value.rule];
  const NodeIndex node = add_program(nodes, rule, std::get<Arithmetic>(rule.action).program);
  nodes.note(id, node);
  return node;
}

NodeIndex SweptValues::add_program(SweepNodes& nodes, const Rule& rule, const Program& program) const {
  std::vector<NodeIndex> inputs;
  for (const ValueId input : rule.inputs) inputs.push_back(add_value(nodes, input));
  return nodes.result(program, inputs);
}

std::vector<ValueId> SweptValues::values_behind(const Rule& rule) const {
  std::vector<ValueId> waiting = rule.inputs;
  std::set<ValueId> behind;
  while (!waiting.empty()) {
    const ValueId value = waiting.back();
    waiting.pop_back();
    if (!behind.insert(value).second || plan_[value].field.is_valid()) continue;
    const std::vector<ValueId>& inputs = plan_[plan_[value].rule].inputs;
    waiting.insert(waiting.end(), inputs.begin(), inputs.end());
  }
  return {behind.begin(), behind.end()};
}

std::vector<ValueId> SweptValues::fields_behind(const Rule& rule) const {
  std::vector<ValueId> fields = values_behind(rule);
  std::erase_if(fields, [&](ValueId value) { return !plan_[value].field.is_valid(); });
  return fields;
}

bool SweptValues::is_of_field_alone(const Rule& rule) const {
  return rule.inputs.size() == 1 && plan_[rule.inputs[0]].field.is_valid() &&
         !std::get<LocalReduce>(rule.action).computed;
}

std::vector<bool> rules_within_sweeps(const Plan& plan, const std::vector<RuleId>& rules,
                                      const std::vector<bool>& is_swept) {
  std::vector<bool> has_taker(plan.values.size(), false), has_other_taker(plan.values.size(), false);
  for (const Variable& variable : plan.variables) has_other_taker[variable.sampled().index] = true;
  for (const Variable& variable : plan.statics) has_other_taker[variable.value.index] = true;
  std::vector<bool> is_within(plan.rules.size(), false);
  std::vector<bool> is_here(plan.rules.size(), false);
  for (const RuleId rule : rules) is_here[rule.index] = true;
  // Whatever takes a rule's result stands after it.
  for (std::size_t r = plan.rules.size(); r-- > 0;) {
    const Rule& rule = plan.rules[r];
    is_within[r] = is_here[r] && std::holds_alternative<Arithmetic>(rule.action) &&
                   has_taker[rule.output.index] && !has_other_taker[rule.output.index];
    for (const ValueId input : rule.inputs) {
      has_taker[input.index] = true;
      if (!is_within[r] && !is_swept[r]) has_other_taker[input.index] = true;
    }
  }
  return is_within;
}

}  // namespace pileus
