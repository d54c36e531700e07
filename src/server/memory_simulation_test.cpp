// Runs whose servers have memory for one step, in any order, with what lags behind: they neither hang nor
// differ, and the model does not run ahead of what lags.

#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "core/log.h"
#include "disk/passing_files.h"
#include "server/testing/orders.h"
#include "server/testing/small_model.h"

namespace pileus::testing {
namespace {

/// Means of 15 s of a sum over all ranks and of columns that each holds: what travels waits for records, what
/// stays is written in parts. `distributed`: what else.
std::string configuration(const std::string& budget, const std::string& distributed = "") {
  return R"xml(<io-configuration>
  <server-configuration><memory budget=")xml" +
         budget + R"xml("/></server-configuration>
  <data-definition name="raw_fields" frequency="1">
    <field name="w" type="array" data_type="double" size="z,y,x" collective="true"/>
  </data-definition>
  <data-definition name="seldom" frequency="3">
    <field name="vwp_local" type="array" data_type="double" optional="true"/>
  </data-definition>
  <data-handling>
    <diagnostic field="profile">
      <operator name="localreduce" operator="mean" dimensions="y,x" result="local" field="w"/>
      <communication name="reduction" operator="mean" result="profile" field="local" root="auto"/>
    </diagnostic>
    <diagnostic field="path">
      <operator name="localreduce" operator="sum" result="path_local" field="vwp_local"/>
      <communication name="reduction" operator="sum" result="path" field="path_local" root="auto"/>
    </diagnostic>
  </data-handling>
  <data-writing>
    <file name="means.nc" write_time_frequency="60">
      <include field="profile" time_manipulation="averaged" output_frequency="15"/>
    </file>
    <file name="series.nc" write_time_frequency="1000">
      <include field="path" time_manipulation="none"/>
      <include field="profile" time_manipulation="none"/>
    </file>)xml" +
         distributed + R"xml(
  </data-writing>
</io-configuration>
)xml";
}

constexpr const char* kFields = R"xml(
    <file name="fields.nc" write_time_frequency="30" deflate="1">
      <include field="w" time_manipulation="instantaneous" output_frequency="5"/>
      <include field="profile" time_manipulation="none"/>
    </file>
    <file name="plain.nc" write_time_frequency="30">
      <include field="w" time_manipulation="none"/>
    </file>)xml";

/// A disk on which owners of files write alone.
class LonelyFiles : public PassingFiles {
 public:
  bool bears_positioned_writes(const std::string&) override { return false; }
};

class LittleMemory : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("SOURCE_DATE_EPOCH", "0", 1);
    log::set_level(log::Level::error);
  }
  static SimulatedRun run_of(ClientRank ranks, ServerRank servers, std::uint64_t seed,
                             const std::string& xml) {
    SimulatedRun run;
    run.configuration = xml;
    run.ranks = ranks;
    run.servers = servers;
    run.seed = seed;
    run.defers = seed % 5 != 0;
    run.model = SmallModel{varying_steps(14), ranks, seed % 2 == 0};
    return run;
  }
};

TEST_F(LittleMemory, makes_no_run_hang_or_differ_whatever_is_slow) {
  // The configuration stands in the files, so each budget has a reference of its own.
  std::map<std::string, SimulatedResult> references;
  for (const std::string budget : {"1", "100 KiB"})
    references[budget] = simulate(run_of(1, 1, 0, configuration(budget, kFields)));

  LonelyFiles lonely;
  const std::uint64_t seeds = as_many_as_asked(112);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const auto [ranks, servers] = layout_to_try(seed);
    const std::string budget = seed / 4 % 7 == 0 ? "100 KiB" : "1";
    SimulatedRun run = run_of(ranks, servers, seed, configuration(budget, kFields));
    if (seed % 4 == 1) run.slow_rank = static_cast<ClientRank>(seed / 4 % ranks);
    if (seed % 4 == 2) run.slow_server = static_cast<ServerRank>(seed / 4 % servers);
    run.is_disk_slow = seed % 4 == 3;
    run.is_library_slow = seed % 8 == 7;
    if (seed % 3 == 0) run.most_unreceived = 1;
    if (seed % 5 == 1) run.files = &lonely;
    const SimulatedResult result = simulate(run);
    std::filesystem::remove_all(result.directory);
    const std::string what = "seed " + std::to_string(seed);
    ASSERT_EQ(result.errors, "") << what;
    ASSERT_TRUE(result.leftovers.empty()) << what;
    ASSERT_TRUE(result.files == references[budget].files) << what;
  }
}

