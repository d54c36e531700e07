#include "plan/step_limits.h"

#include "core/error.h"
#include "layout/test_config.h"

namespace pileus::planning_test {
namespace {

/// Every second step takes samples of two scalars.
Plan plan_of_limits() {
  ConfigBuilder config;
  config.group("slow", 2);
  for (const char* name : {"a", "b", "c"}) config.field(name);
  config.file("f.nc");
  config.include("a", "averaged", 10);
  config.include("b", "averaged", 10);
  config.include("c", "instantaneous", 10);
  ModelBuilder model(2);
  model.field("a").field("b").field("c");
  return plan_of(config, model).plan;
}

TEST(StepLimits, name_what_is_written_the_file_and_the_frequency) {
  const std::vector<StepLimit> limits = step_limits(plan_of_limits());

  ASSERT_GE(limits.size(), 2U);
  EXPECT_TRUE(limits[0].ends_records);
  EXPECT_EQ(limits[0].what.substr(0, 24), "a and b of \"f.nc\" (io.xm");
  EXPECT_NE(limits[0].what.find("), averaged each 10 s"), std::string::npos) << limits[0].what;
  EXPECT_FALSE(limits[1].ends_records);  // one record in each step, however long it is
}

/// Steps 2 and 4 take samples, so the length of step 3 counts in step 4.
TEST(StepLimits, count_from_the_last_step_that_was_a_sample) {
  StepLimits limits(step_limits(plan_of_limits()), 0);
  limits.advance({2, 100, 50});

  EXPECT_EQ(limits.problem({3, 2'000'100, 2'000'000}), "");  // step 3 takes no sample
  limits.advance({3, 900'000, 1});

  EXPECT_EQ(limits.problem({4, 1'000'099, 1}), "");
  EXPECT_NE(limits.problem({4, 1'000'100, 1}), "");
}

TEST(StepLimits, travel_and_refuse_damage) {
  const std::vector<StepLimit> limits = step_limits(plan_of_limits());
  Bytes bytes;
  Encoder out(bytes);
  encode(limits, out);

  Decoder in(bytes);
  const std::vector<StepLimit> read = decode_step_limits(in);

  EXPECT_TRUE(in.is_at_end());
  ASSERT_EQ(read.size(), limits.size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    EXPECT_EQ(read[i].frequency, limits[i].frequency);
    EXPECT_EQ(read[i].ends_records, limits[i].ends_records);
    EXPECT_EQ(read[i].sampling.cadence, limits[i].sampling.cadence);
    EXPECT_EQ(read[i].what, limits[i].what);
  }
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    Decoder cut{std::span<const std::byte>(bytes).first(size)};
    EXPECT_THROW(decode_step_limits(cut), TransportError) << size;
  }
}

}  // namespace
}  // namespace pileus::planning_test
