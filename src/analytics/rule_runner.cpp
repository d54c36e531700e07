#include "analytics/rule_runner.h"

#include <algorithm>
#include <map>
#include <new>

#include "analytics/operators/arithmetic.h"
#include "analytics/operators/localreduce.h"
#include "analytics/operators/reduce_pairs.h"
#include "analytics/operators/reductionlocation.h"
#include "core/error.h"
#include "core/error_text.h"
#include "core/log.h"
#include "math/fp_environment.h"

namespace pileus {
namespace {

/// Partials are rounded where an equation consumes them.
Array numbers(const Sample& sample, std::optional<double> missing) {
  if (const auto* array = std::get_if<Array>(&sample)) return *array;
  return make_array(to_doubles(sample, missing), extents(sample));
}

Region whole(const Plan& plan, const Value& value) {
  Region region;
  for (DimensionId dimension : value.dimensions) region.count.push_back(plan[dimension].size);
  region.start.resize(region.count.size(), 0);
  return region;
}

/// What a place holds of what a rule makes: as the Plan has it, but for shapes that only ranks know.
Region held_region(const Plan& plan, const Rule& rule, const Value& made,
                   const std::vector<Region>& regions) {
  if (made.has_nameless_shape) {
    for (ValueId input : rule.inputs) {
      if (plan[input].has_nameless_shape) return regions[input.index];
    }
  }
  return plan.held(made, regions);
}

/// What an operator says of the part of its result that follows from parts of its inputs.
Region made_region(const Plan& plan, const Rule& rule, const operators::Prepared& prepared,
                   const std::vector<Region>& regions) {
  if (!prepared.region) return held_region(plan, rule, plan[rule.output], regions);
  std::vector<operators::Region> inputs;
  for (ValueId input : rule.inputs)
    inputs.push_back({regions[input.index].start, regions[input.index].count});
  const operators::Region made = prepared.region(inputs);
  return {made.start, made.count};
}

AlignedInput aligned(const Plan& plan, ValueId input, const Region& held, const Region& result_region,
                     const Value& result, Array array) {
  const Value& value = plan[input];
  AlignedInput aligned{std::move(array), 0, std::vector<Index>(result_region.count.size(), 0), value.missing};
  if (value.has_nameless_shape) {
    if (held.count != result_region.count) {
      throw PluginError("\"" + value.name + "\" has the shape " + text(held) + " where others have " +
                        text(result_region));
    }
    Index stride = 1;
    for (std::size_t d = 0; d < result_region.count.size(); ++d) {
      aligned.strides[d] = stride;
      stride *= result_region.count[d];
    }
    return aligned;
  }
  Index stride = 1;
  for (std::size_t j = 0; j < value.dimensions.size(); ++j) {
    const auto found = std::ranges::find(result.dimensions, value.dimensions[j]);
    const auto d = static_cast<std::size_t>(found - result.dimensions.begin());
    const Index first = result_region.start[d] - held.start[j];
    if (first < 0 || first + result_region.count[d] > held.count[j]) {
      throw PluginError("\"" + value.name + "\" is not there for " + text(result_region) + ", only for " +
                        text(held));
    }
    aligned.strides[d] = stride;
    aligned.offset += first * stride;
    stride *= held.count[j];
  }
  return aligned;
}

/// What a place holds of that which a local reduction reduces.
Region region_of_reduced(const Plan& plan, const Rule& rule, const LocalReduce& reduce,
                         const std::vector<Region>& regions) {
  return reduce.computed ? held_region(plan, rule, reduce.computed->value, regions)
                         : regions[rule.inputs[0].index];
}

/// What is left of a region without some of its dimensions.
Region reduced_region(const Region& held, const std::vector<int>& axes) {
  Region left;
  for (std::size_t d = 0; d < held.count.size(); ++d) {
    if (std::ranges::count(axes, static_cast<int>(d)) > 0) continue;
    left.start.push_back(held.start[d]);
    left.count.push_back(held.count[d]);
  }
  return left;
}

/// Whether nobody shares them any more, and nobody's reading of them can come after this. The count alone is
/// read without order; to let go of a copy is ordered behind all who let go before.
bool is_alone_with(const std::shared_ptr<const Partials>& values) {
  if (values.use_count() != 1) return false;
  std::shared_ptr<const Partials>(values).reset();
  return true;
}

std::vector<bool> values_with_one_taker(const Plan& plan) {
  std::vector<std::size_t> takers(plan.values.size(), 0);
  for (const Rule& rule : plan.rules) {
    for (ValueId input : rule.inputs) ++takers[input.index];
  }
  for (const Variable& variable : plan.variables) takers[variable.value.index] += 2;
  std::vector<bool> has_one;
  for (const std::size_t count : takers) has_one.push_back(count == 1);
  return has_one;
}

}  // namespace

RuleRunner::RuleRunner(const Plan& plan, std::vector<Region> regions, Failed failed)
    : plan_(plan),
      regions_(std::move(regions)),
      report_(std::move(failed)),
      costs_(plan.rules.size()),
      has_one_taker_(values_with_one_taker(plan)) {}

void RuleRunner::run(RuleId id, StepValues& values) {
  const Rule& rule = plan_[id];
  const bool lacks_input =
      std::ranges::any_of(rule.inputs, [&](ValueId input) { return is_absent(values[input.index]); });
  Sample& output = values[rule.output.index];
  output = Absent{};
  if (lacks_input) return;
  const CostOfRun cost(costs_[id.index]);
  try {
    output = result(rule, values);
  } catch (const std::bad_alloc&) {
    // Not this rule alone: nothing can be trusted to go on.
    throw PluginError(rule.where.text() + ": " + rule.name + ": " + text_of_current_exception());
  } catch (...) {
    if (failed_.insert(id).second) {
      const std::string what =
          rule.where.text() + ": " + rule.name + " failed and gives no value: " + text_of_current_exception();
      report_ ? report_(what) : log::error(what);
    }
  }
}

Sample RuleRunner::result(const Rule& rule, StepValues& values) const {
  if (const auto* action = std::get_if<LocalReduce>(&rule.action)) return run(*action, rule, values);
  if (const auto* action = std::get_if<Arithmetic>(&rule.action)) return run(*action, rule, values);
  if (const auto* action = std::get_if<Apply>(&rule.action)) return run(*action, rule, values);
  if (const auto* action = std::get_if<Locate>(&rule.action)) return run(*action, rule, values);
  return run(std::get<Scale>(rule.action), rule, values);
}

Sample RuleRunner::run(const LocalReduce& action, const Rule& rule, const StepValues& values) const {
  const ValueId input = rule.inputs[0];
  const Value& reduced = action.computed ? action.computed->value : plan_[input];
  const Region held = region_of_reduced(plan_, rule, action, regions_);
  std::vector<int> axes = action.reduced_axes;
  if (reduced.has_nameless_shape) {
    axes.clear();
    for (int d = 0; d < held.rank(); ++d) axes.push_back(d);
  }
  // The result is the whole domain's, or lies where what is reduced does.
  const Region& made = regions_[rule.output.index];
  ReducedShape shape{made.count, reduced_region(held, axes).start};
  for (std::size_t d = 0; d < shape.start.size(); ++d) shape.start[d] -= made.start[d];
  const Reduction reduction = action.reduction;
  if (action.computed) {
    return local_reduce(action.computed->program, aligned_inputs(rule, reduced, held, values), held.count,
                        reduction, axes, shape, reduced.missing);
  }
  const auto& array = std::get<Array>(values[input.index]);
  if (rule.inputs.size() > 1) {
    const ValueId with = rule.inputs[1];
    const AlignedInput other = aligned(plan_, with, regions_[with.index], held, reduced,
                                       numbers(values[with.index], plan_[with].missing));
    return reduce_pairs(array, other, axes, shape, reduced.missing);
  }
  return local_reduce(array, reduction, axes, shape, reduced.missing);
}

std::vector<AlignedInput> RuleRunner::aligned_inputs(const Rule& rule, const Value& result,
                                                     const Region& region, const StepValues& values) const {
  std::vector<AlignedInput> inputs;
  for (ValueId input : rule.inputs) {
    inputs.push_back(aligned(plan_, input, regions_[input.index], region, result,
                             numbers(values[input.index], plan_[input].missing)));
  }
  return inputs;
}

Sample RuleRunner::run(const Arithmetic& action, const Rule& rule, const StepValues& values) const {
  const Region& region = regions_[rule.output.index];
  return evaluate(action.program, aligned_inputs(rule, plan_[rule.output], region, values), region.count);
}

Sample RuleRunner::run(const Apply& action, const Rule& rule, const StepValues& values) const {
  std::vector<Array> arrays;
  std::vector<operators::Part> inputs;
  for (ValueId input : rule.inputs) {
    arrays.push_back(numbers(values[input.index], plan_[input].missing));
    const Region& region = regions_[input.index];
    inputs.push_back({static_cast<operators::Type>(arrays.back().type),
                      arrays.back().bytes.get(),
                      {region.start, region.count}});
  }
  const Region& region = regions_[rule.output.index];
  const ElementType type = plan_[rule.output].type;
  const auto bytes =
      std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(region.size()) * size_bytes(type));
  if (region.size() > 0) {
    const FloatingPointEnvironment kept;  // an operator of a user's own may change the modes
    action.prepared->compute(
        inputs, {static_cast<operators::Type>(type), bytes->data(), {region.start, region.count}});
  }
  return Array{type, region.count, std::shared_ptr<const std::byte>(bytes, bytes->data())};
}

