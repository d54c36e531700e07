#include "analytics/bound_rule.h"

#include <algorithm>

#include "analytics/operators/arithmetic.h"
#include "analytics/operators/localreduce.h"
#include "analytics/operators/reduce_tuples.h"
#include "analytics/sift.h"
#include "core/error.h"
#include "math/exact_factor.h"
#include "math/fp_environment.h"
#include "plan/held_regions.h"

namespace pileus {
namespace {

/// Partials are rounded where an equation consumes them.
Array numbers(const Sample& sample, std::optional<double> missing) {
  if (const auto* array = std::get_if<Array>(&sample)) return *array;
  return make_array(to_doubles(sample, missing), extents(sample));
}

/// Laid against a region of `result`, which is made of it and of others.
AlignedInput aligned(const Plan& plan, ValueId input, const Region& held, const Region& result_region,
                     const Value& result) {
  const Value& value = plan[input];
  AlignedInput aligned{{}, 0, Extents(result_region.count.size()), value.missing};
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

/// The inputs of an equation. They hold the step's arrays, and messages with these, during a run alone.
class BoundInputs {
 public:
  /// `result`: what is made of the inputs of the rule; `region`: the part of it that is made.
  BoundInputs(const RulePlace& place, std::vector<ValueId> inputs, const Value& result, const Region& region)
      : plan_(place.plan), inputs_(std::move(inputs)) {
    for (ValueId input : inputs_)
      aligned_.push_back(aligned(plan_, input, place.regions[input.index], region, result));
  }

  const std::vector<AlignedInput>& aligned_inputs() const { return aligned_; }

  /// Calls use() while the inputs have their arrays.
  template <class Use>
  Sample with(const StepValues& values, const Use& use) {
    const Release release{aligned_};
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      aligned_[i].array = numbers(values[inputs_[i].index], plan_[inputs_[i]].missing);
    return use();
  }

 private:
  struct Release {
    std::vector<AlignedInput>& inputs;
    ~Release() {
      for (AlignedInput& input : inputs) input.array = {};
    }
  };
  const Plan& plan_;
  std::vector<ValueId> inputs_;
  std::vector<AlignedInput> aligned_;
};

class BoundReduce : public BoundRule {
 public:
  BoundReduce(const LocalReduce& action, const Rule& rule, const RulePlace& place)
      : action_(action),
        input_(rule.inputs[0]),
        reduced_(action.computed ? action.computed->value : place.plan[input_]),
        held_(region_of_reduced(place.plan, rule, action, place.regions)),
        axes_(action.reduced_axes) {
    if (reduced_.has_nameless_shape) {
      axes_.clear();
      for (int d = 0; d < held_.rank(); ++d) axes_.push_back(d);
    }
    // The result is the whole domain's, or lies where what is reduced does.
    const Region& made = place.regions[rule.output.index];
    shape_ = {made.count, without_axes(held_, axes_).start};
    for (std::size_t d = 0; d < shape_.start.size(); ++d) shape_.start[d] -= made.start[d];
    if (action.edges) shape_.start.push_back(0);  // of the bins
    if (action.computed) {
      others_.emplace(place, rule.inputs, reduced_, held_);
    } else if (rule.inputs.size() > 1) {
      others_.emplace(place, std::vector<ValueId>(rule.inputs.begin() + 1, rule.inputs.end()), reduced_,
                      held_);
    }
  }

  Sample run(StepValues& values) override {
    if (!others_) {
      return local_reduce(std::get<Array>(values[input_.index]), action_.reduction, axes_, shape_,
                          reduced_.missing);
    }
    const std::vector<AlignedInput>& others = others_->aligned_inputs();
    return others_->with(values, [&]() -> Sample {
      if (action_.computed) {
        return local_reduce(action_.computed->program, others, held_.count, action_.reduction, axes_, shape_,
                            reduced_.missing);
      }
      return reduce_tuples(std::get<Array>(values[input_.index]), others,
                           TupleAction(action_.reduction, action_.edges), axes_, shape_, reduced_.missing);
    });
  }

 private:
  const LocalReduce& action_;
  ValueId input_;
  const Value& reduced_;
  Region held_;
  std::vector<int> axes_;
  ReducedShape shape_;
  std::optional<BoundInputs> others_;  ///< of an equation, or what a field is paired with and its weights
};

class BoundArithmetic : public BoundRule {
 public:
  BoundArithmetic(const Arithmetic& action, const Rule& rule, const RulePlace& place)
      : region_(place.regions[rule.output.index]),
        inputs_(place, rule.inputs, place.plan[rule.output], region_),
        evaluator_(action.program, inputs_.aligned_inputs(), true, &place.registers) {}

  Sample run(StepValues& values) override {
    return inputs_.with(values, [&] { return evaluate(evaluator_, region_.count); });
  }

 private:
  Region region_;
  BoundInputs inputs_;
  BlockEvaluator evaluator_;
};

class BoundApply : public BoundRule {
 public:
  BoundApply(const Apply& action, RuleId id, const RulePlace& place)
      : action_(action),
        plan_(place.plan),
        inputs_(place.plan[id].inputs),
        region_(place.regions[place.plan[id].output.index]),
        type_(place.plan[place.plan[id].output].type),
        found_(place.found),
        first_(found_.first_of(id)),
        id_(id),
        followed_(place.followed),
        moment_(place.moment) {
    for (ValueId input : inputs_) {
      const Region& region = place.regions[input.index];
      parts_.push_back({{}, nullptr, {region.start, region.count}});
    }
  }

  Sample run(StepValues& values) override {
    std::vector<Array> arrays;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      arrays.push_back(numbers(values[inputs_[i].index], plan_[inputs_[i]].missing));
      parts_[i].type = static_cast<operators::Type>(arrays.back().type);
      parts_[i].first = arrays.back().bytes.get();
    }
    const auto size = static_cast<std::size_t>(region_.size()) * size_bytes(type_);
    const auto bytes = std::make_shared<std::vector<std::byte>>(size);
    if (region_.size() > 0) {
      const FloatingPointEnvironment kept;  // an operator of a user's own may change the modes
      compute(arrays, {static_cast<operators::Type>(type_), bytes->data(), {region_.start, region_.count}});
    }
    return Array{type_, region_.count, std::shared_ptr<const std::byte>(bytes, bytes->data())};
  }

 private:
  void compute(const std::vector<Array>& arrays, const operators::ResultPart& result) {
    if (const auto& followed = action_.prepared->followed) {
      const auto known = followed_.known(id_, moment_, parts_);
      return followed->compute(known.get(), parts_, result);
    }
    if (!first_) return action_.prepared->compute(parts_, result);
    const operators::Shared& shared = *action_.prepared->shared;
    std::vector<Array> sources;
    for (const std::size_t input : shared.inputs) sources.push_back(arrays[input]);
    const auto what =
        found_.get(*first_, region_, sources, [&] { return shared.find(parts_, result.region); });
    shared.compute(what.get(), parts_, result);
  }

  const Apply& action_;
  const Plan& plan_;
  const std::vector<ValueId>& inputs_;
  Region region_;
  ElementType type_;
  FoundWork& found_;
  std::optional<RuleId> first_;  ///< whose work it shares
  RuleId id_;
  FollowedWork& followed_;
  const operators::Moment& moment_;
  std::vector<operators::Part> parts_;  ///< their bytes are of the last run
};

class BoundSift : public BoundRule {
 public:
  BoundSift(const SiftPart& action, const Rule& rule, const RulePlace& place)
      : action_(action),
        field_(rule.inputs[0]),
        missing_(place.plan[field_].missing),
        held_(place.regions[field_.index]),
        extents_(place.plan.extents(field_)),
        compared_(place, {rule.inputs.begin() + 1, rule.inputs.end()}, place.plan[field_], held_) {}

