#include "analytics/rule_runner.h"

#include <gtest/gtest.h>

#include <string>

#include "analytics/testing/handmade_plan.h"
#include "core/log.h"

namespace pileus {
namespace {

using testing::Equation;
using testing::HandmadePlan;
using testing::numbers_of;
using testing::partial_of;
using Values = std::vector<double>;

const Program kSumOfTwo = Equation::of_two(Operation::add);

/// One sum of them.
std::shared_ptr<Partials> sums(const Values& values) {
  const Partial partial = partial_of(Reduction::sum, values);
  return std::make_shared<Partials>(Reduction::sum, std::span(&partial, 1));
}

/// Runs the rule for `output` where `client` is, on a copy of `values`.
Sample result_of(const HandmadePlan& hand, ClientRank client, ValueId output, StepValues values) {
  RuleRunner runner(hand.plan, regions_of_client(hand.plan, client));
  runner.run(hand.rule_of(output), values);
  return values[output.index];
}

TEST(RuleRunner, reduces_a_part_to_where_it_lies_in_the_whole) {
  // Rank 1 holds x 2 to 3 of 4 and z 1 to 2 of 4.
  HandmadePlan hand(2);
  const DimensionId x = hand.dimension("x", 4), z = hand.dimension("z", 4);
  const ValueId field = hand.field(hand.group("g"), "f", Spread::distributed, {x, z});
  hand.hold(1, field, {{2, 1}, {2, 2}});
  const ValueId profile = hand.reduced(field, Reduction::sum, {0});
  const ValueId total = hand.reduced(field, Reduction::sum, {0, 1});
  StepValues values(hand.plan.values.size());
  values[field.index] = make_array({1, 2, 3, 4}, {2, 2});

  EXPECT_EQ(numbers_of(result_of(hand, 1, profile, values)), (Values{0, 3, 7, 0}));
  EXPECT_EQ(numbers_of(result_of(hand, 1, total, values)), Values{10});
}

TEST(RuleRunner, lays_a_whole_value_against_a_part) {
  // f over (x, z) in parts, the reference profile over z whole on every rank: rank 1's levels are 1 and 2.
  HandmadePlan hand(2);
  const DimensionId x = hand.dimension("x", 4), z = hand.dimension("z", 4);
  const GroupId group = hand.group("g");
  const ValueId field = hand.field(group, "f", Spread::distributed, {x, z});
  const ValueId reference = hand.field(group, "reference", Spread::same, {z});
  hand.hold(1, field, {{2, 1}, {2, 2}});
  const ValueId deviation =
      hand.computed(Equation::of_two(Operation::subtract), {field, reference}, Spread::distributed, {x, z});
  StepValues values(hand.plan.values.size());
  values[field.index] = make_array({11, 12, 23, 24}, {2, 2});
  values[reference.index] = make_array({0, 10, 20, 30}, {4});

  const Sample result = result_of(hand, 1, deviation, values);

  EXPECT_EQ(numbers_of(result), (Values{1, 2, 3, 4}));
  EXPECT_EQ(extents(result), (std::vector<Index>{2, 2}));
  EXPECT_EQ(regions_of_client(hand.plan, 1)[deviation.index], (Region{{2, 1}, {2, 2}}));
}

TEST(RuleRunner, joins_dimensions_of_its_inputs) {
  // u over x and v over y, in parts: their sum over (x, y) is there for x 1 to 2 and y 3.
  HandmadePlan hand;
  const DimensionId x = hand.dimension("x", 4), y = hand.dimension("y", 5);
  const GroupId group = hand.group("g");
  const ValueId u = hand.field(group, "u", Spread::distributed, {x});
  const ValueId v = hand.field(group, "v", Spread::distributed, {y});
  hand.hold(0, u, {{1}, {2}});
  hand.hold(0, v, {{3}, {1}});
  const ValueId sum = hand.computed(kSumOfTwo, {u, v}, Spread::distributed, {x, y});
  StepValues values(hand.plan.values.size());
  values[u.index] = make_array({1, 2}, {2});
  values[v.index] = make_array({10}, {1});

  EXPECT_EQ(numbers_of(result_of(hand, 0, sum, values)), (Values{11, 12}));
  EXPECT_EQ(regions_of_client(hand.plan, 0)[sum.index], (Region{{1, 3}, {2, 1}}));
}

TEST(RuleRunner, rounds_partials_where_an_equation_consumes_them) {
  HandmadePlan hand;
  const DimensionId x = hand.dimension("x", 3);
  const ValueId field = hand.field(hand.group("g"), "f", Spread::own, {x});
  const ValueId mean = hand.reduced(field, Reduction::mean, {0});
  const ValueId sum = hand.computed(kSumOfTwo, {mean, mean}, Spread::own, {});
  StepValues values(hand.plan.values.size());
  values[field.index] = make_array({1, 1, 0}, {3});
  RuleRunner runner(hand.plan, regions_of_client(hand.plan, 0));

  runner.run(hand.rule_of(mean), values);
  runner.run(hand.rule_of(sum), values);

  EXPECT_TRUE(std::holds_alternative<PartialArray>(values[mean.index]));
  EXPECT_EQ(numbers_of(values[sum.index]), Values{2.0 / 3 + 2.0 / 3});
}

TEST(RuleRunner, runs_with_the_inputs_of_each_step_and_keeps_none) {
  // A constant and two equations of one place, which compute in the same memory one after the other.
  HandmadePlan hand;
  const DimensionId x = hand.dimension("x", 2);
  const GroupId group = hand.group("g");
  const ValueId a = hand.field(group, "a", Spread::own, {x}), b = hand.field(group, "b", Spread::own, {x});
  Equation plus_ten, times_three;
  const std::uint32_t of_a = plus_ten.input(0), ten = plus_ten.constant(10);
  plus_ten.apply(Operation::add, of_a, ten);
  const std::uint32_t of_b = times_three.input(0), three = times_three.constant(3);
  times_three.apply(Operation::multiply, of_b, three);
  const ValueId sum = hand.computed(plus_ten.program(), {a}, Spread::own, {x});
  const ValueId product = hand.computed(times_three.program(), {b}, Spread::own, {x});
  RuleRunner runner(hand.plan, regions_of_client(hand.plan, 0));
  runner.bind({hand.rule_of(sum), hand.rule_of(product)});
  std::weak_ptr<const std::byte> bytes;

  for (double step = 1; step < 4; ++step) {
    StepValues values(hand.plan.values.size());
    values[a.index] = make_array({step, 2 * step}, {2});
    values[b.index] = make_array({step, 7}, {2});
    bytes = std::get<Array>(values[a.index]).bytes;
    runner.run(hand.rule_of(sum), values);
    runner.run(hand.rule_of(product), values);

    EXPECT_EQ(numbers_of(values[sum.index]), (Values{step + 10, 2 * step + 10}));
    EXPECT_EQ(numbers_of(values[product.index]), (Values{3 * step, 21}));
    values.clear();
    EXPECT_TRUE(bytes.expired());
  }
}

TEST(RuleRunner, scales_partials_without_rounding) {
  // 10 / 3 * 3 is 10 and the Partial still one that merges; the input stays as it was.
  HandmadePlan hand;
  const ValueId field = hand.field(hand.group("g"), "f", Spread::own);
  const ValueId sum = hand.reduced(field, Reduction::sum, {});
  const ValueId scaled = hand.scaled(sum, {3}, {3, 4});
  StepValues values(hand.plan.values.size());
  const auto partials = sums({10});
  values[sum.index] = PartialArray{{}, partials};

  const Sample result = result_of(hand, 0, scaled, values);

  EXPECT_TRUE(std::holds_alternative<PartialArray>(result));
  EXPECT_EQ(numbers_of(result), Values{2.5});
  EXPECT_EQ((*partials)[0].value(), 10);
}

TEST(RuleRunner, scales_partials_where_they_lie_if_nothing_else_needs_them) {
  HandmadePlan hand;
  const ValueId field = hand.field(hand.group("g"), "f", Spread::own);
  const ValueId sum = hand.reduced(field, Reduction::sum, {});
  const ValueId half = hand.scaled(sum, {}, {2});
  StepValues values(hand.plan.values.size());
  auto partials = sums({10});
  const Partials* const place = partials.get();
  values[sum.index] = PartialArray{{}, std::move(partials)};
  RuleRunner runner(hand.plan, regions_of_client(hand.plan, 0));

  runner.run(hand.rule_of(half), values);

  EXPECT_EQ(numbers_of(values[half.index]), Values{5});
  EXPECT_EQ(std::get<PartialArray>(values[half.index]).values.get(), place);
}

TEST(RuleRunner, leaves_partials_as_they_are_that_another_rule_or_a_variable_needs) {
  enum class Taker { rule, variable, static_variable };
  for (const Taker taker : {Taker::rule, Taker::variable, Taker::static_variable}) {
    HandmadePlan hand;
    const ValueId field = hand.field(hand.group("g"), "f", Spread::own);
    const ValueId sum = hand.reduced(field, Reduction::sum, {});
    const ValueId half = hand.scaled(sum, {}, {2});
    switch (taker) {
      case Taker::rule: hand.scaled(sum, {}, {4}); break;
      case Taker::variable: hand.plan.variables.emplace_back().value = sum; break;
      case Taker::static_variable: hand.plan.statics.emplace_back().value = sum; break;
    }
    StepValues values(hand.plan.values.size());
    values[sum.index] = PartialArray{{}, sums({10})};
    RuleRunner runner(hand.plan, regions_of_client(hand.plan, 0));

    runner.run(hand.rule_of(half), values);

    EXPECT_EQ(numbers_of(values[half.index]), Values{5});
    EXPECT_EQ(numbers_of(values[sum.index]), Values{10});
  }
}

TEST(RuleRunner, gives_nothing_where_an_input_is_absent) {
  HandmadePlan hand;
  const GroupId group = hand.group("g");
  const ValueId a = hand.field(group, "a", Spread::own), b = hand.field(group, "b", Spread::own);
  const ValueId sum = hand.computed(kSumOfTwo, {a, b}, Spread::own, {});
  StepValues values(hand.plan.values.size());
  values[a.index] = make_array({1}, {});
  values[sum.index] = make_array({99}, {});  // of an earlier step, say

  EXPECT_TRUE(is_absent(result_of(hand, 0, sum, values)));
}

TEST(RuleRunner, reports_a_rule_that_fails_once_and_goes_on) {
  // The inputs hold different parts of x, so that the sum is nowhere complete.
  HandmadePlan hand;
  const DimensionId x = hand.dimension("x", 4);
  const GroupId group = hand.group("g");
  const ValueId a = hand.field(group, "a", Spread::distributed, {x});
  const ValueId b = hand.field(group, "b", Spread::distributed, {x});
  hand.hold(0, a, {{0}, {2}});
  hand.hold(0, b, {{1}, {2}});
  const ValueId sum = hand.computed(kSumOfTwo, {a, b}, Spread::distributed, {x});
  StepValues values(hand.plan.values.size());
  values[a.index] = make_array({1, 2}, {2});
  values[b.index] = make_array({1, 2}, {2});
  values[sum.index] = make_array({99}, {});
  RuleRunner runner(hand.plan, regions_of_client(hand.plan, 0));

  ::testing::internal::CaptureStderr();
  for (int step = 0; step < 3; ++step) runner.run(hand.rule_of(sum), values);
  log::flush();
  const std::string said = ::testing::internal::GetCapturedStderr();

  EXPECT_TRUE(is_absent(values[sum.index]));
  const std::size_t report = said.find("\"b\" is not there for [0:2], only for [1:3]");
  EXPECT_NE(report, std::string::npos) << said;
  EXPECT_EQ(said.find("is not there", report + 20), std::string::npos) << said;
}

TEST(RuleRunner, makes_a_reduction_of_partials_absent_instead_of_ending_the_run) {
  HandmadePlan hand;
  const DimensionId x = hand.dimension("x", 2);
  const ValueId field = hand.field(hand.group("g"), "f", Spread::own, {x});
  const ValueId sum = hand.reduced(field, Reduction::sum, {0});
  StepValues values(hand.plan.values.size());
  values[field.index] = PartialArray{{2}, std::make_shared<Partials>(Reduction::sum, 2)};

  EXPECT_TRUE(is_absent(result_of(hand, 0, sum, values)));
}

// ---- Shapes that only their rank knows ----

class NamelessShapes : public ::testing::Test {
 protected:
  NamelessShapes() {
    const GroupId group = hand_.group("g");
    a_ = nameless_field(group, "a", {3, 2});
    b_ = nameless_field(group, "b", {3, 2});
    other_ = nameless_field(group, "other", {2, 3});
    sum_ = hand_.computed(kSumOfTwo, {a_, b_}, Spread::own, {});
    mixed_ = hand_.computed(kSumOfTwo, {a_, other_}, Spread::own, {});
    hand_.plan.values[sum_.index].has_nameless_shape = true;
    hand_.plan.values[mixed_.index].has_nameless_shape = true;
    total_ = hand_.reduced(a_, Reduction::sum, {});
    values_.resize(hand_.plan.values.size());
    values_[a_.index] = make_array({1, 2, 3, 4, 5, 6}, {3, 2});
    values_[b_.index] = make_array({10, 20, 30, 40, 50, 60}, {3, 2});
    values_[other_.index] = make_array({1, 2, 3, 4, 5, 6}, {2, 3});
  }
  ValueId nameless_field(GroupId group, const std::string& name, const std::vector<Index>& extents) {
    const ValueId field = hand_.field(group, name, Spread::own);
    hand_.plan.values[field.index].has_nameless_shape = true;
    hand_.hold(0, field, {std::vector<Index>(extents.size(), 0), extents});
    return field;
  }

