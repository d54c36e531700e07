#include "publishing/held_memory.h"

#include <gtest/gtest.h>

#include "files/testing/small_plan.h"
#include "time/manipulations/list.h"

namespace pileus::testing {
namespace {

/// One file; w and u on its first axis, m on its second.
SmallPlan two_axes() {
  SmallPlan small;
  const FileId file = small.file("f.nc", 10);
  const ScheduleId each = small.axis(file, manipulations::none(), 0);
  const ScheduleId mean = small.axis(file, manipulations::averaged(), 5);
  small.variable("w", each, Spread::distributed, {});
  small.variable("m", mean, Spread::distributed, {});
  small.variable("u", each, Spread::distributed, {});
  return small;
}

class HeldMemoryTest : public ::testing::Test {
 protected:
  /// Hands over memory of the variable's record and says whether it is still there.
  std::weak_ptr<const void> hold(std::uint32_t variable, Index record, std::int64_t period = 1) {
    const std::shared_ptr<const void> bytes = std::make_shared<int>();
    memory.hold(VariableId(variable), {period, record, 0, 0, 0}, bytes);
    return bytes;
  }
  FilePeriod period(std::int64_t number = 1) const { return {FileId(0), number}; }

  const SmallPlan small = two_axes();
  HeldMemory memory{small.plan};
};

TEST_F(HeldMemoryTest, keep_a_part_until_its_record_is_in_the_file_with_those_of_all_variables_of_the_axis) {
  const auto first = hold(0, 0), first_of_u = hold(2, 0), second = hold(0, 1), mean = hold(1, 0);

  memory.take(Progress{period(), 0, 2, 0});
  EXPECT_FALSE(first.expired());
  memory.take(Progress{period(), 0, 2, 1});

  EXPECT_TRUE(first.expired() && first_of_u.expired());
  EXPECT_FALSE(second.expired() || mean.expired());
  memory.take(Progress{period(), 1, 1, 1});
  EXPECT_TRUE(mean.expired());
  memory.take(Progress{period(), 0, 2, 2});
  EXPECT_TRUE(memory.is_empty());
}

TEST_F(HeldMemoryTest, leave_another_period_alone) {
  const auto next = hold(0, 0, 2);

  memory.take(Progress{period(1), 0, 5, 5});

  EXPECT_FALSE(next.expired());
}

TEST_F(HeldMemoryTest, keep_nothing_of_a_file_that_failed_nor_take_it_later) {
  const auto early = hold(0, 3), of_another = hold(0, 0, 2);

  memory.take(Closing{period(), true, false, {0, 0}});
  const auto late = hold(1, 0);

  EXPECT_TRUE(early.expired() && late.expired());
  EXPECT_FALSE(of_another.expired());
}

TEST_F(HeldMemoryTest, keep_nothing_of_records_that_the_file_does_not_have) {
  const auto kept = hold(0, 1), beyond = hold(0, 2), mean_beyond = hold(1, 0);

  memory.take(Closing{period(), false, false, {2, 0}});

  EXPECT_FALSE(kept.expired());
  EXPECT_TRUE(beyond.expired() && mean_beyond.expired());
}

TEST_F(HeldMemoryTest, keep_nothing_of_periods_behind_the_last_one) {
  const auto last = hold(0, 0, 1), early = hold(0, 0, 2);

  memory.take(Closing{period(1), false, true, {}});
  const auto late = hold(0, 0, 3);

  EXPECT_FALSE(last.expired());
  EXPECT_TRUE(early.expired() && late.expired());
}

}  // namespace
}  // namespace pileus::testing
