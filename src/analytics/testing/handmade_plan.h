#pragma once
// Plans made by hand, so that the tests of this room do not hang on how Plans are made.

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "math/partial.h"
#include "math/sample.h"
#include "plan/plan.h"

namespace pileus::testing {

/// Need 0 is met at every step. Fields are whole on every model rank until hold() says otherwise.
class HandmadePlan {
 public:
  explicit HandmadePlan(ClientRank clients = 1, ServerRank servers = 1) {
    plan.layout = {clients, servers};
    plan.regions = RankRegions(clients);
    plan.needs.push_back({1, 0});
  }

  DimensionId dimension(const std::string& name, Index size) {
    plan.dimensions.push_back({name, size, {}, ""});
    return DimensionId(plan.dimensions.size() - 1);
  }
  std::uint32_t need(std::int64_t cadence, double frequency_s) {
    plan.needs.push_back({cadence, frequency_s});
    return static_cast<std::uint32_t>(plan.needs.size() - 1);
  }
  GroupId group(const std::string& name, std::int64_t frequency = 1) {
    plan.groups.push_back({name, frequency, {}});
    return GroupId(plan.groups.size() - 1);
  }

  ValueId field(GroupId group, const std::string& name, Spread spread,
                std::vector<DimensionId> dimensions = {}) {
    const FieldId id(plan.fields.size());
    const ValueId value = add_value(name, spread, std::move(dimensions));
    plan.values[value.index].field = id;
    plan.fields.push_back({name, group, ElementType::float64, value, false, spread != Spread::same});
    plan.groups[group.index].fields.push_back(id);
    const std::vector<Index> whole = plan.extents(value);
    const Region region{std::vector<Index>(whole.size(), 0), whole};
    plan.regions.add(std::make_shared<const RankColumn>(std::vector<Region>(plan.regions.size(), region)));
    return value;
  }
  void hold(ClientRank client, ValueId field, const Region& region) {
    plan.regions.set(client, plan[field].field.index, region);
  }
  FieldId field_of(ValueId value) const { return plan[value].field; }

  ValueId reduced(ValueId input, Reduction reduction, std::vector<int> axes) {
    std::vector<DimensionId> kept;
    for (std::size_t d = 0; d < plan[input].dimensions.size(); ++d) {
      bool is_kept = true;
      for (int axis : axes) is_kept = is_kept && axis != static_cast<int>(d);
      if (is_kept) kept.push_back(plan[input].dimensions[d]);
    }
    return result({input}, Spread::own, std::move(kept), Form::partials,
                  LocalReduce{reduction, std::move(axes)});
  }
  ValueId computed(Program program, std::vector<ValueId> inputs, Spread spread,
                   std::vector<DimensionId> dimensions) {
    return result(std::move(inputs), spread, std::move(dimensions), Form::numbers,
                  Arithmetic{std::move(program)});
  }
  ValueId scaled(ValueId input, std::vector<double> multiply, std::vector<double> divide) {
    return result({input}, plan[input].spread, plan[input].dimensions, Form::partials,
                  Scale{std::move(multiply), std::move(divide)});
  }
  /// The result of a reduction to `root`; without a reduction, rank 0's value.
  ValueId communicated(ValueId input, ServerRank root, Communicate action) {
    const Form form = action.takes_rank_zero ? Form::numbers : Form::partials;
    const ValueId output = result({input}, Spread::rooted, plan[input].dimensions, form, action);
    plan.values[output.index].root = root;
    return output;
  }
  ValueId reduced_to(ServerRank root, ValueId input, Reduction reduction) {
    return communicated(input, root, {reduction, false});
  }
  ValueId taken_to(ServerRank root, ValueId input) {
    return communicated(input, root, {Reduction::sum, true});
  }

  /// A rooted value on all servers, by a distribution of its own.
  ValueId sent_to_all(ValueId input, bool is_everywhere = true) {
    const ValueId output =
        result({input}, Spread::same, plan[input].dimensions, plan[input].form, Broadcast{});
    plan.values[output.index].is_everywhere = is_everywhere;
    plan.distributions.push_back({plan[input].root, 1, {plan[output].rule}});
    return output;
  }

