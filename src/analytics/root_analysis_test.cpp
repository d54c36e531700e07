#include "analytics/root_analysis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "analytics/testing/handmade_plan.h"
#include "step/testing/facts_of_steps.h"

namespace pileus {
namespace {

using testing::Equation;
using testing::FactsOfSteps;
using testing::HandmadePlan;
using testing::numbers_of;
using Values = std::vector<double>;

constexpr double kAbsent = -999;  // what numbers_of gives

struct Done {
  std::int64_t step;
  double start_time_s;
  Values a, b, ratio;
};

/// Server 0 is the root of two trees, one of a at every step and one of b at every second, and of a / b. A
/// third tree has server 1 for its root.
class RootAnalysisTest : public ::testing::Test {
 protected:
  RootAnalysisTest() {
    const GroupId group = hand_.group("g");
    const ValueId a = hand_.field(group, "a", Spread::own), b = hand_.field(group, "b", Spread::own);
    a_ = hand_.reduced_to(0, a, Reduction::sum);
    b_ = hand_.reduced_to(0, b, Reduction::sum);
    const ValueId elsewhere = hand_.reduced_to(1, a, Reduction::sum);
    ratio_ = hand_.computed(Equation::of_two(Operation::divide), {a_, b_}, Spread::rooted, {});
    tree_a_ = hand_.tree(0, {a_});
    tree_b_ = hand_.tree(0, {b_});
    tree_elsewhere_ = hand_.tree(1, {elsewhere});
    hand_.wanted_at({b, b_, ratio_}, hand_.need(2, 0));
  }

  /// Of server 0; the facts say what is rooted where.
  RootAnalysis new_analysis() {
    return RootAnalysis(hand_.plan,
                        [this](const StepFacts& facts, const StepValues& values, const auto&, const auto&) {
                          done_.push_back({facts.step.index, facts.start_time_s, numbers_of(values[a_.index]),
                                           numbers_of(values[b_.index]), numbers_of(values[ratio_.index])});
                        });
  }
  std::unique_ptr<TreeValues> reduced(std::size_t tree, double value) const {
    auto values = std::make_unique<TreeValues>(hand_.plan, tree);
    values->set(0, make_array({value}, {}));
    return values;
  }
  /// Of steps of 1 s from 0, on server 0.
  SharedFacts step(std::int64_t index, double start_time_s = 0) {
    return facts_.of({index, static_cast<double>(index), 1}, start_time_s);
  }
  SharedFacts step_on_server_1(std::int64_t index) {
    return FactsOfSteps(hand_.plan, 1).of({index, static_cast<double>(index), 1});
  }
  std::vector<std::int64_t> steps_done() const {
    std::vector<std::int64_t> steps;
    for (const Done& done : done_) steps.push_back(done.step);
    return steps;
  }

