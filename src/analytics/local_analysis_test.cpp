#include "analytics/local_analysis.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "analytics/testing/handmade_plan.h"
#include "core/error.h"
#include "step/testing/facts_of_steps.h"

namespace pileus {
namespace {

using testing::Equation;
using testing::FactsOfSteps;
using testing::HandmadePlan;
using testing::numbers_of;
using Values = std::vector<double>;

/// Two groups: "every" at each step and "second" at each second one, with a sum over both of their fields.
/// What one tree carries up: the total of f, the total of f + g, and the clock, which is the same everywhere.
class LocalAnalysisTest : public ::testing::Test, protected StepResults {
 protected:
  enum Communication : std::size_t { kTotal, kBoth, kClock };

  LocalAnalysisTest() {
    const DimensionId x = hand_.dimension("x", 4);
    every_ = hand_.group("every");
    second_ = hand_.group("second", 2);
    f_ = hand_.field(every_, "f", Spread::distributed, {x});
    clock_ = hand_.field(every_, "clock", Spread::same);
    g_ = hand_.field(second_, "g", Spread::distributed, {x});
    for (ValueId field : {f_, g_}) {
      hand_.hold(0, field, {{0}, {3}});
      hand_.hold(1, field, {{3}, {1}});
    }
    total_ = hand_.reduced(f_, Reduction::sum, {0});
    sum_ = hand_.computed(Equation::of_two(Operation::add), {f_, g_}, Spread::distributed, {x});
    both_ = hand_.reduced(sum_, Reduction::sum, {0});
    const ValueId root_total = hand_.reduced_to(0, total_, Reduction::sum);
    const ValueId root_both = hand_.reduced_to(0, both_, Reduction::sum);
    const ValueId root_clock = hand_.taken_to(0, clock_);
    tree_ = hand_.tree(0, {root_total, root_both, root_clock});
    // Otherwise only the sum over both would need it.
    hand_.plan.variables.emplace_back().value = sum_;
    hand_.wanted_at({g_, sum_, both_, root_both}, hand_.need(2, 0));
  }

  LocalAnalysis analysis_of(ClientRank client) { return LocalAnalysis(hand_.plan, client, *this); }
  void deal(GroupId, const Step&, PointSamples) override {}
  void regrid(std::size_t, const Step&, RegridSamples) override {}
  void contribute(std::size_t tree, const Step& step, std::unique_ptr<TreeValues> values) override {
    EXPECT_EQ(tree, tree_);
    EXPECT_TRUE(contributed_.emplace(step.index, std::move(values)).second);
  }
  void step_done(const StepFacts& facts, const StepValues& values) override {
    start_time_s_ = facts.start_time_s;
    EXPECT_TRUE(done_.emplace(facts.step.index, values).second);
  }
  /// Steps of 1 s from 0.
  Parcel parcel(GroupId group, std::int64_t step, std::vector<std::pair<ValueId, Sample>> values) const {
    Parcel parcel{group, {step, static_cast<double>(step), 1}, 0, {}};
    for (auto& [value, sample] : values) parcel.fields.emplace_back(hand_.field_of(value), std::move(sample));
    return parcel;
  }
  Parcel every(std::int64_t step, Values f = {1, 2, 3}) const {
    const auto size = static_cast<Index>(f.size());
    return parcel(every_, step, {{f_, make_array(std::move(f), {size})}, {clock_, make_array({0.5}, {})}});
  }
  Parcel second(std::int64_t step, Values g = {10, 20, 30}) const {
    const auto size = static_cast<Index>(g.size());
    return parcel(second_, step, {{g_, make_array(std::move(g), {size})}});
  }
  /// As a server does it, once its clock has come to the step.
  void take(LocalAnalysis& analysis, Parcel parcel) {
    parcel.facts = facts_.of(parcel.step, parcel.start_time_s);
    analysis.take(std::move(parcel));
  }
  /// The text of the TransportError that the parcel brings.
  std::string refusal(LocalAnalysis& analysis, Parcel parcel) {
    try {
      take(analysis, std::move(parcel));
    } catch (const TransportError& error) {
      return error.what();
    }
    return "none";
  }
  Values contributed(std::int64_t step, std::size_t communication) {
    return numbers_of(contributed_.at(step)->value(communication));
  }

