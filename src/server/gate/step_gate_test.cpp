// The gate of the clock: what passes, what waits, and what passes without its records.

#include "server/gate/step_gate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "analytics/testing/handmade_plan.h"
#include "core/error.h"
#include "exec/seeded_random.h"
#include "server/testing/orders.h"
#include "time/manipulations/list.h"

namespace pileus {
namespace {

using testing::HandmadePlan;

constexpr Index kElements = 1000;
/// Three fields, of which each rank holds all.
constexpr std::uint64_t kParcelBytes = 3 * kElements * sizeof(double);
const ScheduleId kThinned(1), kDropped(2);
const DroppedAxes kOne = {{kDropped, WhyDropped::memory}};
const DroppedAxes kBoth = {{kThinned, WhyDropped::memory}, {kDropped, WhyDropped::memory}};

/// Two ranks with a server each. A file for each policy, wait, thin and drop, has all values of a field.
Plan plan_of_three_policies() {
  HandmadePlan hand(2, 2);
  const DimensionId x = hand.dimension("x", kElements);
  const GroupId group = hand.group("g");
  const std::vector<Manipulation> all = all_manipulations();
  const auto every = std::ranges::find_if(
      all, [](const Manipulation& one) { return one->record_of == RecordOf::each_sample; });
  for (const WhenMemoryFull policy : {WhenMemoryFull::wait, WhenMemoryFull::thin, WhenMemoryFull::drop}) {
    const ScheduleId schedule(hand.plan.schedules.size());
    const ValueId field = hand.field(group, std::string(name(policy)), Spread::distributed, {x});
    hand.wanted_at({field}, hand.need(1, 0));
    PlannedFile file;
    file.when_memory_full = policy;
    if (file.drops_records()) hand.plan.needs.back().droppable = schedule;
    hand.plan.schedules.push_back(Schedule{FileId(hand.plan.files.size()), *every, {}, 1, "time"});
    hand.plan.files.push_back(std::move(file));
  }
  return hand.plan;
}

void tell(StepGate& gate, std::size_t server, std::uint64_t done, std::uint64_t arrived) {
  const StepsDone news{static_cast<ServerRank>(server), done, arrived};
  gate.take_done({&news, 1});
}

class Gate : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kMuch = std::uint64_t{1} << 40;

  /// Memory for the parcels of so many steps.
  explicit Gate(std::uint64_t steps = 8)
      : gate_(plan_, {{kMuch, kMuch}, {steps * kParcelBytes, steps * kParcelBytes}}) {}

  /// Lets the next step through; what it drops.
  DroppedAxes next(bool is_final = false, const DroppedAxes& left_out = {}) {
    const auto time = static_cast<double>(++passed_);
    gate_.ask({passed_, time, 1, is_final ? std::uint8_t{1} : std::uint8_t{0}}, 0);
    EXPECT_TRUE(gate_.lets_through(left_out));
    return gate_.take_dropped();
  }
  void arrive() {
    for (std::size_t server = 0; server < 2; ++server)
      tell(gate_, server, done_, static_cast<std::uint64_t>(passed_));
  }
  void be_done() {
    done_ = static_cast<std::uint64_t>(passed_);
    arrive();
  }

  Plan plan_ = plan_of_three_policies();
  StepGate gate_;
  std::int64_t passed_ = 0;
  std::uint64_t done_ = 0;
};

TEST_F(Gate, leaves_out_every_record_or_every_second_one_while_servers_are_behind) {
  for (int step = 1; step <= 6; ++step) {  // three quarters of the memory
    EXPECT_EQ(next(), DroppedAxes()) << step;
    arrive();
    EXPECT_FALSE(gate_.overloaded());
  }

  EXPECT_EQ(next(), kBoth);
  EXPECT_TRUE(gate_.overloaded());
  arrive();
  EXPECT_EQ(next(), kOne);
  arrive();
  EXPECT_EQ(next(), kBoth);
  be_done();
  EXPECT_EQ(next(), DroppedAxes());
  EXPECT_FALSE(gate_.overloaded());
}

/// The second record of the axis that is thinned is the first one again that memory lacks for.
TEST_F(Gate, leaves_out_no_record_that_there_is_not_in_any_case) {
  const DroppedAxes off = {{kThinned, WhyDropped::trigger}};
  for (int step = 1; step <= 6; ++step) {
    next();
    arrive();
  }
  EXPECT_EQ(next(), kBoth);
  arrive();
  for (int step = 0; step < 3; ++step) {
    EXPECT_EQ(next(false, off), kOne) << step;
    arrive();
  }
  EXPECT_EQ(next(), kOne) << "its last record was left out";
  arrive();
  EXPECT_EQ(next(), kBoth);
}

TEST_F(Gate, leaves_nothing_out_where_a_rank_of_the_model_is_behind) {
  for (int step = 1; step <= 30; ++step) {
    tell(gate_, 0, 0, static_cast<std::uint64_t>(passed_));  // of the other server's rank nothing comes
    EXPECT_EQ(next(), DroppedAxes()) << step;
  }
  EXPECT_FALSE(gate_.overloaded());
}

TEST_F(Gate, writes_the_last_step_though_memory_is_full) {
  for (int step = 1; step <= 10; ++step) {
    next();
    arrive();
  }
  ASSERT_TRUE(gate_.overloaded());
  EXPECT_EQ(next(true), DroppedAxes());
}

class GateOfOneStep : public Gate {
 protected:
  GateOfOneStep() : Gate(1) {}
};

TEST_F(GateOfOneStep, lets_a_step_keep_its_records_when_nothing_is_left_of_those_before) {
  for (int step = 1; step <= 10; ++step) {
    EXPECT_EQ(next(), DroppedAxes()) << step;
    arrive();
    EXPECT_EQ(next(), kBoth) << step;
    be_done();
  }
}

/// Where parcels may be laid aside, those that are read back have memory for two steps.
class GateOfParcels : public ::testing::Test {
 protected:
  bool lets_through_next() {
    gate_.ask({passed_ + 1, static_cast<double>(passed_ + 1), 1}, 0);
    const bool passes = gate_.lets_through();
    if (passes) ++passed_;
    return passes;
  }