  /// One tree for the communications with these results.
  std::size_t tree(ServerRank root, const std::vector<ValueId>& results) {
    Tree& tree = plan.trees.emplace_back();
    tree.root = root;
    for (ValueId value : results) tree.communications.push_back(plan[value].rule);
    return plan.trees.size() - 1;
  }
  void wanted_at(std::vector<ValueId> values, std::uint32_t need) {
    for (ValueId value : values) plan.values[value.index].needs = {need};
  }
  RuleId rule_of(ValueId value) const { return plan[value].rule; }

  Plan plan;

 private:
  ValueId add_value(const std::string& name, Spread spread, std::vector<DimensionId> dimensions) {
    Value& value = plan.values.emplace_back();
    value.name = name;
    value.spread = spread;
    value.dimensions = std::move(dimensions);
    value.needs = {0};
    return ValueId(plan.values.size() - 1);
  }
  /// Of the first input that is not whole, dimension by dimension.
  std::vector<HeldPart> parts_of(const std::vector<ValueId>& inputs, const Value& output) const {
    std::vector<HeldPart> parts(output.dimensions.size());
    for (std::size_t d = 0; d < parts.size(); ++d) {
      for (auto input = inputs.rbegin(); input != inputs.rend(); ++input) {
        const Value& value = plan[*input];
        const auto found = std::ranges::find(value.dimensions, output.dimensions[d]);
        if (found == value.dimensions.end() || value.spread != Spread::distributed) continue;
        const auto axis = static_cast<std::size_t>(found - value.dimensions.begin());
        parts[d] =
            value.field.is_valid() ? HeldPart{value.field, {}, static_cast<int>(axis)} : value.parts[axis];
      }
    }
    return output.spread == Spread::distributed ? parts : std::vector<HeldPart>(parts.size());
  }
  template <class Action>
  ValueId result(std::vector<ValueId> inputs, Spread spread, std::vector<DimensionId> dimensions, Form form,
                 Action action) {
    const std::string name = "result " + std::to_string(plan.rules.size());
    const ValueId output = add_value(name, spread, std::move(dimensions));
    plan.values[output.index].parts = parts_of(inputs, plan.values[output.index]);
    plan.values[output.index].form = form;
    plan.values[output.index].rule = RuleId(plan.rules.size());
    plan.rules.push_back({name, {}, std::move(inputs), output, std::move(action)});
    return output;
  }
};

/// Puts a Program together: eq.add(eq.input(0), eq.constant(1)).
class Equation {
 public:
  std::uint32_t input(std::uint32_t i) { return push({Operation::input, 0, i, 0}); }
  std::uint32_t constant(double value) { return push({Operation::constant, value, 0, 0}); }
  std::uint32_t negate(std::uint32_t a) { return push({Operation::negate, 0, a, 0}); }
  std::uint32_t apply(Operation operation, std::uint32_t a, std::uint32_t b) {
    return push({operation, 0, a, b});
  }
  const Program& program() const { return program_; }

  /// input 0 operation input 1
  static Program of_two(Operation operation) {
    Equation equation;
    const std::uint32_t a = equation.input(0), b = equation.input(1);
    equation.apply(operation, a, b);
    return equation.program();
  }

 private:
  std::uint32_t push(Instruction instruction) {
    program_.instructions.push_back(instruction);
    return static_cast<std::uint32_t>(program_.instructions.size() - 1);
  }
  Program program_;
};

inline Partial partial_of(Reduction reduction, const std::vector<double>& values) {
  Partial partial(reduction);
  partial.add(std::span<const double>(values));
  return partial;
}

/// A sample's numbers, Partials rounded; {-999} where it is absent.
inline std::vector<double> numbers_of(const Sample& sample) {
  return is_absent(sample) ? std::vector<double>{-999} : to_doubles(sample);
}

}  // namespace pileus::testing
