#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <vector>

#include "core/log.h"
#include "server/testing/orders.h"
#include "server/testing/same_files.h"
#include "server/testing/small_model.h"

namespace pileus::testing {
namespace {

/// The shape of the paper's listings 1 to 3, with two files and every manipulation.
constexpr const char* kListings = R"xml(<io-configuration>
  <data-definition name="raw_fields" frequency="2">
    <field name="w" type="array" data_type="double" size="z,y,x" collective="true" units="m s-1"/>
  </data-definition>
  <data-definition name="columns" frequency="1">
    <field name="vwp_local" type="array" data_type="double" optional="true"/>
    <field name="dt" type="scalar" data_type="double" units="s"/>
  </data-definition>
  <data-handling>
    <diagnostic field="VWP_mean" type="scalar" data_type="double" units="kg m-2">
      <operator name="localreduce" operator="sum" result="VWP_mean_loc_reduced" field="vwp_local"/>
      <communication name="reduction" operator="sum" result="VWP_mean_g" field="VWP_mean_loc_reduced"
        root="auto"/>
      <operator name="arithmetic" result="VWP_mean" equation="VWP_mean_g/({x_size}*{y_size})"/>
    </diagnostic>
    <diagnostic field="w_profile" units="m s-1">
      <operator name="localreduce" operator="mean" dimensions="y,x" result="w_local" field="w"/>
      <communication name="reduction" operator="mean" result="w_profile" field="w_local"/>
    </diagnostic>
    <diagnostic field="w_max" units="m s-1">
      <operator name="localreduce" operator="max" result="w_local_max" field="w"/>
      <communication name="reduction" operator="max" result="w_max" field="w_local_max"/>
    </diagnostic>
    <diagnostic field="w_scaled">
      <operator name="arithmetic" result="w_scaled" equation="2*w - dt^2/3"/>
    </diagnostic>
  </data-handling>
  <group name="3d_fields"><member name="w"/><member name="w_scaled"/></group>
  <data-writing>
    <file name="profile_ts.nc" write_time_frequency="30" title="Profile diagnostics">
      <include field="VWP_mean" time_manipulation="averaged" output_frequency="10.0"/>
      <include field="w_profile" time_manipulation="averaged" output_frequency="10.0"/>
      <include group="3d_fields" time_manipulation="instantaneous" output_frequency="5.0"/>
    </file>
    <file name="more.nc" write_time_frequency="45">
      <include field="w_max" time_manipulation="none"/>
      <include field="w" time_manipulation="averaged" output_frequency="15"/>
    </file>
  </data-writing>
</io-configuration>
)xml";

SimulatedResult simulate_listings(ClientRank ranks, ServerRank servers, std::uint64_t seed, bool is_uneven,
                                  const std::string& configuration = kListings,
                                  Index largest_packed_bytes = Index{4} << 20,
                                  const std::vector<ServerRank>& served_by = {}) {
  SimulatedRun run;
  run.served_by = served_by;
  run.largest_packed_bytes = largest_packed_bytes;
  run.configuration = configuration;
  run.ranks = ranks;
  run.servers = servers;
  run.seed = seed;
  run.defers = seed % 3 != 0;
  run.model = SmallModel{varying_steps(14), ranks, is_uneven};
  return simulate(run);
}

class SimulatedRunTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("SOURCE_DATE_EPOCH", "0", 1);
    log::set_level(log::Level::error);
  }
};

TEST_F(SimulatedRunTest, publishes_every_file_of_the_listings) {
  const SimulatedResult result = simulate_listings(1, 1, 1, false);

  EXPECT_EQ(result.errors, "");
  EXPECT_EQ(result.model_errors, std::vector<std::string>{""});
  EXPECT_TRUE(result.leftovers.empty());
  EXPECT_TRUE(result.files.contains("profile_ts_30.nc")) << result.report;
  EXPECT_TRUE(result.files.contains("more_45.nc")) << result.report;
  EXPECT_EQ(result.files.size(), 4u) << result.report;
}