  HandmadePlan hand_{1, 2};
  FactsOfSteps facts_{hand_.plan};
  ValueId a_, b_, ratio_;
  std::size_t tree_a_ = 0, tree_b_ = 0, tree_elsewhere_ = 0;
  std::vector<Done> done_;
};

using Steps = std::vector<std::int64_t>;

TEST_F(RootAnalysisTest, runs_a_step_when_the_last_of_its_trees_is_complete) {
  RootAnalysis analysis = new_analysis();
  analysis.advance(step(2, 0.5));

  analysis.complete(tree_b_, 2, reduced(tree_b_, 4));
  EXPECT_TRUE(done_.empty());
  EXPECT_TRUE(analysis.has_open_steps());
  analysis.complete(tree_a_, 2, reduced(tree_a_, 10));

  ASSERT_EQ(done_.size(), 1U);
  EXPECT_EQ(done_[0].step, 2);
  EXPECT_EQ(done_[0].start_time_s, 0.5);
  EXPECT_EQ(done_[0].a, Values{10});
  EXPECT_EQ(done_[0].b, Values{4});
  EXPECT_EQ(done_[0].ratio, Values{2.5});
  EXPECT_FALSE(analysis.has_open_steps());
}

TEST_F(RootAnalysisTest, waits_only_for_the_trees_that_are_wanted_at_the_step) {
  RootAnalysis analysis = new_analysis();
  analysis.advance(step(1));

  analysis.complete(tree_a_, 1, reduced(tree_a_, 10));

  ASSERT_EQ(done_.size(), 1U);
  EXPECT_EQ(done_[0].a, Values{10});
  EXPECT_EQ(done_[0].b, Values{kAbsent});
  EXPECT_EQ(done_[0].ratio, Values{kAbsent});
}

TEST_F(RootAnalysisTest, keeps_what_is_complete_before_the_clock_has_come_so_far) {
  RootAnalysis analysis = new_analysis();
  analysis.complete(tree_a_, 2, reduced(tree_a_, 10));
  analysis.complete(tree_b_, 2, reduced(tree_b_, 4));
  EXPECT_TRUE(done_.empty());

  analysis.advance(step(2));

  ASSERT_EQ(done_.size(), 1U);
  EXPECT_EQ(done_[0].ratio, Values{2.5});
}

TEST_F(RootAnalysisTest, takes_trees_from_before_and_after_the_clock) {
  RootAnalysis analysis = new_analysis();
  analysis.complete(tree_b_, 2, reduced(tree_b_, 4));
  analysis.advance(step(2));
  EXPECT_TRUE(done_.empty());

  analysis.complete(tree_a_, 2, reduced(tree_a_, 10));

  ASSERT_EQ(done_.size(), 1U);
  EXPECT_EQ(done_[0].ratio, Values{2.5});
}

TEST_F(RootAnalysisTest, gives_steps_in_the_order_of_the_clock) {
  RootAnalysis analysis = new_analysis();
  for (std::int64_t i : {1, 3, 5}) analysis.advance(step(i));

  analysis.complete(tree_a_, 5, reduced(tree_a_, 50));
  analysis.complete(tree_a_, 3, reduced(tree_a_, 30));
  EXPECT_EQ(steps_done(), Steps{});
  analysis.complete(tree_a_, 1, reduced(tree_a_, 10));

  EXPECT_EQ(steps_done(), (Steps{1, 3, 5}));
  EXPECT_EQ(done_[2].a, Values{50});
}

TEST_F(RootAnalysisTest, passes_over_steps_where_nothing_is_wanted) {
  hand_.wanted_at({a_}, 1);  // as b: at even steps alone
  RootAnalysis analysis = new_analysis();

  for (std::int64_t i : {1, 2, 3}) analysis.advance(step(i));
  EXPECT_TRUE(analysis.has_open_steps());
  analysis.complete(tree_a_, 2, reduced(tree_a_, 10));
  analysis.complete(tree_b_, 2, reduced(tree_b_, 4));

  EXPECT_EQ(steps_done(), Steps{2});
  EXPECT_FALSE(analysis.has_open_steps());
}

TEST_F(RootAnalysisTest, wants_instants_only_at_the_steps_that_reach_them) {
  const std::uint32_t each_3_s = hand_.need(1, 3);
  for (Value& value : hand_.plan.values) value.needs = {each_3_s};
  RootAnalysis analysis = new_analysis();

  for (std::int64_t i = 1; i <= 7; ++i) analysis.advance(step(i));
  for (std::int64_t i : {3, 6}) {
    analysis.complete(tree_a_, i, reduced(tree_a_, 1));
    analysis.complete(tree_b_, i, reduced(tree_b_, 1));
  }

  EXPECT_EQ(steps_done(), (Steps{3, 6}));
  EXPECT_FALSE(analysis.has_open_steps());
}

TEST_F(RootAnalysisTest, makes_absent_what_hangs_on_an_absent_result) {
  RootAnalysis analysis = new_analysis();
  analysis.advance(step(2));

  analysis.complete(tree_a_, 2, reduced(tree_a_, 10));
  analysis.complete(tree_b_, 2, TreeValues::all_absent(hand_.plan, tree_b_));

  ASSERT_EQ(done_.size(), 1U);
  EXPECT_EQ(done_[0].a, Values{10});
  EXPECT_EQ(done_[0].b, Values{kAbsent});
  EXPECT_EQ(done_[0].ratio, Values{kAbsent});
}

TEST_F(RootAnalysisTest, minds_its_own_trees_alone) {
  RootAnalysis analysis = new_analysis();
  analysis.advance(step_on_server_1(2));

  analysis.complete(tree_elsewhere_, 2, reduced(tree_elsewhere_, 10));

  ASSERT_EQ(done_.size(), 1U);
  EXPECT_EQ(done_[0].a, Values{kAbsent});
  EXPECT_EQ(done_[0].ratio, Values{kAbsent});
}

TEST_F(RootAnalysisTest, does_nothing_where_no_tree_has_its_root) {
  hand_.plan.trees.pop_back();
  RootAnalysis analysis = new_analysis();

  analysis.advance(step_on_server_1(1));

  EXPECT_FALSE(analysis.has_open_steps());
  EXPECT_TRUE(done_.empty());
}

TEST_F(RootAnalysisTest, gives_the_same_results_whatever_order_trees_and_clock_come_in) {
  constexpr std::int64_t kSteps = 12;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    std::mt19937_64 random(seed);
    done_.clear();
    RootAnalysis analysis = new_analysis();
    struct Event {
      std::size_t tree;
      std::int64_t step;
    };
    std::vector<Event> completions;
    for (std::int64_t i = 1; i <= kSteps; ++i) {
      completions.push_back({tree_a_, i});
      if (i % 2 == 0) completions.push_back({tree_b_, i});
    }
    std::shuffle(completions.begin(), completions.end(), random);

    std::int64_t clock = 0;
    while (clock < kSteps || !completions.empty()) {
      if (clock < kSteps && (completions.empty() || random() % 3 == 0)) {
        analysis.advance(step(++clock));
        continue;
      }
      const auto [tree, at] = completions.back();
      completions.pop_back();
      analysis.complete(tree, at, reduced(tree, static_cast<double>(tree == tree_a_ ? 3 * at : at)));
    }

    ASSERT_EQ(done_.size(), static_cast<std::size_t>(kSteps)) << "seed " << seed;
    for (std::int64_t i = 1; i <= kSteps; ++i) {
      const Done& done = done_[static_cast<std::size_t>(i - 1)];
      ASSERT_EQ(done.step, i) << "seed " << seed;
      ASSERT_EQ(done.a, Values{static_cast<double>(3 * i)}) << "seed " << seed;
      ASSERT_EQ(done.ratio, Values{i % 2 == 0 ? 3 : kAbsent}) << "seed " << seed;
    }
    ASSERT_FALSE(analysis.has_open_steps()) << "seed " << seed;
  }
}

TEST_F(RootAnalysisTest, is_cut_after_the_steps_until_then_and_before_a_later_one) {
  RootAnalysis analysis = new_analysis();
  Steps at_cut;
  for (std::int64_t index : {1, 3, 5}) {
    analysis.advance(step(index));
    if (index == 3) analysis.cut([&] { at_cut = steps_done(); });
  }

  analysis.complete(tree_a_, 5, reduced(tree_a_, 5));
  analysis.complete(tree_a_, 3, reduced(tree_a_, 3));
  EXPECT_EQ(at_cut, Steps());
  analysis.complete(tree_a_, 1, reduced(tree_a_, 1));

  EXPECT_EQ(at_cut, (Steps{1, 3}));
  EXPECT_EQ(steps_done(), (Steps{1, 3, 5}));
}

TEST_F(RootAnalysisTest, is_cut_at_once_where_nothing_waits) {
  RootAnalysis analysis = new_analysis(), without_trees(hand_.plan, {});
  int cuts = 0;
  for (RootAnalysis* one : {&analysis, &without_trees}) one->cut([&] { ++cuts; });
  without_trees.advance(FactsOfSteps(hand_.plan, 7).of({1, 1, 1}));
  without_trees.cut([&] { ++cuts; });

  EXPECT_EQ(cuts, 3);
}

}  // namespace
}  // namespace pileus