/// Words of steps that are done go up a tree of up to four levels, and some ranks hold nothing of any field.
TEST_F(LittleMemory, makes_no_run_hang_or_differ_on_many_servers) {
  std::map<std::string, SimulatedResult> references;
  for (const std::string budget : {"1", "100 KiB", "4 MiB"})
    references[budget] = simulate(run_of(1, 1, 0, configuration(budget, kFields)));

  for (std::uint64_t seed = 1; seed <= as_many_as_asked(24); ++seed) {
    const auto servers = 6 + static_cast<ServerRank>(seed * 5 % 19);
    const std::string budget = seed % 3 == 0 ? "4 MiB" : seed % 3 == 1 ? "1" : "100 KiB";
    SimulatedRun run = run_of(servers + seed % 2, servers, seed, configuration(budget, kFields));
    if (seed % 4 == 1) run.slow_server = static_cast<ServerRank>(seed % servers);
    if (seed % 4 == 2) run.slow_rank = static_cast<ClientRank>(seed % servers);
    const SimulatedResult result = simulate(run);
    std::filesystem::remove_all(result.directory);
    const std::string what = "seed " + std::to_string(seed);
    ASSERT_EQ(result.errors, "") << what;
    ASSERT_TRUE(result.files == references[budget].files) << what;
  }
}

/// How many steps rank 0 is ahead of the last rank at most.
std::int64_t furthest_ahead(SimulatedRun run) {
  const ClientRank last = run.ranks - 1;
  std::vector<std::int64_t> begun(run.ranks, 0);
  std::int64_t ahead = 0;
  const ClientRank ranks = run.ranks;
  run.model = [&, ranks](Client& client, ClientRank rank) {
    SmallModel model{varying_steps(40), ranks};
    model.before_step = [&](const Step& step) {
      begun[rank] = step.index;
      ahead = std::max(ahead, begun[0] - begun[last]);
    };
    model(client, rank);
  };
  const SimulatedResult result = simulate(run);
  EXPECT_EQ(result.errors, "");
  for (const std::string& error : result.model_errors) EXPECT_EQ(error, "");
  return ahead;
}

TEST_F(LittleMemory, keeps_rank_0_from_running_ahead_of_one_of_three_servers_that_stands_still) {
  for (std::uint64_t seed = 1; seed <= as_many_as_asked(12); ++seed) {
    SimulatedRun run = run_of(3, 3, seed, configuration("1"));
    run.slow_server = 2;
    // A step that fits, a step whose clock waits, a step for which rank 0 claims memory; rank 2 one before.
    EXPECT_LE(furthest_ahead(run), 4) << seed;
  }
}

TEST_F(LittleMemory, keeps_rank_0_from_running_ahead_of_a_rank_that_is_slow) {
  for (std::uint64_t seed = 1; seed <= as_many_as_asked(12); ++seed) {
    SimulatedRun run = run_of(4, 2, seed, configuration("1"));
    run.slow_rank = 3;
    EXPECT_LE(furthest_ahead(run), 4) << seed;
  }
}

/// The errors of a run of three ranks in which rank 1 makes other steps than the others.
std::string said_where_rank_1_makes(std::vector<Step> steps, SimulatedRun run) {
  run.model = [steps](Client& client, ClientRank rank) {
    SmallModel{rank == 1 ? steps : varying_steps(14), 3}(client, rank);
  };
  return simulate(run).errors;
}

TEST_F(LittleMemory, does_not_keep_a_rank_that_left_out_a_step_from_being_found) {
  std::vector<Step> steps = varying_steps(14);
  steps.erase(steps.begin() + 5);
  for (std::uint64_t seed = 1; seed <= as_many_as_asked(12); ++seed) {
    const std::string said = said_where_rank_1_makes(steps, run_of(3, 2, seed, configuration("1", kFields)));
    EXPECT_NE(said.find("model rank 1 left out step 6"), std::string::npos) << said;
  }
}

TEST_F(LittleMemory, does_not_hold_a_run_up_that_one_rank_leaves_early) {
  for (std::uint64_t seed = 1; seed <= as_many_as_asked(12); ++seed) {
    const std::string said =
        said_where_rank_1_makes(varying_steps(6), run_of(3, 2, seed, configuration("1", kFields)));
    EXPECT_NE(said.find("model rank 1 finished after step 6"), std::string::npos) << said;
  }
}

}  // namespace
}  // namespace pileus::testing