TEST_F(SimulatedRunTest, reports_what_every_rank_and_server_did) {
  const SimulatedResult result = simulate_listings(3, 2, 1, false);
  const RunReport& figures = result.figures;

  ASSERT_EQ(figures.clients.size(), 3u);
  for (const RunReport::Client& client : figures.clients) {
    EXPECT_EQ(client.end.steps, 14);
    EXPECT_GE(client.end.inside_s, client.end.put_s + client.end.waiting_s);
    EXPECT_GT(client.end.put_s, 0);
  }
  ASSERT_EQ(figures.servers.size(), 2u);
  for (const ServerFigures& server : figures.servers) {
    EXPECT_GT(server.wall_s, server.idle_s);
    EXPECT_GE(server.idle_s, 0);
    for (double work_s : {server.analysis_s, server.messages_s, server.writing_s}) {
      EXPECT_GT(work_s, 0);
      EXPECT_LT(work_s, server.wall_s);
    }
    EXPECT_GT(server.most_tasks, 0);
    EXPECT_GT(server.messages, 0);
  }
  // A step of the smallest rank's w is 3 x 7 x 3 doubles.
  EXPECT_GT(figures.servers[0].most_parcel_bytes, 3 * 7 * 3 * 8);
  const std::vector<RunReport::Series> series = figures.series();
  ASSERT_EQ(series.size(), 2u);
  EXPECT_EQ(series[0].name, "more.nc");
  EXPECT_EQ(series[1].published, 2);
  EXPECT_GT(series[1].median_latency_s, 0);
  // Three ranks, 14 steps; every second one has w.
  EXPECT_EQ(figures.costs.at("localreduce \"w_local_max\" of diagnostic \"w_max\"").runs, 3u * 7u);
}

TEST_F(SimulatedRunTest, publishes_the_same_bytes_whichever_server_a_rank_has) {
  const SimulatedResult reference = simulate_listings(1, 1, 0, false);

  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](std::uint64_t n) { return static_cast<std::uint32_t>(random() % n); };
    const ClientRank ranks = 1 + (seed % 6 == 0 ? 12 : 0) + below(6);
    const ServerRank servers = 1 + below(seed % 6 == 0 ? 12 : 4);
    std::vector<ServerRank> served_by(ranks);
    for (ClientRank rank = 1; rank < ranks; ++rank) served_by[rank] = below(servers);  // some have none
    const Index largest_packed_bytes = seed % 2 == 0 ? 64 : Index{4} << 20;

    const SimulatedResult result =
        simulate_listings(ranks, servers, seed, seed % 3 == 0, kListings, largest_packed_bytes, served_by);

    std::filesystem::remove_all(result.directory);
    expect_same_files(reference.files, result, "seed " + std::to_string(seed));
    if (HasFatalFailure()) return;
  }
}

TEST_F(SimulatedRunTest, publishes_the_same_bytes_for_every_layout_and_order_of_arrival) {
  const SimulatedResult reference = simulate_listings(1, 1, 0, false);
  std::uint64_t seed = 1;

  for (const auto& [ranks, servers] : layouts_to_try()) {
    for (int repeat = 0; repeat < orders(); ++repeat, ++seed) {
      const bool is_uneven = seed % 2 == 0;
      const SimulatedResult result = simulate_listings(ranks, servers, seed, is_uneven);
      std::filesystem::remove_all(result.directory);
      expect_same_files(reference.files, result,
                        std::to_string(ranks) + " ranks, " + std::to_string(servers) + " servers, seed " +
                            std::to_string(seed));
      if (HasFatalFailure()) return;
    }
  }
}

