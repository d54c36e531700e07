// Sweeps give what the rules give one by one, bit for bit, whatever the numbers and whichever rules a step
// wants; and they leave to the rules what they cannot do.

#include "analytics/local_sweeps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "analytics/step_flow.h"
#include "analytics/testing/handmade_plan.h"
#include "loops/sum_kernel.h"
#include "loops/testing/random_values.h"
#include "step/testing/facts_of_steps.h"

namespace pileus {
namespace {

using pileus::testing::below;
using pileus::testing::Equation;
using pileus::testing::HandmadePlan;
using pileus::testing::numbers_of;
using pileus::testing::Random;
using Values = std::vector<double>;

std::vector<std::byte> bytes_of(const Sample& sample) {
  std::vector<std::byte> bytes;
  if (is_absent(sample)) return bytes;
  const auto& array = std::get<PartialArray>(sample);
  for (const Index extent : array.extents) bytes.push_back(static_cast<std::byte>(extent));
  for (const Partial& partial : array.values->each()) partial.encode(bytes);
  return bytes;
}

Program random_equation(Random& random, std::size_t inputs) {
  Equation equation;
  std::vector<std::uint32_t> made;
  for (std::size_t i = 0; i < inputs; ++i) made.push_back(equation.input(static_cast<std::uint32_t>(i)));
  if (below(random, 4) == 0) made.push_back(equation.constant(pileus::testing::around_one(random, 20)));
  for (std::size_t steps = 1 + below(random, 4); steps > 0; --steps) {
    const Operation operations[] = {Operation::multiply, Operation::multiply, Operation::add,
                                    Operation::subtract};
    const std::uint32_t a = made[below(random, made.size())], b = made[below(random, made.size())];
    made.push_back(below(random, 9) == 0 ? equation.negate(a)
                                         : equation.apply(operations[below(random, 4)], a, b));
  }
  return equation.program();
}

/// Fields over one to three dimensions, equations of them, and reductions of all these over some of them.
struct RandomPlan {
  explicit RandomPlan(Random& random) {
    const GroupId group = hand.group("g");
    const Index sizes[] = {1, 2, 3, 7, 8, 9, 16, 33, 60};
    std::vector<DimensionId> dimensions;
    for (std::size_t d = 1 + below(random, 3); d > 0; --d)
      dimensions.push_back(hand.dimension("d" + std::to_string(d), sizes[below(random, std::size(sizes))]));
    for (std::size_t f = 1 + below(random, 4); f > 0; --f)
      numbers.push_back(hand.field(group, "f" + std::to_string(f), Spread::distributed, dimensions));
    fields = numbers;
    for (const ValueId field : fields)
      if (below(random, 3) == 0) hand.plan.values[field.index].type = ElementType::float32;
    if (below(random, 4) == 0) hand.plan.values[fields.back().index].missing = 1.0;
    for (std::size_t e = below(random, 6); e > 0; --e) {
      std::vector<ValueId> inputs = {numbers[below(random, numbers.size())],
                                     numbers[below(random, numbers.size())]};
      numbers.push_back(hand.computed(random_equation(random, 2), inputs, Spread::distributed, dimensions));
      Value& made = hand.plan.values[numbers.back().index];
      for (const ValueId input : inputs)
        if (hand.plan[input].missing) made.missing = 0x1.ep+122;
    }
    const Reduction kinds[] = {Reduction::sum,        Reduction::mean,
                               Reduction::min,        Reduction::max,
                               Reduction::variance,   Reduction::standard_deviation,
                               Reduction::covariance, Reduction::root_mean_square,
                               Reduction::count};
    for (std::size_t r = 3 + below(random, 15); r > 0; --r) {
      std::vector<int> axes;
      for (int d = 0; d < static_cast<int>(dimensions.size()); ++d)
        if (below(random, 3) > 0) axes.push_back(d);
      const ValueId input = numbers[below(random, numbers.size())];
      const Reduction kind = kinds[below(random, std::size(kinds))];
      results.push_back(hand.reduced(input, kind, axes));
      if (kind == Reduction::covariance) {
        hand.plan.rules[hand.rule_of(results.back()).index].inputs.push_back(
            numbers[below(random, numbers.size())]);
      } else if (below(random, 2) == 0) {
        compute_on_the_way(random, results.back());
      }
    }
    for (std::size_t r = 0; r < hand.plan.rules.size(); ++r) rules.emplace_back(r);
    size =
        hand.plan.extents(fields.front()).empty() ? 1 : Region{{}, hand.plan.extents(fields.front())}.size();
  }

