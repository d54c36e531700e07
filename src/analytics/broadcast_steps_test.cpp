// Steps that wait for what other servers send, while later ones arrive.

#include <gtest/gtest.h>

#include <map>

#include "analytics/root_analysis.h"
#include "analytics/testing/handmade_plan.h"
#include "step/testing/facts_of_steps.h"

namespace pileus {
namespace {

using testing::Equation;
using testing::FactsOfSteps;
using testing::HandmadePlan;
using testing::numbers_of;
using Values = std::vector<double>;

/// f on one rank; its total goes to server 0 and back to all as m; the total of f - m goes to server 0 again.
class BroadcastSteps : public ::testing::Test, protected StepResults {
 protected:
  BroadcastSteps() {
    const DimensionId x = hand_.dimension("x", 2);
    group_ = hand_.group("g");
    f_ = hand_.field(group_, "f", Spread::distributed, {x});
    const ValueId total = hand_.reduced(f_, Reduction::sum, {0});
    reduced_ = hand_.reduced_to(0, total, Reduction::sum);
    m_ = hand_.sent_to_all(reduced_);
    anomaly_ = hand_.computed(Equation::of_two(Operation::subtract), {f_, m_}, Spread::distributed, {x});
    const ValueId local = hand_.reduced(anomaly_, Reduction::sum, {0});
    last_ = hand_.reduced_to(0, local, Reduction::sum);
    first_tree_ = hand_.tree(0, {reduced_});
    second_tree_ = hand_.tree(0, {last_});
  }

  LocalAnalysis local() { return LocalAnalysis(hand_.plan, 0, *this); }
  void deal(GroupId, const Step&, PointSamples) override {}
  void regrid(std::size_t, const Step&, RegridSamples) override {}
  void contribute(std::size_t tree, const Step& step, std::unique_ptr<TreeValues> values) override {
    EXPECT_TRUE(contributed_.emplace(std::pair(tree, step.index), std::move(values)).second);
  }
  void step_done(const StepFacts& facts, const StepValues&) override { done_.push_back(facts.step.index); }
  Parcel parcel(std::int64_t step) {
    Parcel parcel{group_, {step, static_cast<double>(step), 1}, 0, {}};
    parcel.fields.emplace_back(hand_.field_of(f_), make_array({1, 2}, {2}));
    parcel.facts = facts_.of(parcel.step);
    return parcel;
  }
  BroadcastValues mean(double value) const { return {{m_, make_array({value}, {})}}; }
  bool has_contributed(std::size_t tree, std::int64_t step) const {
    return contributed_.contains({tree, step});
  }