/// Turned, rounded and compressed variables beside others, two of them on one axis and one on another.
constexpr const char* kStored = R"xml(<io-configuration>
  <time calendar="noleap" epoch="1850-01-01"/>
  <dimension name="z" axis="Z" positive="up" bounds="true"/>
  <data-definition name="raw_fields" frequency="1">
    <field name="w" type="array" data_type="double" size="z,y,x" collective="true" units="m s-1"/>
    <field name="dt" type="scalar" data_type="double" units="s"/>
  </data-definition>
  <data-handling>
    <diagnostic field="w_scaled" significant_bits="12">
      <operator name="arithmetic" result="w_scaled" equation="2*w - dt^2/3"/>
    </diagnostic>
    <diagnostic field="w_profile">
      <operator name="localreduce" operator="mean" dimensions="y,x" result="w_local" field="w"/>
      <communication name="reduction" operator="mean" result="w_profile" field="w_local"/>
    </diagnostic>
  </data-handling>
  <data-writing>
    <file name="stored_{index}.nc" write_time_frequency="30" order="time,z,y,x" deflate="1">
      <include field="w" time_manipulation="instantaneous" output_frequency="5"/>
      <include field="w_scaled" time_manipulation="instantaneous" output_frequency="5"/>
      <include field="w" time_manipulation="averaged" output_frequency="10" precision="float"
               order="time,y,z,x"/>
      <include field="dt" time_manipulation="none"/>
      <include field="w_profile" time_manipulation="none"/>
    </file>
    <file name="plain.nc" write_time_frequency="1000" order="time,z,y,x">
      <include field="w" time_manipulation="none" significant_bits="9"/>
    </file>
  </data-writing>
</io-configuration>
)xml";

/// A record of w has 3 x 7 x 11 doubles, 1848 bytes: one chunk, or a chunk for each level and 4 of its 7
/// rows, the last of which reach past the extents.
class ChunksOfStored : public SimulatedRunTest, public ::testing::WithParamInterface<Index> {};

TEST_P(ChunksOfStored, are_turned_rounded_and_compressed_to_the_same_bytes_for_every_layout_and_order) {
  const SimulatedResult reference = simulate_listings(1, 1, 0, false, kStored, GetParam());
  EXPECT_TRUE(reference.files.contains("stored_0001.nc")) << reference.errors << reference.report;
  EXPECT_TRUE(reference.files.contains("plain_1000.nc"));

  for (std::uint64_t seed = 1; seed <= 90; ++seed) {
    const auto [ranks, servers] = layout_to_try(seed);
    const SimulatedResult result =
        simulate_listings(ranks, servers, seed, seed % 2 == 0, kStored, GetParam());
    std::filesystem::remove_all(result.directory);
    expect_same_files(reference.files, result, "seed " + std::to_string(seed));
    if (HasFatalFailure()) return;
  }
}

