#include "dropped/dropped_axes.h"

#include <gtest/gtest.h>

namespace pileus {
namespace {

TEST(DroppedAxes, know_each_axis_with_its_first_reason) {
  DroppedAxes dropped;
  dropped.add(ScheduleId(300), WhyDropped::trigger);
  dropped.add(ScheduleId(2), WhyDropped::asked);
  dropped.add(ScheduleId(300), WhyDropped::memory);

  EXPECT_EQ(dropped.why(ScheduleId(300)), WhyDropped::trigger);
  EXPECT_EQ(dropped.why(ScheduleId(2)), WhyDropped::asked);
  EXPECT_FALSE(dropped.has(ScheduleId(3)));
  EXPECT_FALSE(dropped.has(ScheduleId(1'000'000)));
  EXPECT_FALSE(dropped.has(ScheduleId()));
  EXPECT_EQ(dropped.axes().size(), 2U);

  dropped.clear();
  EXPECT_TRUE(dropped.empty());
  EXPECT_FALSE(dropped.has(ScheduleId(300)));
}

TEST(DroppedAxes, travel_with_the_clock) {
  const DroppedAxes dropped = {{ScheduleId(7), WhyDropped::memory}, {ScheduleId(0), WhyDropped::asked}};
  Bytes bytes;
  Encoder out(bytes);
  dropped.encode(out);
  Decoder in(bytes);
  EXPECT_EQ(DroppedAxes::decode(in), dropped);

  for (const std::uint8_t why : {0, 4}) {
    Bytes wrong = bytes;
    wrong.back() = std::byte{why};
    Decoder damaged(wrong);
    EXPECT_THROW(DroppedAxes::decode(damaged), TransportError);
  }
  Bytes far = bytes;
  far[sizeof(std::uint64_t) + 3] = std::byte{0x7f};
  Decoder damaged(far);
  EXPECT_THROW(DroppedAxes::decode(damaged), TransportError);
}

}  // namespace
}  // namespace pileus