  HandmadePlan hand_;
  ValueId a_, b_, other_, sum_, mixed_, total_;
  StepValues values_;
};

TEST_F(NamelessShapes, are_computed_element_by_element) {
  EXPECT_EQ(numbers_of(result_of(hand_, 0, sum_, values_)), (Values{11, 22, 33, 44, 55, 66}));
}

TEST_F(NamelessShapes, are_reduced_over_all_of_their_axes) {
  EXPECT_EQ(numbers_of(result_of(hand_, 0, total_, values_)), Values{21});
}

TEST_F(NamelessShapes, that_differ_give_no_result) {
  EXPECT_TRUE(is_absent(result_of(hand_, 0, mixed_, values_)));
}

TEST(WholeRegions, cover_every_value_with_a_known_shape) {
  HandmadePlan hand(2);
  const DimensionId x = hand.dimension("x", 4);
  const GroupId group = hand.group("g");
  const ValueId field = hand.field(group, "f", Spread::distributed, {x});
  const ValueId scalar = hand.field(group, "s", Spread::same);
  const ValueId nameless = hand.field(group, "n", Spread::own);
  hand.plan.values[nameless.index].has_nameless_shape = true;

  const std::vector<Region> regions = whole_regions(hand.plan);

  EXPECT_EQ(regions[field.index], (Region{{0}, {4}}));
  EXPECT_EQ(regions[scalar.index], Region{});
  EXPECT_EQ(regions[nameless.index], Region{});
}

/// An operator that counts how often it searches: the result is the input plus what it found there.
Apply counted(int& searches) {
  auto prepared = std::make_shared<operators::Prepared>();
  operators::Shared shared{"first element", {1}, 8, {}, {}};
  shared.find = [&searches](const std::vector<operators::Part>& inputs, const operators::Region&) {
    ++searches;
    return std::make_shared<const double>(inputs[1].number(0));
  };
  shared.compute = [](const void* found, const std::vector<operators::Part>& inputs,
                      const operators::ResultPart& result) {
    for (operators::Index i = 0; i < result.region.size(); ++i)
      result.as<double>()[static_cast<std::size_t>(i)] =
          inputs[0].number(i) + *static_cast<const double*>(found);
  };
  prepared->shared = std::move(shared);
  prepared->compute = [](const std::vector<operators::Part>&, const operators::ResultPart&) {
    throw std::runtime_error("nothing is shared");
  };
  return {std::move(prepared), "counted"};
}

TEST(RuleRunner, finds_once_what_several_rules_take) {
  HandmadePlan hand(1);
  const DimensionId x = hand.dimension("x", 2);
  const GroupId group = hand.group("g");
  const ValueId a = hand.field(group, "a", Spread::distributed, {x});
  const ValueId b = hand.field(group, "b", Spread::distributed, {x});
  const ValueId of = hand.field(group, "of", Spread::distributed, {x});
  const ValueId other = hand.field(group, "other", Spread::distributed, {x});
  int searches = 0;
  const auto apply = [&](ValueId field, ValueId place) {
    const ValueId made = hand.computed(kSumOfTwo, {field, place}, Spread::distributed, {x});
    hand.plan.rules[hand.rule_of(made).index].action = counted(searches);
    return made;
  };
  const ValueId of_a = apply(a, of), of_b = apply(b, of), from_other = apply(a, other),
                again = apply(b, other);
  RuleRunner runner(hand.plan, regions_of_client(hand.plan, 0));
  StepValues values(hand.plan.values.size());
  values[a.index] = make_array({1, 2}, {2});
  values[b.index] = make_array({3, 4}, {2});
  values[of.index] = make_array({10, 0}, {2});
  values[other.index] = make_array({100, 0}, {2});

  for (const ValueId made : {of_a, of_b, from_other, again}) runner.run(hand.rule_of(made), values);

  EXPECT_EQ(searches, 2);
  EXPECT_EQ(numbers_of(values[of_a.index]), (Values{11, 12}));
  EXPECT_EQ(numbers_of(values[of_b.index]), (Values{13, 14}));
  EXPECT_EQ(numbers_of(values[from_other.index]), (Values{101, 102}));
  EXPECT_EQ(numbers_of(values[again.index]), (Values{103, 104}));

  // The values of another step are not taken for these.
  values[of.index] = make_array({20, 0}, {2});
  runner.run(hand.rule_of(of_b), values);
  EXPECT_EQ(searches, 3);
  EXPECT_EQ(numbers_of(values[of_b.index]), (Values{23, 24}));

  const auto kept = std::get<Array>(values[of.index]).bytes;
  values[of.index] = Absent{};
  EXPECT_GT(kept.use_count(), 1);
  runner.forget_found();
  EXPECT_EQ(kept.use_count(), 1);
}

}  // namespace
}  // namespace pileus