TEST_P(ChunksOfStored, that_no_rank_holds_entirely_are_the_same_for_every_layout_and_order) {
  const auto simulate_holes = [](ClientRank ranks, ServerRank servers, std::uint64_t seed) {
    SimulatedRun run;
    run.configuration = kStored;
    // As it lies in memory x is slowest, so that chunks of "m" are slabs of x and the last of nobody.
    const std::string last = "</data-writing>";
    run.configuration.insert(run.configuration.find(last), R"(<file name="m.nc" write_time_frequency="1000"
      deflate="1"><include field="w" time_manipulation="none"/></file>)");
    run.largest_packed_bytes = GetParam();
    run.ranks = ranks;
    run.servers = servers;
    run.seed = seed;
    run.model = SmallModel{varying_steps(14), ranks, seed % 2 == 0, 5};
    return simulate(run);
  };
  const SimulatedResult reference = simulate_holes(1, 1, 0);
  EXPECT_NE(
      reference.report.find("m.nc: w has _FillValue in 126 of 231 elements, within x 5:11, y 0:7, z 0:3"),
      std::string::npos)
      << reference.report;

  for (std::uint64_t seed = 1; seed <= 54; ++seed) {
    const SimulatedResult result = simulate_holes(1 + static_cast<ClientRank>(seed % 6),
                                                  1 + static_cast<ServerRank>(seed / 6 % 3), seed);
    std::filesystem::remove_all(result.directory);
    expect_same_files(reference.files, result, "seed " + std::to_string(seed));
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(SimulatedRun, ChunksOfStored, ::testing::Values(Index{4} << 20, Index{400}));

TEST_F(SimulatedRunTest, neither_hangs_nor_differs_when_one_parcel_fills_the_budget) {
  std::string configuration = kListings;
  configuration.insert(configuration.find("<data-definition"),
                       R"(<server-configuration><memory budget="1"/></server-configuration>)");
  const SimulatedResult reference = simulate_listings(1, 1, 0, false, configuration);

  const std::uint64_t seeds = as_many_as_asked(90);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const auto ranks = 1 + static_cast<ClientRank>(seed % 6);
    const auto servers = 1 + static_cast<ServerRank>(seed % 3);
    const SimulatedResult result = simulate_listings(ranks, servers, seed, seed % 2 == 0, configuration);
    std::filesystem::remove_all(result.directory);
    expect_same_files(reference.files, result, "seed " + std::to_string(seed));
    if (HasFatalFailure()) return;
  }
}

TEST_F(SimulatedRunTest, neither_hangs_nor_differs_when_one_or_two_messages_may_be_on_their_way) {
  const SimulatedResult reference = simulate_listings(1, 1, 0, false);

  const std::uint64_t seeds = as_many_as_asked(60);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const auto ranks = 1 + static_cast<ClientRank>(seed % 6);
    SimulatedRun run;
    run.configuration = kListings;
    run.ranks = ranks;
    run.servers = 1 + static_cast<ServerRank>(seed / 6 % 3);
    run.seed = seed;
    run.most_unreceived = 1 + seed % 2;
    run.defers = seed % 3 != 0;
    run.model = SmallModel{varying_steps(14), ranks, seed % 5 == 0};
    const SimulatedResult result = simulate(run);
    std::filesystem::remove_all(result.directory);
    expect_same_files(reference.files, result, "seed " + std::to_string(seed));
    if (HasFatalFailure()) return;
  }
}

/// Nothing is wanted of its steps. Rank 0 sends its clock alone, and checkpoints ask for markers.
class StepsThatWantNothing : public SimulatedRunTest, public ::testing::WithParamInterface<bool> {};

TEST_P(StepsThatWantNothing, wait_for_a_server_that_does_not_receive) {
  SimulatedRun run;
  run.configuration = R"xml(<io-configuration>
    <data-definition name="raw_fields" frequency="1">
      <field name="w" type="array" data_type="double" size="z,y,x" collective="true"/>
    </data-definition>
    <data-writing><file name="w.nc" write_time_frequency="1000">
      <include field="w" time_manipulation="instantaneous" output_frequency="1000"/></file></data-writing>
    </io-configuration>)xml";
  run.slow_server = 0;
  run.most_unreceived = 4;
  std::int64_t received = 0, furthest_ahead = 0;
  run.on_message = [&](Peer to) { received += to == 1 ? 1 : 0; };
  SmallModel model{varying_steps(40)};
  const std::int64_t messages_a_step = GetParam() ? 2 : 1;
  if (GetParam()) model.checkpoints = {5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19};
  model.before_step = [&](const Step& step) {
    if (step.index > 20) return;  // behind the checkpoints
    const std::int64_t sent =
        GetParam() ? step.index - 1 + std::max<std::int64_t>(0, step.index - 5) : step.index - 1;
    furthest_ahead = std::max(furthest_ahead, sent - (received - 1));  // without the registration
  };
  run.model = model;

  const SimulatedResult result = simulate(run);

  EXPECT_EQ(result.errors, "");
  EXPECT_LE(furthest_ahead, 4);
  EXPECT_GE(furthest_ahead, 4 - messages_a_step);
  EXPECT_GT(result.figures.clients.at(0).end.waiting_s, 0);
}

INSTANTIATE_TEST_SUITE_P(SimulatedRun, StepsThatWantNothing, ::testing::Values(false, true));

}  // namespace
}  // namespace pileus::testing