  Sample run(StepValues& values) override {
    return compared_.with(values, [&]() -> Sample {
      const std::vector<AlignedInput>& inputs = compared_.aligned_inputs();
      const AlignedInput* const compared = inputs.empty() ? nullptr : &inputs.front();
      return sift(*action_.pick,
                  {std::get<Array>(values[field_.index]), held_, extents_, action_.axes, missing_, compared});
    });
  }

 private:
  const SiftPart& action_;
  ValueId field_;
  std::optional<double> missing_;
  Region held_;
  Extents extents_;
  BoundInputs compared_;
};

class BoundScale : public BoundRule {
 public:
  BoundScale(const Scale& action, const Rule& rule, const RulePlace& place)
      : action_(action), input_(rule.inputs[0]), is_only_taker_(place.has_one_taker[input_.index]) {
    for (double factor : action.multiply) factor_.multiply(factor);
    for (double divisor : action.divide) factor_.divide(divisor);
  }

  Sample run(StepValues& values) override {
    PartialArray input = std::get<PartialArray>(values[input_.index]);
    if (is_only_taker_) values[input_.index] = Absent{};
    // Whoever shares them may still read them.
    auto scaled = is_sole_owner(input.values) ? std::const_pointer_cast<Partials>(input.values)
                                              : std::make_shared<Partials>(*input.values);
    if (scaled->factor().is_one() && !scaled->has_second_moments()) {
      scaled->set_factor(factor_);
    } else {
      for (double factor : action_.multiply) scaled->multiply(factor);
      for (double divisor : action_.divide) scaled->divide(divisor);
    }
    return PartialArray{input.extents, std::move(scaled)};
  }

