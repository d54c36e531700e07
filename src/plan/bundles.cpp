#include "plan/bundles.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace pileus {
namespace {

/// Who takes a value.
struct Takers {
  std::vector<RuleId> rules;
  std::vector<VariableId> variables;
  bool is_static = false;
};

std::vector<Takers> takers_of(const Plan& plan) {
  std::vector<Takers> takers(plan.values.size());
  for (std::size_t r = 0; r < plan.rules.size(); ++r)
    for (const ValueId input : plan.rules[r].inputs) takers[input.index].rules.emplace_back(r);
  for (std::size_t v = 0; v < plan.variables.size(); ++v)
    takers[plan.variables[v].value.index].variables.emplace_back(v);
  for (const Variable& variable : plan.statics) takers[variable.value.index].is_static = true;
  return takers;
}

std::vector<std::uint64_t> bits(const std::vector<double>& values) {
  std::vector<std::uint64_t> bits;
  for (const double value : values) bits.push_back(std::bit_cast<std::uint64_t>(value));
  return bits;
}

/// What all members of a bundle have in common. `counted`: the dimensions whose elements a mean counts, so
/// that it has as many in each.
struct Kind {
  Reduction reduction;
  std::vector<std::uint64_t> multiply, divide;
  std::vector<DimensionId> counted;
  std::vector<FieldId> optional;  ///< fields behind it that may be absent, and it with them
  std::vector<ScheduleId> windows;
  std::vector<std::uint32_t> needs;
  friend auto operator<=>(const Kind&, const Kind&) = default;
};

/// By value: the optional fields that it is made of, rising.
std::vector<std::vector<FieldId>> optional_fields_behind(const Plan& plan) {
  std::vector<std::vector<FieldId>> behind(plan.values.size());
  for (std::size_t f = 0; f < plan.fields.size(); ++f)
    if (plan.fields[f].is_optional) behind[plan.fields[f].value.index] = {FieldId(f)};
  for (const Rule& rule : plan.rules) {  // each after those whose results it takes
    std::set<FieldId> fields;
    for (const ValueId input : rule.inputs)
      fields.insert(behind[input.index].begin(), behind[input.index].end());
    behind[rule.output.index] = {fields.begin(), fields.end()};
  }
  return behind;
}

class Finder {
 public:
  explicit Finder(const Plan& plan)
      : plan_(plan), takers_(takers_of(plan)), optional_behind_(optional_fields_behind(plan)) {}

  struct Found {
    Kind kind;
    ValueId value;
  };
  /// nullopt for what goes to its windows by itself.
  std::optional<Found> kind_of(RuleId communication) const {
    const Rule& rule = plan_[communication];
    const auto& action = std::get<Communicate>(rule.action);
    const std::optional<std::vector<DimensionId>> counted =
        counted_dimensions(rule.inputs[0], action.reduction);
    const bool is_sum = keeps_of(action.reduction) == Keeps::sum && !action.takes_rank_zero;
    if (!is_sum || !counted || !is_plain(plan_[rule.output])) return std::nullopt;
    const std::vector<FieldId>& optional = optional_behind_[rule.output.index];
    Found found{{action.reduction, {}, {}, {}, optional, {}, plan_[rule.output].needs}, rule.output};
    if (action.reduction == Reduction::mean) found.kind.counted = *counted;
    const Takers& first = takers_[rule.output.index];
    if (first.variables.empty() && first.rules.size() == 1) {
      const Rule& behind = plan_[first.rules[0]];
      const auto* scale = std::get_if<Scale>(&behind.action);
      if (scale == nullptr || first.is_static || !is_plain(plan_[behind.output])) return std::nullopt;
      found.value = behind.output;
      found.kind.multiply = bits(scale->multiply);
      found.kind.divide = bits(scale->divide);
    }
    const Takers& last = takers_[found.value.index];
    found.kind.windows = shared_windows(last.variables);
    const bool is_for_windows_alone = !last.is_static && last.rules.empty() && !found.kind.windows.empty();
    const bool is_needed_alike = plan_[found.value].needs == found.kind.needs;
    return is_for_windows_alone && is_needed_alike ? std::optional(std::move(found)) : std::nullopt;
  }

