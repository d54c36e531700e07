#include "explain/expected_load.h"

#include <gtest/gtest.h>

namespace pileus::explain {
namespace {

/// Ten steps, in which 4 ranks send 40 messages of 1 MB: 4 × 10 µs and 4 MB × 0.2 ns a step, 0.84 ms. One
/// rule runs 40 times on 4 000 000 elements a step with 2 operations: 4 µs and 4 ms. A file of 10 MB: 1 ms a
/// step.
Explanation ten_steps() {
  Explanation all;
  all.steps.steps.resize(10);
  all.plan.layout = {4, 1, {}};
  all.run.from_ranks.assign(4, Traffic{10, 10'000'000});
  RuleCost cost;
  cost.runs = 40;
  cost.steps = 10;
  cost.elements = 4'000'000;
  cost.operations = 2;
  all.rules = {cost};
  ExpectedFile file;
  file.size_bytes = 10'000'000;
  all.files = {file};
  ExpectedMemory memory;
  memory.parcel_bytes = 2'000'000;
  all.memory = {memory};
  return all;
}

TEST(ExpectedLoad, is_the_sum_of_what_messages_rules_and_files_cost) {
  const ExpectedLoad load = expected_load(ten_steps());

  EXPECT_NEAR(load.receiving_s, 0.84e-3, 1e-9);
  EXPECT_NEAR(load.analysis_s, 4.004e-3, 1e-9);
  EXPECT_NEAR(load.writing_s, 1e-3, 1e-9);
}

TEST(ExpectedLoad, what_is_compressed_costs_more) {
  Explanation all = ten_steps();
  all.files[0].packed_bytes = 100'000'000;

  EXPECT_NEAR(expected_load(all).writing_s, 1e-3 + 0.34, 1e-9);
}

TEST(ExpectedLoad, servers_are_at_work_half_of_the_time_at_most) {
  const ExpectedLoad load{0.01, 0.02, 0.01};

  EXPECT_EQ(servers_for(load, 1), 1U);
  EXPECT_EQ(servers_for(load, 0.08), 1U);
  EXPECT_EQ(servers_for(load, 0.0799), 2U);
  EXPECT_EQ(servers_for(load, 0.01), 8U);
  EXPECT_EQ(servers_for(load, 1e-12), 1'000'000U);
  EXPECT_EQ(servers_for({}, 1), 1U);
}

TEST(ExpectedLoad, says_how_many_servers_would_do) {
  const std::vector<std::string> texts = load_texts(ten_steps(), 0.005);

  ASSERT_EQ(texts.size(), 3U);
  EXPECT_EQ(texts[0],
            "a step is some 5.8 ms of work for the servers: 840 us to receive, 4 ms to analyse, 1 ms to "
            "write, each "
            "to within a factor of two or three");
  // 5.844 ms / 5 ms / 0.5 = 2.3 servers; three are at work 39 % of the time.
  EXPECT_EQ(
      texts[1],
      "where the model takes 5 ms for a step, 3 servers for these 4 model ranks would do, and have nothing "
      "to do 61 % of the time");
  EXPECT_EQ(texts[2], "a server of the 1 that the plan has takes 2.0 MB if it keeps up with the model");
}

TEST(ExpectedLoad, says_for_several_numbers_where_nobody_knows_how_long_a_step_takes) {
  EXPECT_EQ(
      load_texts(ten_steps(), std::nullopt)[1],
      "these 4 model ranks need, for steps that take the model no less: 1 server for 12 ms, 2 servers for "
      "5.8 ms, 4 servers for 2.9 ms");
}

}  // namespace
}  // namespace pileus::explain