 private:
  const Scale& action_;
  ValueId input_;
  bool is_only_taker_;
  ExactFactor factor_;  ///< all constants together
};

/// What the clock says is there before rules run.
class BoundCoordinates : public BoundRule {
 public:
  BoundCoordinates(const Rule& rule, const Plan& plan) {
    const std::vector<DimensionId>& dimensions = plan[rule.output].dimensions;
    if (dimensions.empty()) return;
    const PlannedDimension& dimension = plan[dimensions.front()];
    coordinates_ = make_array(dimension.coordinates, {dimension.size});
  }

  Sample run(StepValues&) override { return coordinates_; }

 private:
  Array coordinates_;
};

struct Bind {
  std::unique_ptr<BoundRule> operator()(const LocalReduce& action) const {
    return std::make_unique<BoundReduce>(action, rule, place);
  }
  std::unique_ptr<BoundRule> operator()(const Arithmetic& action) const {
    return std::make_unique<BoundArithmetic>(action, rule, place);
  }
  std::unique_ptr<BoundRule> operator()(const Apply& action) const {
    return std::make_unique<BoundApply>(action, id, place);
  }
  std::unique_ptr<BoundRule> operator()(const SiftPart& action) const {
    return std::make_unique<BoundSift>(action, rule, place);
  }
  std::unique_ptr<BoundRule> operator()(const Scale& action) const {
    return std::make_unique<BoundScale>(action, rule, place);
  }
  std::unique_ptr<BoundRule> operator()(const Given&) const {
    return std::make_unique<BoundCoordinates>(rule, place.plan);
  }
  std::unique_ptr<BoundRule> operator()(const Communicate&) const { return nullptr; }
  std::unique_ptr<BoundRule> operator()(const Broadcast&) const { return nullptr; }
  std::unique_ptr<BoundRule> operator()(const Regrid&) const { return nullptr; }
  std::unique_ptr<BoundRule> operator()(const Lag&) const { return nullptr; }

  RuleId id;
  const RulePlace& place;
  const Rule& rule = place.plan[id];
};

}  // namespace

std::unique_ptr<BoundRule> bind(RuleId rule, const RulePlace& place) {
  return std::visit(Bind{rule, place}, place.plan[rule].action);
}

}  // namespace pileus