  /// Makes the equation a part of the reduction: of the same input, twice.
  void compute_on_the_way(Random& random, ValueId result) {
    Rule& rule = hand.plan.rules[hand.rule_of(result).index];
    rule.inputs.push_back(fields[below(random, fields.size())]);
    const bool may_lack = hand.plan[rule.inputs[0]].missing || hand.plan[rule.inputs[1]].missing;
    Computed computed{random_equation(random, 2), hand.plan[rule.inputs[0]]};
    computed.value.field = {};
    computed.value.type = ElementType::float64;
    computed.value.parts = {};
    for (std::size_t d = 0; d < computed.value.dimensions.size(); ++d)
      computed.value.parts.push_back({hand.field_of(fields.front()), {}, static_cast<int>(d)});
    computed.value.missing = may_lack ? std::optional(0x1.ep+122) : std::nullopt;
    std::get<LocalReduce>(rule.action).computed = std::move(computed);
  }

  StepValues step(Random& random) const {
    StepValues values(hand.plan.values.size());
    const int exponent = below(random, 3) == 0 ? static_cast<int>(below(random, 600)) - 300 : 0;
    for (const ValueId field : fields) {
      if (below(random, 12) == 0) continue;
      if (hand.plan[field].type == ElementType::float32) {
        values[field.index] = floats(random, exponent / 10, hand.plan.extents(field));
        continue;
      }
      Values numbers = pileus::testing::hard_values(random, static_cast<std::size_t>(size));
      if (below(random, 4) > 0)
        for (double& x : numbers) x = std::ldexp(pileus::testing::around_one(random, 6), exponent);
      if (below(random, 3) == 0) numbers[below(random, numbers.size())] = -0.0;
      values[field.index] = make_array(std::move(numbers), hand.plan.extents(field));
    }
    return values;
  }

  Array floats(Random& random, int exponent, const Extents& extents) const {
    auto numbers = std::make_shared<std::vector<float>>(
        pileus::testing::hard_floats(random, static_cast<std::size_t>(size)));
    if (below(random, 4) > 0)
      for (float& x : *numbers)
        x = static_cast<float>(std::ldexp(pileus::testing::around_one(random, 6), exponent));
    if (below(random, 3) == 0) (*numbers)[below(random, numbers->size())] = -0.0F;
    const auto* bytes = reinterpret_cast<const std::byte*>(numbers->data());
    return {ElementType::float32, extents, std::shared_ptr<const std::byte>(numbers, bytes)};
  }

  HandmadePlan hand;
  std::vector<ValueId> fields, numbers, results;
  std::vector<RuleId> rules;
  Index size = 0;
};

class EverySweep : public ::testing::TestWithParam<const detail::SumKernel*> {
 protected:
  void SetUp() override {
    if (!is_usable(*GetParam())) GTEST_SKIP() << GetParam()->name << " is not for this processor";
    use_sum_kernel(*GetParam());
  }
  void TearDown() override { use_sum_kernel(before_); }
  const detail::SumKernel& before_ = detail::sum_kernel();
};

TEST_P(EverySweep, gives_what_the_rules_give_one_by_one) {
  std::size_t swept = 0, compared = 0;
  for (std::uint64_t seed = 0; seed < 250; ++seed) {
    Random random(seed);
    const RandomPlan plan(random);
    RuleRunner runner(plan.hand.plan, regions_of_client(plan.hand.plan, 0));
    LocalSweeps sweeps(plan.hand.plan, plan.rules, runner);
    for (int step = 0; step < 3; ++step) {
      StepValues values = plan.step(random), expected = values;
      for (const RuleId rule : plan.rules) runner.run(rule, expected);
      for (std::size_t s = 0; s < sweeps.size(); ++s) {
        std::vector<RuleId> wanted;
        for (const RuleId rule : plan.rules)
          if (sweeps.sweep_of(rule) == s && below(random, 4) > 0) wanted.push_back(rule);
        sweeps.run(s, wanted, values);
        for (const RuleId rule : wanted) {
          const ValueId output = plan.hand.plan[rule].output;
          ASSERT_TRUE(bytes_of(values[output.index]) == bytes_of(expected[output.index]))
              << "seed " << seed << ", step " << step << ", " << plan.hand.plan[output].name;
          ++compared;
          swept += is_absent(values[output.index]) ? 0 : 1;
        }
      }
    }
  }
  EXPECT_GT(swept, 1000U);
  EXPECT_LT(swept, compared);
}

INSTANTIATE_TEST_SUITE_P(Sets, EverySweep, ::testing::ValuesIn(detail::sum_kernels()),
                         [](const auto& tested) { return std::string(tested.param->name); });

/// The sum and the largest of f, and the sum of f * g, whose product nobody else takes.
class LocalSweepsTest : public ::testing::Test {
 protected:
  LocalSweepsTest() {
    const DimensionId x = hand_.dimension("x", 3);
    const GroupId group = hand_.group("g");
    f_ = hand_.field(group, "f", Spread::distributed, {x});
    g_ = hand_.field(group, "g", Spread::distributed, {x});
    product_ = hand_.computed(Equation::of_two(Operation::multiply), {f_, g_}, Spread::distributed, {x});
    sum_ = hand_.reduced(f_, Reduction::sum, {0});
    largest_ = hand_.reduced(f_, Reduction::max, {0});
    flux_ = hand_.reduced(product_, Reduction::sum, {0});
    for (std::size_t r = 0; r < hand_.plan.rules.size(); ++r) rules_.emplace_back(r);
  }

