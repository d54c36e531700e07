#include "server/gate/step_costs.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "analytics/testing/handmade_plan.h"

namespace pileus {
namespace {

using testing::Equation;
using testing::HandmadePlan;

/// Profiles of 1, 2, 4, ... doubles that are made every 2, 3, 5, ... steps of a field of every step.
TEST(StepCosts, are_those_of_the_step_however_many_kinds_of_steps_there_were) {
  constexpr std::array<std::int64_t, 10> kEvery = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29};
  HandmadePlan hand;
  const ValueId field = hand.field(hand.group("g"), "f", Spread::same, {});
  for (std::size_t i = 0; i < kEvery.size(); ++i) {
    const DimensionId z = hand.dimension("z" + std::to_string(i), Index{1} << i);
    const ValueId made = hand.computed(Equation::of_two(Operation::add), {field, field}, Spread::same, {z});
    hand.wanted_at({made}, hand.need(kEvery[i], 0));
  }
  StepCosts costs(hand.plan);
  NeedTracker tracker = hand.plan.tracker(0);
  std::vector<StepCosts::Bytes> kept;
  std::set<std::uint64_t> different;

  for (std::int64_t step = 1; step <= 20'000; ++step) {
    tracker.advance({step, static_cast<double>(step), 1});
    kept.push_back(costs.of(tracker));
  }

  const std::uint64_t of_every_step = kept[0]->front();  // in step 1 nothing is made
  for (std::int64_t step = 1; step <= 20'000; ++step) {
    std::uint64_t expected = of_every_step;
    for (std::size_t i = 0; i < kEvery.size(); ++i)
      expected += step % kEvery[i] == 0 ? (std::uint64_t{1} << i) * sizeof(double) : 0;
    EXPECT_EQ(kept[static_cast<std::size_t>(step - 1)]->front(), expected) << step;
    different.insert(expected);
  }
  EXPECT_GT(different.size(), 256U);
}

}  // namespace
}  // namespace pileus