  HandmadePlan hand_{2};
  FactsOfSteps facts_{hand_.plan};
  GroupId every_, second_;
  ValueId f_, g_, clock_, total_, sum_, both_;
  std::size_t tree_ = 0;
  std::map<std::int64_t, std::unique_ptr<TreeValues>> contributed_;
  std::map<std::int64_t, StepValues> done_;
  double start_time_s_ = -1;
};

constexpr double kAbsent = -999;  // what numbers_of gives

TEST_F(LocalAnalysisTest, completes_a_step_with_the_last_of_the_parcels_that_are_due) {
  LocalAnalysis analysis = analysis_of(0);

  take(analysis, every(1));  // "second" is not due at step 1
  EXPECT_EQ(analysis.last_complete_step(), 1);
  EXPECT_FALSE(analysis.has_open_step());

  take(analysis, every(2));
  EXPECT_EQ(analysis.last_complete_step(), 1);
  EXPECT_TRUE(analysis.has_open_step());
  EXPECT_FALSE(done_.contains(2));
  EXPECT_FALSE(contributed_.contains(2));

  take(analysis, second(2));
  EXPECT_EQ(analysis.last_complete_step(), 2);
  EXPECT_TRUE(done_.contains(2));
}

TEST_F(LocalAnalysisTest, contributes_and_hands_on_what_its_rules_make) {
  LocalAnalysis analysis = analysis_of(0);

  take(analysis, every(2));
  take(analysis, second(2));

  EXPECT_EQ(contributed(2, kTotal), Values{6});
  EXPECT_EQ(contributed(2, kBoth), Values{66});  // 6 + 60
  EXPECT_EQ(contributed(2, kClock), Values{0.5});
  EXPECT_EQ(numbers_of(done_.at(2)[f_.index]), (Values{1, 2, 3}));
  EXPECT_EQ(numbers_of(done_.at(2)[sum_.index]), (Values{11, 22, 33}));
}

TEST_F(LocalAnalysisTest, takes_the_groups_of_a_step_in_any_order) {
  LocalAnalysis analysis = analysis_of(0);

  take(analysis, second(2));
  take(analysis, every(2));

  EXPECT_EQ(contributed(2, kBoth), Values{66});
}

TEST_F(LocalAnalysisTest, leaves_out_what_is_not_wanted_at_the_step) {
  LocalAnalysis analysis = analysis_of(0);

  take(analysis, every(1));

  EXPECT_EQ(contributed(1, kTotal), Values{6});
  EXPECT_EQ(contributed(1, kBoth), Values{kAbsent});
  EXPECT_EQ(numbers_of(done_.at(1)[sum_.index]), Values{kAbsent});
}

TEST_F(LocalAnalysisTest, of_another_rank_than_0_says_nothing_of_what_is_the_same_everywhere) {
  LocalAnalysis zero = analysis_of(0);
  LocalAnalysis one = analysis_of(1);
  take(zero, every(1));
  const auto of_zero = std::move(contributed_.at(1));
  contributed_.clear();
  done_.clear();

  take(one, parcel(every_, 1, {{f_, make_array({4}, {1})}}));
  const auto of_one = std::move(contributed_.at(1));
  of_one->merge(*of_zero);

  EXPECT_EQ(numbers_of(of_one->value(kTotal)), Values{10});
  EXPECT_EQ(numbers_of(of_one->value(kClock)), Values{0.5});  // rank 1 has not made it absent
}

TEST_F(LocalAnalysisTest, of_another_rank_than_0_stays_out_of_trees_that_take_rank_0s_values) {
  hand_.plan.trees[tree_].takes_rank_zero = true;
  LocalAnalysis zero = analysis_of(0), one = analysis_of(1);

  take(one, parcel(every_, 1, {{f_, make_array({4}, {1})}}));
  EXPECT_FALSE(contributed_.contains(1));
  done_.clear();
  take(zero, every(1));
  EXPECT_TRUE(contributed_.contains(1));
}

TEST_F(LocalAnalysisTest, makes_absent_what_hangs_on_a_field_that_was_not_put) {
  LocalAnalysis analysis = analysis_of(0);

  take(analysis, every(2));
  take(analysis, parcel(second_, 2, {{g_, Absent{}}}));

  EXPECT_EQ(contributed(2, kTotal), Values{6});
  EXPECT_EQ(contributed(2, kBoth), Values{kAbsent});
  EXPECT_EQ(numbers_of(done_.at(2)[sum_.index]), Values{kAbsent});
}

TEST_F(LocalAnalysisTest, makes_absent_what_hangs_on_a_field_that_a_parcel_does_not_name) {
  LocalAnalysis analysis = analysis_of(0);

  take(analysis, every(2));
  take(analysis, parcel(second_, 2, {}));

  EXPECT_EQ(contributed(2, kBoth), Values{kAbsent});
  EXPECT_EQ(analysis.last_complete_step(), 2);
}

TEST_F(LocalAnalysisTest, an_absent_contribution_makes_the_result_of_all_ranks_absent) {
  LocalAnalysis analysis = analysis_of(0);
  take(analysis, every(2));
  take(analysis, parcel(second_, 2, {{g_, Absent{}}}));
  TreeValues other(hand_.plan, tree_);
  other.set(kBoth, make_array({1}, {}));

  contributed_.at(2)->merge(other);

  EXPECT_EQ(contributed(2, kBoth), Values{kAbsent});
}

TEST_F(LocalAnalysisTest, forgets_the_values_of_the_step_before) {
  LocalAnalysis analysis = analysis_of(0);
  take(analysis, every(2));
  take(analysis, second(2));

  take(analysis, parcel(every_, 3, {}));

  EXPECT_EQ(numbers_of(done_.at(3)[f_.index]), Values{kAbsent});
  EXPECT_EQ(numbers_of(done_.at(3)[sum_.index]), Values{kAbsent});
  EXPECT_EQ(contributed(3, kTotal), Values{kAbsent});
}

TEST_F(LocalAnalysisTest, takes_steps_with_gaps) {
  LocalAnalysis analysis = analysis_of(0);

  take(analysis, every(1));
  take(analysis, every(7));

  EXPECT_EQ(analysis.last_complete_step(), 7);
}

TEST_F(LocalAnalysisTest, passes_the_start_of_the_run_on) {
  LocalAnalysis analysis = analysis_of(0);
  Parcel first = every(1);
  first.start_time_s = 0.25;

  take(analysis, std::move(first));

  EXPECT_EQ(start_time_s_, 0.25);
}

TEST_F(LocalAnalysisTest, has_no_complete_step_at_first) {
  const LocalAnalysis analysis = analysis_of(0);

  EXPECT_EQ(analysis.last_complete_step(), -1);
  EXPECT_FALSE(analysis.has_open_step());
}

// ---- Parcels that must not come ----

TEST_F(LocalAnalysisTest, refuses_the_next_step_before_this_one_is_complete) {
  LocalAnalysis analysis = analysis_of(1);
  take(analysis, second(2, {1}));

  EXPECT_EQ(refusal(analysis, every(3)), "model rank 1 went on to step 3 before it had sent all of step 2");
}

TEST_F(LocalAnalysisTest, refuses_a_step_that_has_been) {
  LocalAnalysis analysis = analysis_of(0);
  take(analysis, every(3));

  EXPECT_EQ(refusal(analysis, every(3)), "model rank 0 went back to step 3 after step 3");
  EXPECT_EQ(refusal(analysis, every(1)), "model rank 0 went back to step 1 after step 3");
  EXPECT_EQ(done_.size(), 1U);
}

TEST_F(LocalAnalysisTest, refuses_a_group_twice_in_one_step) {
  LocalAnalysis analysis = analysis_of(0);
  take(analysis, every(2));

  EXPECT_NE(refusal(analysis, every(2)), "none");
  EXPECT_FALSE(done_.contains(2));  // it has not passed for the parcel that is missing
}

TEST_F(LocalAnalysisTest, refuses_a_group_at_a_step_where_it_is_not_due) {
  LocalAnalysis analysis = analysis_of(0);

  EXPECT_EQ(refusal(analysis, second(1)),
            "model rank 0 sent \"second\" in step 1, where nobody wanted it or it had come already");
}

TEST_F(LocalAnalysisTest, refuses_a_group_of_which_another_rank_sends_all) {
  const GroupId lonely = hand_.group("lonely");
  const ValueId same = hand_.field(lonely, "same", Spread::same);
  LocalAnalysis analysis = analysis_of(1);

  EXPECT_NE(refusal(analysis, parcel(lonely, 1, {{same, make_array({1}, {})}})), "none");
}

// ---- Values that are wanted at instants only ----

TEST_F(LocalAnalysisTest, waits_for_a_group_only_at_the_steps_that_reach_an_instant) {
  // f is wanted at every tenth second. Steps of 4 s: 12 and 20 reach an instant; 4, 8 and 16 do not.
  const std::vector<RuleId>& communications = hand_.plan.trees[tree_].communications;
  const ValueId root_total = hand_.plan[communications[kTotal]].output;
  const ValueId root_clock = hand_.plan[communications[kClock]].output;
  hand_.wanted_at({f_, total_, clock_, root_total, root_clock}, hand_.need(1, 10));
  hand_.wanted_at({sum_, both_, hand_.plan[communications[kBoth]].output}, hand_.need(1000, 0));
  LocalAnalysis analysis = analysis_of(0);
  auto at = [](Parcel parcel) {
    parcel.step.time = 4.0 * static_cast<double>(parcel.step.index);
    parcel.step.length = 4;
    return parcel;
  };

  take(analysis, at(second(2)));  // 8 s: "every" is not wanted
  EXPECT_EQ(analysis.last_complete_step(), 2);
  EXPECT_FALSE(contributed_.contains(2));
  take(analysis, at(every(3)));  // 12 s, and "second" is not due
  EXPECT_EQ(contributed(3, kTotal), Values{6});
  take(analysis, at(second(4)));  // 16 s
  take(analysis, at(every(5)));   // 20 s
  EXPECT_EQ(contributed(5, kTotal), Values{6});
  EXPECT_NE(refusal(analysis, at(every(6))), "none");  // 24 s
}

TEST_F(LocalAnalysisTest, counts_instants_from_where_the_run_continues) {
  const std::uint32_t each_600_s = hand_.need(1, 600), of_second_steps = hand_.need(2, 600);
  for (Value& value : hand_.plan.values) value.needs = {each_600_s};
  for (const PlannedField& field : hand_.plan.fields) {
    if (hand_.plan[field.group].frequency == 2)
      hand_.plan.values[field.value.index].needs = {of_second_steps};
  }
  LocalAnalysis analysis = analysis_of(0);
  auto at = [](double time, Parcel parcel) {
    parcel.step = {parcel.step.index, time, 300};
    parcel.start_time_s = 3600;
    return parcel;
  };

  take(analysis, at(4200, every(13)));
  EXPECT_EQ(analysis.last_complete_step(), 13);
  EXPECT_NE(refusal(analysis, at(4500, every(15))), "none");
}

TEST_F(LocalAnalysisTest, contributes_to_no_tree_that_nothing_wants_at_the_step) {
  for (RuleId rule : hand_.plan.trees[tree_].communications) hand_.wanted_at({hand_.plan[rule].output}, 1);
  LocalAnalysis analysis = analysis_of(0);

  take(analysis, every(1));
  take(analysis, every(2));
  take(analysis, second(2));

  EXPECT_FALSE(contributed_.contains(1));
  EXPECT_TRUE(contributed_.contains(2));
  EXPECT_EQ(done_.size(), 2U);
}

TEST_F(LocalAnalysisTest, is_cut_where_the_marker_comes_and_not_within_a_step) {
  LocalAnalysis analysis = analysis_of(1);
  std::vector<std::size_t> done_at_cut;
  const auto count = [&] { done_at_cut.push_back(done_.size()); };
  analysis.cut(0, count);
  take(analysis, parcel(every_, 1, {{f_, make_array({4}, {1})}}));
  analysis.cut(1, count);
  take(analysis, parcel(every_, 2, {{f_, make_array({5}, {1})}}));

  EXPECT_THROW(analysis.cut(2, count), TransportError);  // "second" has not come
  take(analysis, parcel(second_, 2, {{g_, make_array({6}, {1})}}));
  EXPECT_THROW(analysis.cut(1, count), TransportError);
  analysis.cut(2, count);

  EXPECT_EQ(done_at_cut, (std::vector<std::size_t>{0, 1, 2}));
}

}  // namespace
}  // namespace pileus
