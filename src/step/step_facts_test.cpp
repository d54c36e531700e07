#include "step/step_facts.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "step/testing/facts_of_steps.h"
#include "time/manipulations/list.h"

namespace pileus {
namespace {

using testing::FactsOfSteps;

/// Field "f" is distributed and "clock" is the same on all ranks. The sums of f are reduced to server 0 at
/// every second step, and half of each sum goes to all ranks. The clock is wanted at instants of 7 s.
class StepFactsTest : public ::testing::Test {
 protected:
  StepFactsTest() {
    plan_.layout = {3, 2};
    plan_.needs = {{2, {}}, {1, 7.0}};
    plan_.groups.push_back({"g", 1, {FieldId(0)}});
    plan_.groups.push_back({"h", 1, {FieldId(1)}});
    f_ = value("f", Spread::distributed, 0);
    clock_ = value("clock", Spread::same, 1);
    plan_.fields.push_back({"f", GroupId(0), ElementType::float64, f_, false, true});
    plan_.fields.push_back({"clock", GroupId(1), ElementType::float64, clock_, false, false});
    local_ = made("local", Spread::own, {f_}, LocalReduce{Reduction::sum, {}});
    total_ = made("total", Spread::rooted, {local_}, Communicate{Reduction::sum, false});
    half_ = made("half", Spread::rooted, {total_}, Arithmetic{});
    everywhere_ = made("everywhere", Spread::same, {half_}, Broadcast{});
    plan_.values[everywhere_.index].is_everywhere = true;
    plan_.trees.push_back({0, 0, false, {plan_[total_].rule}});
    plan_.distributions.push_back({0, 1, {plan_[everywhere_].rule}});
    plan_.files.emplace_back().name = "m.nc";
    plan_.files[0].write_frequency = 100;
    plan_.schedules.push_back({FileId(0), manipulations::averaged(), 10, 2, "means"});
    plan_.schedules.push_back({FileId(0), manipulations::instantaneous(), 7, 1, "instants"});
  }

  ValueId value(const std::string& name, Spread spread, std::uint32_t need) {
    Value& value = plan_.values.emplace_back();
    value.name = name;
    value.spread = spread;
    value.needs = {need};
    return ValueId(plan_.values.size() - 1);
  }
  template <class Action>
  ValueId made(const std::string& name, Spread spread, std::vector<ValueId> inputs, Action action) {
    const ValueId output = value(name, spread, 0);
    Rule& rule = plan_.rules.emplace_back();
    rule.inputs = std::move(inputs);
    rule.output = output;
    rule.action = std::move(action);
    plan_.values[output.index].rule = RuleId(plan_.rules.size() - 1);
    return output;
  }
  /// Steps of 1 s that begin at 0.
  static Step step(std::int64_t index) { return {index, static_cast<double>(index), 1}; }