Sample RuleRunner::run(const Locate& action, const Rule& rule, const StepValues& values) const {
  const ValueId field = rule.inputs[0], value = rule.inputs[1];
  const Region& held = regions_[field.index];
  const Array numbers_of_value = numbers(values[value.index], plan_[value].missing);
  const AlignedInput reduced =
      aligned(plan_, value, regions_[value.index], held, plan_[field], numbers_of_value);
  return locate(std::get<Array>(values[field.index]), held, plan_.extents(field), action.axes, reduced,
                plan_[field].missing);
}

Sample RuleRunner::run(const Scale& action, const Rule& rule, StepValues& values) const {
  const ValueId id = rule.inputs[0];
  PartialArray input = std::get<PartialArray>(values[id.index]);
  if (has_one_taker_[id.index]) values[id.index] = Absent{};
  // Whoever shares them may still read them.
  auto scaled = is_alone_with(input.values) ? std::const_pointer_cast<Partials>(input.values)
                                            : std::make_shared<Partials>(*input.values);
  for (double factor : action.multiply) scaled->multiply(factor);
  for (double divisor : action.divide) scaled->divide(divisor);
  return PartialArray{input.extents, scaled};
}

std::vector<Region> regions_of_client(const Plan& plan, ClientRank client) {
  std::vector<Region> regions(plan.values.size());
  for (std::size_t v = 0; v < plan.values.size(); ++v) {
    const Value& value = plan.values[v];
    if (value.field.is_valid()) regions[v] = plan.regions[client][value.field.index];
  }
  for (const Rule& rule : plan.rules) {
    const Value& output = plan[rule.output];
    if (output.spread == Spread::rooted) continue;
    Region& region = regions[rule.output.index];
    const auto* applied = std::get_if<Apply>(&rule.action);
    region = applied ? made_region(plan, rule, *applied->prepared, regions)
                     : held_region(plan, rule, output, regions);
  }
  return regions;
}