  Plan plan_ = plan_of_three_policies();
  StepGate gate_{plan_,
                 {{std::uint64_t{1} << 40, std::uint64_t{1} << 40},
                  {8 * kParcelBytes, 8 * kParcelBytes},
                  {2 * kParcelBytes, 2 * kParcelBytes}}};
  std::int64_t passed_ = 0;
};

TEST_F(GateOfParcels, lets_no_more_steps_through_than_have_memory_whether_they_have_arrived_or_not) {
  EXPECT_TRUE(lets_through_next());
  EXPECT_TRUE(lets_through_next());
  EXPECT_FALSE(lets_through_next());
  tell(gate_, 0, 2, 2);
  EXPECT_FALSE(gate_.lets_through());
  tell(gate_, 1, 1, 2);
  EXPECT_TRUE(gate_.lets_through());
}

/// Whatever servers say and when: the account comes out even, and the lowest step passes.
TEST(AnyGate, lets_the_lowest_step_through_and_forgets_nothing) {
  const Plan plan = plan_of_three_policies();
  const std::vector<std::uint64_t> largest = StepCosts(plan).of_largest();
  for (std::uint64_t seed = 1; seed <= pileus::testing::as_many_as_asked(200); ++seed) {
    SeededRandom random(seed);
    const std::uint64_t fit = random.below(4), parcels = random.below(6);
    RunMemory memory{{fit * largest[0], fit * largest[1]}, {parcels * kParcelBytes, 9 * kParcelBytes}};
    if (random.below(2) == 0) memory.for_parcels_taken = {random.below(4) * kParcelBytes, 2 * kParcelBytes};
    StepGate gate(plan, memory);
    std::int64_t passed = 0;
    std::vector<std::uint64_t> done(2), arrived(2);
    bool is_asking = false;
    for (int turn = 0; turn < 300; ++turn) {
      if (!std::exchange(is_asking, true)) gate.ask({passed + 1, static_cast<double>(passed + 1), 1}, 0);
      const bool all_done = done[0] == done[1] && done[0] == static_cast<std::uint64_t>(passed);
      const bool passes = gate.lets_through();
      if (all_done) {
        ASSERT_TRUE(passes) << seed;
        ASSERT_EQ(gate.take_dropped(), DroppedAxes()) << seed;
      }
      if (passes) ++passed;
      is_asking = !passes;
      const std::size_t server = random.below(2);
      arrived[server] += random.below(static_cast<std::uint64_t>(passed) - arrived[server] + 1);
      done[server] += random.below(arrived[server] - done[server] + 1);
      tell(gate, server, done[server], arrived[server]);
    }
    for (std::size_t server = 0; server < 2; ++server)
      tell(gate, server, static_cast<std::uint64_t>(passed), static_cast<std::uint64_t>(passed));
    if (is_asking) {
      ASSERT_TRUE(gate.lets_through()) << seed;
      ++passed;
    }
    for (std::size_t server = 0; server < 2; ++server)
      tell(gate, server, static_cast<std::uint64_t>(passed), static_cast<std::uint64_t>(passed));
    gate.ask({passed + 1, static_cast<double>(passed + 1), 1}, 0);
    ASSERT_TRUE(gate.lets_through()) << seed;
    EXPECT_FALSE(gate.overloaded()) << seed;
  }
}

TEST_F(Gate, refuses_what_a_server_cannot_know) {
  next();
  EXPECT_THROW(tell(gate_, 0, 2, 2), TransportError);
  EXPECT_THROW(tell(gate_, 0, 0, 2), TransportError);
  EXPECT_THROW(tell(gate_, 2, 1, 1), TransportError);
  tell(gate_, 0, 1, 1);
  EXPECT_THROW(tell(gate_, 0, 0, 1), TransportError);
}

TEST_F(GateOfParcels, takes_nothing_of_news_in_which_one_cannot_be) {
  EXPECT_TRUE(lets_through_next());
  EXPECT_TRUE(lets_through_next());
  ASSERT_FALSE(lets_through_next());
  EXPECT_THROW(gate_.take_done(std::vector<StepsDone>{{0, 2, 2}, {1, 3, 3}}), TransportError);
  EXPECT_FALSE(gate_.lets_through());
  gate_.take_done(std::vector<StepsDone>{{0, 2, 2}, {1, 2, 2}});
  EXPECT_TRUE(gate_.lets_through());
}

}  // namespace
}  // namespace pileus