  /// At step `step`, which counts for what is wanted.
  StepFlow flow(RuleRunner& runner, LocalSweeps& sweeps, std::int64_t step, StepMemory memory = {}) {
    if (!facts_) facts_.emplace(hand_.plan);
    const SharedFacts facts = facts_->of({step, static_cast<double>(step), 1});
    return {hand_.plan, runner, *facts->kind, facts->kind->of(0).rules, &sweeps, std::move(memory)};
  }
  RuleRunner runner() const { return {hand_.plan, regions_of_client(hand_.plan, 0)}; }
  static Array three(double a, double b, double c) { return make_array({a, b, c}, {3}); }

  HandmadePlan hand_;
  ValueId f_, g_, product_, sum_, largest_, flux_;
  std::vector<RuleId> rules_;
  std::optional<pileus::testing::FactsOfSteps> facts_;
};

TEST_F(LocalSweepsTest, a_step_in_the_memory_of_another_has_none_of_its_values) {
  RuleRunner runner = this->runner();
  LocalSweeps sweeps(hand_.plan, rules_, runner);
  StepFlow first = flow(runner, sweeps, 0);
  first.settle(f_, three(1, 2, 3));
  first.settle(g_, three(10, 20, 30));
  first.run_rules();
  ASSERT_TRUE(first.is_settled(sum_));
  const Sample* const place = first.values().data();

  StepFlow second = flow(runner, sweeps, 1, std::move(first).give_up());

  EXPECT_EQ(second.values().data(), place) << "nothing was asked for anew";
  for (std::size_t v = 0; v < hand_.plan.values.size(); ++v) {
    EXPECT_FALSE(second.is_settled(ValueId(v))) << v;
    EXPECT_TRUE(is_absent(second.values()[v])) << v;
  }
  EXPECT_FALSE(second.is_through());
  second.settle(f_, three(4, 5, 6));
  second.settle(g_, Absent{});
  second.run_rules();
  EXPECT_EQ(numbers_of(second.values()[sum_.index]), std::vector<double>{15});
  EXPECT_TRUE(is_absent(second.values()[flux_.index]));
  EXPECT_TRUE(second.is_through());
}

TEST_F(LocalSweepsTest, computes_what_only_sweeps_take_on_the_way) {
  RuleRunner runner = this->runner();
  LocalSweeps sweeps(hand_.plan, rules_, runner);
  StepFlow flow = this->flow(runner, sweeps, 0);

  flow.settle(f_, three(1, 2, 3));
  flow.settle(g_, three(10, 20, 30));
  flow.run_rules();

  EXPECT_TRUE(flow.is_through());
  EXPECT_EQ(numbers_of(flow.values()[sum_.index]), Values{6});
  EXPECT_EQ(numbers_of(flow.values()[largest_.index]), Values{3});
  EXPECT_EQ(numbers_of(flow.values()[flux_.index]), Values{140});  // 10 + 40 + 90
  EXPECT_TRUE(is_absent(flow.values()[product_.index]));
  EXPECT_EQ(runner.costs()[hand_.rule_of(flux_).index].runs, 1U);
  EXPECT_EQ(runner.costs()[hand_.rule_of(product_).index].runs, 1U);
}

TEST_F(LocalSweepsTest, leaves_numbers_that_a_file_takes_to_their_rule) {
  hand_.plan.variables.emplace_back().value = product_;
  RuleRunner runner = this->runner();
  LocalSweeps sweeps(hand_.plan, rules_, runner);
  StepFlow flow = this->flow(runner, sweeps, 0);

  flow.settle(f_, three(1, 2, 3));
  flow.settle(g_, three(10, 20, 30));
  flow.run_rules();

  EXPECT_EQ(numbers_of(flow.values()[product_.index]), (Values{10, 40, 90}));
  EXPECT_EQ(numbers_of(flow.values()[flux_.index]), Values{140});
}

TEST_F(LocalSweepsTest, widens_floats_before_it_multiplies_them) {
  hand_.plan.values[f_.index].type = ElementType::float32;
  static const float numbers[] = {0x1.000002p0F, 2, -3};
  const auto* bytes = reinterpret_cast<const std::byte*>(numbers);
  const Array floats{ElementType::float32, {3}, std::shared_ptr<const std::byte>(bytes, [](const auto*) {})};
  RuleRunner runner = this->runner();
  LocalSweeps sweeps(hand_.plan, rules_, runner);
  StepFlow flow = this->flow(runner, sweeps, 0);

  flow.settle(f_, floats);
  flow.settle(g_, three(0x1.000002p0, 20, 30));
  flow.run_rules();

  EXPECT_TRUE(sweeps.sweep_of(hand_.rule_of(sum_)));
  EXPECT_TRUE(sweeps.sweep_of(hand_.rule_of(flux_)));
  EXPECT_TRUE(sweeps.is_within_sweeps(hand_.rule_of(product_)));
  EXPECT_EQ(numbers_of(flow.values()[sum_.index]), Values{0x1p-23});  // 1 + 2^-23 + 2 - 3
  EXPECT_EQ(numbers_of(flow.values()[largest_.index]), Values{2});
  // 1 + 2^-22 + 2^-46, more than a float holds, + 40 - 90
  EXPECT_EQ(numbers_of(flow.values()[flux_.index]), Values{-49 + 0x1p-22 + 0x1p-46});
}

TEST_F(LocalSweepsTest, takes_second_moments_of_fields_that_it_reads_anyway) {
  const ValueId variance = hand_.reduced(f_, Reduction::variance, {0});
  const ValueId covariance = hand_.reduced(g_, Reduction::covariance, {0});
  hand_.plan.rules[hand_.rule_of(covariance).index].inputs.push_back(f_);
  for (const ValueId value : {variance, covariance}) rules_.push_back(hand_.rule_of(value));
  RuleRunner runner = this->runner();
  LocalSweeps sweeps(hand_.plan, rules_, runner);
  StepFlow flow = this->flow(runner, sweeps, 0);

  flow.settle(f_, three(1, 2, 4));
  flow.settle(g_, three(10, 20, 60));
  flow.run_rules();

  EXPECT_TRUE(sweeps.sweep_of(hand_.rule_of(variance)));
  EXPECT_TRUE(sweeps.sweep_of(hand_.rule_of(covariance)));
  EXPECT_EQ(numbers_of(flow.values()[variance.index]), Values{14 / 9.});     // 21 / 3 - (7 / 3)^2
  EXPECT_EQ(numbers_of(flow.values()[covariance.index]), Values{240 / 9.});  // 290 / 3 - 7 / 3 * 30
  EXPECT_EQ(numbers_of(flow.values()[flux_.index]), Values{290});
}

TEST_F(LocalSweepsTest, leaves_sums_and_moments_of_a_field_to_their_rules_where_nothing_else_needs_it) {
  const DimensionId x = hand_.plan[f_].dimensions[0];
  const ValueId h = hand_.field(GroupId(0), "h", Spread::distributed, {x});
  const ValueId mean = hand_.reduced(h, Reduction::mean, {0});
  const ValueId variance = hand_.reduced(h, Reduction::variance, {0});
  for (const ValueId value : {mean, variance}) rules_.push_back(hand_.rule_of(value));
  RuleRunner runner = this->runner();

  const LocalSweeps without(hand_.plan, rules_, runner);
  const ValueId least = hand_.reduced(h, Reduction::min, {0});
  rules_.push_back(hand_.rule_of(least));
  RuleRunner another = this->runner();
  const LocalSweeps with(hand_.plan, rules_, another);

  EXPECT_TRUE(without.sweep_of(hand_.rule_of(sum_)));
  for (const ValueId value : {mean, variance}) {
    EXPECT_FALSE(without.sweep_of(hand_.rule_of(value)));
    EXPECT_TRUE(with.sweep_of(hand_.rule_of(value)));
  }
}

TEST_F(LocalSweepsTest, leaves_products_of_sums_to_their_rules) {
  const DimensionId x = hand_.plan[f_].dimensions[0];
  const ValueId both = hand_.computed(Equation::of_two(Operation::add), {f_, g_}, Spread::distributed, {x});
  const ValueId square =
      hand_.computed(Equation::of_two(Operation::multiply), {both, f_}, Spread::distributed, {x});
  const ValueId of_both = hand_.reduced(both, Reduction::sum, {0});
  const ValueId of_square = hand_.reduced(square, Reduction::sum, {0});
  rules_.clear();
  for (std::size_t r = 0; r < hand_.plan.rules.size(); ++r) rules_.emplace_back(r);
  RuleRunner runner = this->runner();
  LocalSweeps sweeps(hand_.plan, rules_, runner);
  StepFlow flow = this->flow(runner, sweeps, 0);

  flow.settle(f_, three(1, 2, 3));
  flow.settle(g_, three(10, 20, 30));
  flow.run_rules();

  EXPECT_TRUE(sweeps.sweep_of(hand_.rule_of(of_both)));
  EXPECT_FALSE(sweeps.sweep_of(hand_.rule_of(of_square)));
  EXPECT_TRUE(flow.is_through());
  EXPECT_EQ(numbers_of(flow.values()[of_both.index]), Values{66});
  EXPECT_EQ(numbers_of(flow.values()[of_square.index]), Values{154});  // 11 + 44 + 99
}

TEST_F(LocalSweepsTest, waits_for_the_fields_of_what_the_step_wants_alone) {
  // The flux is wanted at every second step: in step 1 nobody waits for g.
  hand_.wanted_at({g_, product_, flux_}, hand_.need(2, 0));
  RuleRunner runner = this->runner();
  LocalSweeps sweeps(hand_.plan, rules_, runner);
  StepFlow first = flow(runner, sweeps, 1), second = flow(runner, sweeps, 2);

  first.settle(f_, three(1, 2, 3));
  first.run_rules();
  second.settle(f_, three(1, 2, 3));
  second.run_rules();

  EXPECT_TRUE(first.is_through());
  EXPECT_EQ(numbers_of(first.values()[sum_.index]), Values{6});
  EXPECT_FALSE(first.is_settled(flux_));
  EXPECT_FALSE(second.is_through());
  second.settle(g_, three(1, 1, 1));
  second.run_rules();
  EXPECT_TRUE(second.is_through());
  EXPECT_EQ(numbers_of(second.values()[flux_.index]), Values{6});
}

TEST_F(LocalSweepsTest, is_absent_where_a_field_is) {
  RuleRunner runner = this->runner();
  LocalSweeps sweeps(hand_.plan, rules_, runner);
  StepFlow flow = this->flow(runner, sweeps, 0);

  flow.settle(f_, three(1, 2, 3));
  flow.settle(g_, Absent{});
  flow.run_rules();

  EXPECT_TRUE(flow.is_through());
  EXPECT_EQ(numbers_of(flow.values()[sum_.index]), Values{6});
  EXPECT_TRUE(flow.is_settled(flux_));
  EXPECT_TRUE(is_absent(flow.values()[flux_.index]));
}

TEST_F(LocalSweepsTest, takes_no_rule_that_waits_for_another_or_may_lack_values) {
  hand_.plan.values[g_.index].missing = -1.0;
  hand_.plan.values[product_.index].missing = -1.0;
  rules_.push_back(hand_.rule_of(hand_.reduced(f_, Reduction::min, {0})));
  const ValueId mean = hand_.sent_to_all(hand_.reduced_to(0, sum_, Reduction::sum));
  rules_.push_back(hand_.rule_of(hand_.reduced(mean, Reduction::sum, {})));
  RuleRunner runner = this->runner();
  const LocalSweeps sweeps(hand_.plan, rules_, runner);

  EXPECT_TRUE(sweeps.sweep_of(hand_.rule_of(sum_)));
  EXPECT_TRUE(sweeps.sweep_of(hand_.rule_of(largest_)));
  EXPECT_FALSE(sweeps.sweep_of(hand_.rule_of(flux_)));
  EXPECT_FALSE(sweeps.is_within_sweeps(hand_.rule_of(product_)));
  EXPECT_FALSE(sweeps.sweep_of(rules_.back()));
}

}  // namespace
}  // namespace pileus