std::vector<Region> regions_of_value(const Plan& plan, ValueId id) {
  const Value& value = plan[id];
  std::vector<Region> regions(plan.layout.clients);
  if (value.field.is_valid()) {
    for (ClientRank client = 0; client < plan.layout.clients; ++client)
      regions[client] = plan.regions[client][value.field.index];
    return regions;
  }
  const auto* applied = std::get_if<Apply>(&plan[value.rule].action);
  const bool says_itself = applied && applied->prepared->region;
  std::map<ValueId, std::vector<Region>> sources;
  const auto add = [&](ValueId source) {
    if (!sources.contains(source)) sources.emplace(source, regions_of_value(plan, source));
  };
  if (says_itself) std::ranges::for_each(plan[value.rule].inputs, add);
  for (const HeldPart& part : value.parts) {
    if (part.field.is_valid()) add(plan[part.field].value);
    if (part.made.is_valid()) add(part.made);
  }
  std::vector<Region> of_client(plan.values.size());
  for (ClientRank client = 0; client < plan.layout.clients; ++client) {
    for (const auto& [source, held] : sources) of_client[source.index] = held[client];
    regions[client] = says_itself ? made_region(plan, plan[value.rule], *applied->prepared, of_client)
                                  : plan.held(value, of_client);
  }
  return regions;
}

std::vector<Region> whole_regions(const Plan& plan) {
  std::vector<Region> regions(plan.values.size());
  for (std::size_t v = 0; v < plan.values.size(); ++v) {
    if (!plan.values[v].has_nameless_shape) regions[v] = whole(plan, plan.values[v]);
  }
  return regions;
}

}  // namespace pileus