  HandmadePlan hand_;
  FactsOfSteps facts_{hand_.plan};
  GroupId group_;
  ValueId f_, reduced_, m_, anomaly_, last_;
  std::size_t first_tree_ = 0, second_tree_ = 0;
  std::map<std::pair<std::size_t, std::int64_t>, std::unique_ptr<TreeValues>> contributed_;
  std::vector<std::int64_t> done_;
};

using Steps = std::vector<std::int64_t>;

TEST_F(BroadcastSteps, later_steps_are_taken_while_one_waits) {
  LocalAnalysis analysis = local();

  analysis.take(parcel(1));
  analysis.take(parcel(2));

  EXPECT_TRUE(has_contributed(first_tree_, 1));
  EXPECT_TRUE(has_contributed(first_tree_, 2));
  EXPECT_FALSE(has_contributed(second_tree_, 1));
  EXPECT_EQ(done_, Steps{});
  EXPECT_TRUE(analysis.is_waiting());
  EXPECT_EQ(analysis.open_texts().at(0),
            "step 1 of model rank 0 (waits for \"" + hand_.plan[m_].name + "\")");
}

TEST_F(BroadcastSteps, a_step_goes_on_with_what_was_sent_and_steps_are_done_in_order) {
  LocalAnalysis analysis = local();
  analysis.take(parcel(1));
  analysis.take(parcel(2));

  analysis.settle(2, mean(10));
  EXPECT_TRUE(has_contributed(second_tree_, 2));
  EXPECT_EQ(done_, Steps{});

  analysis.settle(1, mean(100));
  EXPECT_EQ(done_, (Steps{1, 2}));
  // (1 - 100) + (2 - 100) and (1 - 10) + (2 - 10).
  EXPECT_EQ(numbers_of(contributed_.at({second_tree_, 1})->value(0)), Values{-197});
  EXPECT_EQ(numbers_of(contributed_.at({second_tree_, 2})->value(0)), Values{-17});
  EXPECT_FALSE(analysis.is_waiting());
}

TEST_F(BroadcastSteps, what_comes_before_the_parcel_is_kept_and_what_comes_for_no_step_is_dropped) {
  LocalAnalysis analysis = local();

  analysis.settle(1, mean(5));
  analysis.settle(2, mean(7));
  analysis.take(parcel(2));

  EXPECT_EQ(done_, Steps{2});
  EXPECT_EQ(numbers_of(contributed_.at({second_tree_, 2})->value(0)), Values{-11});
  analysis.settle(2, mean(9));
  EXPECT_EQ(done_, Steps{2});
}

TEST_F(BroadcastSteps, what_is_absent_for_all_makes_what_needs_it_absent) {
  LocalAnalysis analysis = local();
  analysis.take(parcel(1));

  analysis.settle(1, {{m_, Absent{}}});

  EXPECT_EQ(done_, Steps{1});
  EXPECT_TRUE(is_absent(contributed_.at({second_tree_, 1})->value(0)));
}

TEST_F(BroadcastSteps, keeps_nothing_for_a_step_that_has_passed) {
  LocalAnalysis analysis = local();
  const BroadcastValues before = mean(1), after = mean(2);
  const std::weak_ptr<const std::byte> early = std::get<Array>(before.at(0).second).bytes;
  const auto holders = early.use_count();

  analysis.settle(1, before);
  EXPECT_GT(early.use_count(), holders);
  analysis.pass(1);
  EXPECT_EQ(early.use_count(), holders);

  const std::weak_ptr<const std::byte> late = std::get<Array>(after.at(0).second).bytes;
  analysis.settle(1, after);
  EXPECT_EQ(late.use_count(), holders);
  analysis.settle(2, after);  // of a step that may come
  EXPECT_GT(late.use_count(), holders);
}

TEST_F(BroadcastSteps, a_root_sends_as_soon_as_it_can_though_the_step_goes_on) {
  std::vector<std::pair<std::int64_t, Values>> sent;
  std::vector<std::int64_t> done;
  RootAnalysis root(
      hand_.plan,
      [&](const StepFacts& facts, const StepValues&, const auto&, const auto&) {
        done.push_back(facts.step.index);
      },
      {},
      [&](std::size_t distribution, std::int64_t step, const BroadcastValues& values) {
        EXPECT_EQ(distribution, 0U);
        sent.emplace_back(step, numbers_of(values.at(0).second));
      });
  const auto reduced = [&](std::size_t tree, double value) {
    auto values = std::make_unique<TreeValues>(hand_.plan, tree);
    values->set(0, make_array({value}, {}));
    return values;
  };

  root.advance(facts_.of({1, 1, 1}));
  root.complete(first_tree_, 2, reduced(first_tree_, 4));  // ahead of the clock
  root.advance(facts_.of({2, 2, 1}));
  root.complete(first_tree_, 1, reduced(first_tree_, 3));
  EXPECT_EQ(sent, (std::vector<std::pair<std::int64_t, Values>>{{2, {4}}, {1, {3}}}));
  EXPECT_EQ(done, Steps{});

  root.complete(second_tree_, 2, reduced(second_tree_, 0));
  root.complete(second_tree_, 1, reduced(second_tree_, 0));
  EXPECT_EQ(done, (Steps{1, 2}));
}

}  // namespace
}  // namespace pileus