 private:
  static bool is_plain(const Value& value) { return !value.missing && !value.has_nameless_shape; }

  /// Of the values that reach a communication as columns; nullopt for others.
  std::optional<std::vector<DimensionId>> counted_dimensions(ValueId id, Reduction reduction) const {
    const Value& input = plan_[id];
    if (!is_plain(input)) return std::nullopt;
    if (input.form == Form::numbers) {
      if (input.type != ElementType::float64) return std::nullopt;
      return std::vector<DimensionId>{};
    }
    const auto* reduce =
        input.rule.is_valid() ? std::get_if<LocalReduce>(&plan_[input.rule].action) : nullptr;
    if (reduce == nullptr || keeps_of(reduce->reduction) != Keeps::sum || reduce->edges) return std::nullopt;
    if (reduce->reduction == Reduction::mean && reduction == Reduction::sum) return std::nullopt;
    const Value& reduced = reduce->computed ? reduce->computed->value : plan_[plan_[input.rule].inputs[0]];
    if (!is_plain(reduced)) return std::nullopt;
    std::vector<DimensionId> dimensions;
    for (const int axis : reduce->reduced_axes)
      dimensions.push_back(reduced.dimensions[static_cast<std::size_t>(axis)]);
    std::ranges::sort(dimensions);
    return dimensions;
  }

  /// The schedules of the variables, where all have windows that can be those of several values; else none.
  std::vector<ScheduleId> shared_windows(const std::vector<VariableId>& variables) const {
    std::set<ScheduleId> schedules;
    for (const VariableId id : variables) {
      const Variable& variable = plan_[id];
      const Schedule& schedule = plan_[variable.schedule];
      const bool can_share =
          variable.is_exact && schedule.is_plain() && schedule.manipulation->can_share_windows;
      if (!can_share || !schedules.insert(variable.schedule).second) return {};
    }
    return {schedules.begin(), schedules.end()};
  }

  const Plan& plan_;
  std::vector<Takers> takers_;
  std::vector<std::vector<FieldId>> optional_behind_;
};

Bundle::Member member_of(const Plan& plan, RuleId communication, ValueId value) {
  const Extents extents = plan.extents(value);
  const auto size = static_cast<std::size_t>(Region{{}, extents}.size());
  return {communication, plan[communication].inputs[0], value, extents, size};
}

}  // namespace

void arrange_bundles(Plan& plan) {
  const Finder finder(plan);
  for (std::size_t t = 0; t < plan.trees.size(); ++t) {
    std::map<Kind, std::vector<Bundle::Member>> kinds;
    for (const RuleId rule : plan.trees[t].communications) {
      if (const auto found = finder.kind_of(rule))
        kinds[found->kind].push_back(member_of(plan, rule, found->value));
    }
    std::vector<RuleId> ordered;
    for (auto& [kind, members] : kinds) {
      if (members.size() < 2) continue;
      plan.trees[t].bundles.push_back(plan.bundles.size());
      Bundle& bundle = plan.bundles.emplace_back(Bundle{t, ordered.size(), kind.reduction, {}, {}, {}});
      for (const std::uint64_t constant : kind.multiply)
        bundle.multiply.push_back(std::bit_cast<double>(constant));
      for (const std::uint64_t constant : kind.divide)
        bundle.divide.push_back(std::bit_cast<double>(constant));
      for (const Bundle::Member& member : members) {
        ordered.push_back(member.communication);
        plan.values[member.value.index].is_in_bundle = true;
      }
      bundle.members = std::move(members);
    }
    const std::set<RuleId> bundled(ordered.begin(), ordered.end());
    for (const RuleId rule : plan.trees[t].communications)
      if (!bundled.contains(rule)) ordered.push_back(rule);
    plan.trees[t].communications = std::move(ordered);
  }
}

}  // namespace pileus