  Plan plan_;
  ValueId f_, clock_, local_, total_, half_, everywhere_;
};

TEST_F(StepFactsTest, say_what_rank_0_hands_over_and_what_the_others_do) {
  FactsOfSteps facts(plan_);
  for (std::int64_t i = 1; i < 14; ++i) facts.of(step(i));

  const SharedFacts both = facts.of(step(14));

  EXPECT_EQ(both->kind->of(0).groups, (std::vector{GroupId(0), GroupId(1)}));
  EXPECT_EQ(both->kind->of(1).groups, std::vector{GroupId(0)});
  EXPECT_EQ(both->kind->of(2).groups, std::vector{GroupId(0)});
  EXPECT_EQ(both->kind->fields, (std::vector{f_, clock_}));
  EXPECT_TRUE(facts.of(step(15))->kind->of(0).groups.empty());
}

TEST_F(StepFactsTest, say_what_runs_where_and_what_travels) {
  FactsOfSteps zero(plan_, 0), one(plan_, 1);

  const StepKind here = *zero.of(step(2))->kind, elsewhere = *one.of(step(2))->kind;

  EXPECT_EQ(here.of(1).rules, std::vector{plan_[local_].rule});
  EXPECT_EQ(here.of(1).trees, std::vector<std::size_t>{0});
  EXPECT_EQ(here.of(1).broadcasts, std::vector{everywhere_});
  EXPECT_EQ(here.root_trees, std::vector<std::size_t>{0});
  EXPECT_EQ(here.root_rules, std::vector{plan_[half_].rule});
  EXPECT_EQ(here.distributions, std::vector<std::size_t>{0});
  EXPECT_EQ(elsewhere.has_tree, std::vector{true});
  EXPECT_TRUE(elsewhere.root_trees.empty());
  EXPECT_TRUE(elsewhere.root_rules.empty());
  EXPECT_TRUE(elsewhere.distributions.empty());
}

TEST_F(StepFactsTest, name_only_rank_0_for_a_tree_that_takes_its_value) {
  plan_.trees[0].takes_rank_zero = true;
  FactsOfSteps facts(plan_);

  const SharedFacts second = facts.of(step(2));

  EXPECT_EQ(second->kind->of(0).trees, std::vector<std::size_t>{0});
  EXPECT_TRUE(second->kind->of(1).trees.empty());
}

TEST_F(StepFactsTest, have_nothing_where_nothing_is_wanted) {
  FactsOfSteps facts(plan_);

  const StepKind& first = *facts.of(step(1))->kind;

  EXPECT_TRUE(first.of(0).groups.empty());
  EXPECT_TRUE(first.of(1).rules.empty());
  EXPECT_TRUE(first.of(1).broadcasts.empty());
  EXPECT_EQ(first.has_tree, std::vector{false});
  EXPECT_TRUE(first.fields.empty());
}

TEST_F(StepFactsTest, share_one_kind_among_steps_that_meet_the_same_needs) {
  FactsOfSteps facts(plan_);

  EXPECT_EQ(facts.of(step(2))->kind, facts.of(step(4))->kind);
  EXPECT_NE(facts.of(step(4))->kind, facts.of(step(5))->kind);
}

/// There are more kinds than are kept.
TEST_F(StepFactsTest, are_right_whatever_number_of_kinds_there_is) {
  plan_.needs.clear();
  for (std::int64_t cadence : {2, 3, 4, 5, 7, 9, 11, 13, 17, 19, 23, 29})
    plan_.needs.push_back({cadence, {}});
  plan_.rules.clear();
  plan_.trees.clear();
  plan_.distributions.clear();
  plan_.values.resize(2);
  for (std::uint32_t need = 0; need < plan_.needs.size(); ++need) value("v", Spread::distributed, need);
  StepFactsMaker maker(plan_, 0);

  for (std::int64_t i = 1; i < 20'000; ++i) {
    const SharedFacts facts = maker.advance(step(i), 0);
    for (std::size_t need = 0; need < plan_.needs.size(); ++need)
      ASSERT_EQ(facts->kind->is_wanted[2 + need], plan_.needs[need].cadence.takes(facts->step)) << i;
  }
}

TEST_F(StepFactsTest, have_the_actions_of_each_schedule_alone_whatever_steps_come) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    StepFactsMaker maker(plan_, 0);
    std::vector<ScheduleCursor> alone;
    for (std::uint32_t s = 0; s < 2; ++s) alone.push_back(make_cursor(plan_, ScheduleId(s), 0.5));
    double time = 0.5;
    const auto expect_equal = [&](const ScheduleActions& together, std::uint32_t s,
                                  const std::vector<SampleAction>& single) {
      const auto actions = together.of(ScheduleId(s));
      EXPECT_EQ(std::vector<SampleAction>(actions.begin(), actions.end()), single) << "seed " << seed;
      EXPECT_EQ(together.ends_record(ScheduleId(s)), std::ranges::any_of(single, &SampleAction::ends_record));
    };
    for (std::int64_t i = 1; i <= 60; ++i) {
      const double length = 0.25 * static_cast<double>(1 + random() % 60);
      time += length;
      const SharedFacts facts = maker.advance({i, time, length}, 0.5);
      for (std::uint32_t s = 0; s < 2; ++s)
        expect_equal(facts->actions, s, alone[s].advance({i, time, length}));
    }
    const auto last = maker.finish();
    for (std::uint32_t s = 0; s < 2; ++s) expect_equal(*last, s, alone[s].finish());
  }
}

TEST_F(StepFactsTest, of_a_run_without_steps_end_nothing) {
  StepFactsMaker maker(plan_, 0);

  const auto last = maker.finish();

  EXPECT_TRUE(last->of(ScheduleId(0)).empty());
  EXPECT_TRUE(last->of(ScheduleId(1)).empty());
}

}  // namespace
}  // namespace pileus
