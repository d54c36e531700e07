// Points that ranks hold in orders of their own: the files are those of the same model in boxes on one rank,
// or of points on one rank where nobody has some, to the byte, whatever the deal is.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "core/log.h"
#include "core/testing/temporary_directory.h"
#include "server/testing/orders.h"
#include "state/checkpoint_folders.h"
#include "tests/scenarios/point_runs.h"

namespace pileus::testing {
namespace {

class Points : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("SOURCE_DATE_EPOCH", "0", 1);
    log::set_level(log::Level::error);
  }

  static SimulatedRun run_of(const PointRunModel& model, ServerRank servers, std::uint64_t order,
                             const std::string& configuration = configuration_of_points()) {
    SimulatedRun run;
    run.configuration = configuration;
    run.ranks = model.ranks;
    run.servers = servers;
    run.seed = order;
    run.model = model;
    return run;
  }
  static SimulatedResult result_of(const SimulatedRun& run) {
    SimulatedResult result = simulate(run);
    EXPECT_EQ(result.errors, "");
    for (const std::string& error : result.model_errors) EXPECT_EQ(error, "");
    EXPECT_TRUE(result.leftovers.empty());
    return result;
  }
  static void expect_same(const std::map<std::string, std::string>& right, const SimulatedResult& result) {
    ASSERT_EQ(right.size(), result.files.size());
    for (const auto& [name, bytes] : right) EXPECT_TRUE(result.files.at(name) == bytes) << name;
    std::filesystem::remove_all(result.directory);
  }
  static std::map<std::string, std::string> files_of(const SimulatedRun& run) {
    SimulatedResult result = result_of(run);
    std::filesystem::remove_all(result.directory);
    EXPECT_GT(result.files.size(), 3U);
    return std::move(result.files);
  }
};

TEST_F(Points, give_the_bytes_of_boxes_for_any_deal_ranks_and_servers) {
  const auto right = files_of(run_of({}, 1, 1));
  expect_same(right, result_of(run_of({3}, 2, 1)));
  for (std::uint64_t seed = 1; seed <= as_many_as_asked(84); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RanksAndServers layout = layout_to_try(seed);
    SimulatedRun run = run_of({layout.ranks, seed}, layout.servers, seed);
    if (seed % 4 == 1) run.slow_server = static_cast<ServerRank>(seed % layout.servers);
    if (seed % 4 == 2) run.slow_rank = static_cast<ClientRank>(seed % layout.ranks);
    if (seed % 5 == 0) {
      for (ClientRank rank = 0; rank < layout.ranks; ++rank)
        run.served_by.push_back(rank == 0 ? 0 : static_cast<ServerRank>(mixed(seed + rank) % layout.servers));
    }
    expect_same(right, result_of(run));
    if (HasFailure()) return;
  }
}

TEST_F(Points, that_nobody_has_are_missing_in_the_same_places) {
  PointRunModel one{1, 2};
  one.has_land = true;
  const auto right = files_of(run_of(one, 1, 1));
  for (std::uint64_t seed = 1; seed <= as_many_as_asked(42); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RanksAndServers layout = layout_to_try(seed);
    PointRunModel model{layout.ranks, seed};
    model.has_land = true;
    expect_same(right, result_of(run_of(model, layout.servers, seed)));
    if (HasFailure()) return;
  }
}

TEST_F(Points, of_two_ranks_count_once) {
  PointRunModel one{1, 2};
  one.is_shared = true;
  const auto right = files_of(run_of(one, 1, 1));
  for (std::uint64_t seed = 1; seed <= as_many_as_asked(28); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    PointRunModel model{static_cast<ClientRank>(1 + seed % 6), seed};
    model.is_shared = true;
    expect_same(right, result_of(run_of(model, static_cast<ServerRank>(1 + seed % 3), seed)));
    if (HasFailure()) return;
  }
}

TEST_F(Points, of_two_ranks_are_compared_where_somebody_asks_for_it) {
  PointRunModel model{3, 1};
  model.is_shared = true;
  SimulatedRun run = run_of(model, 2, 1);
  setenv("PILEUS_CHECK_SHARED_POINTS", "yes", 1);
  const SimulatedResult result = simulate(run);
  unsetenv("PILEUS_CHECK_SHARED_POINTS");
  EXPECT_NE(result.errors.find(" has another value of \"a\" in point "), std::string::npos) << result.errors;
  EXPECT_EQ(result.files, files_of(run));
}

TEST_F(Points, of_two_ranks_refuse_the_run_by_name_where_they_are_not_said_to_be_shared) {
  PointRunModel model{3, 5};
  SimulatedRun run = run_of(model, 2, 1);
  run.model = [model](Client& client, ClientRank rank) {
    client.dimension({"x", kPointsNx, {}, ""});
    client.dimension({"y", kPointsNy, {}, ""});
    client.dimension({"z", kPointsNz, {}, ""});
    std::vector<Index> indices;
    for (Index i = rank; i < kPointsNx * kPointsNy; i += 3) indices.push_back(i);
    if (rank == 2) indices.front() = 24;
    const auto count = static_cast<Index>(indices.size());
    client.points({"cells", {"x", "y"}}, {count}, indices.data());
    client.field({"a", ElementType::float64, {"cells", "z"}, {{0, 0}, {count, kPointsNz}}});
    client.field({"b", ElementType::float32, {"z", "cells"}, {{0, 0}, {kPointsNz, count}}});
    client.field({"c", ElementType::int32, {"cells"}, {{0}, {count}}});
    client.static_field(client.field({"area", ElementType::float64, {"cells"}, {{0}, {count}}}));
    client.dimension({"w", 3, {}, ""});
    client.field({"e", ElementType::float64, {"w"}, {{rank}, {1}}});
    client.commit();
  };
  const SimulatedResult result = simulate(run);
  for (const std::string& error : result.model_errors)
    EXPECT_NE(error.find("points \"cells\": model ranks 0 and 2 both hold point 24 (x 2, y 2)"),
              std::string::npos)
        << error;
}

TEST_F(Points, wait_for_little_memory_and_for_each_other_without_an_end) {
  const auto right = files_of(run_of({}, 1, 1, configuration_of_points("<memory budget=\"300 KiB\"/>")));
  for (std::uint64_t seed = 1; seed <= as_many_as_asked(42); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RanksAndServers layout = layout_to_try(seed);
    SimulatedRun run = run_of({layout.ranks, seed}, layout.servers, seed,
                              configuration_of_points("<memory budget=\"300 KiB\"/>"));
    run.is_disk_slow = seed % 2 == 0;
    if (seed % 3 == 0) run.slow_server = static_cast<ServerRank>(seed % layout.servers);
    SimulatedResult result = result_of(run);
    expect_same(right, result);
    if (HasFailure()) return;
  }
}

/// What is left out follows from the order of events, so that the files are not compared.
TEST_F(Points, end_in_order_where_records_are_left_out) {
  const std::string text =
      configuration_of_points("<memory budget=\"300 KiB\"/>", "", " when_memory_full=\"drop\"");
  std::int64_t left_out = 0;
  for (std::uint64_t seed = 1; seed <= std::max<std::uint64_t>(8, as_many_as_asked(28)); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SimulatedRun run = run_of({static_cast<ClientRank>(1 + seed % 5), seed},
                              static_cast<ServerRank>(1 + seed % 3), seed, text);
    run.is_disk_slow = true;
    const SimulatedResult result = result_of(run);
    for (const auto& [series, records] : result.figures.dropped) left_out += records;
    std::filesystem::remove_all(result.directory);
    if (HasFailure()) return;
  }
  EXPECT_GT(left_out, 0);
}

TEST_F(Points, that_are_laid_aside_give_the_same_bytes) {
  const auto text = [](const std::string& folder) {
    return configuration_of_points("<memory budget=\"300 KiB\" spill_directory=\"" + folder + "\"/>", "",
                                   " when_memory_full=\"spill\"");
  };
  const TemporaryDirectory folder{fast_directory()};
  const auto right = files_of(run_of({}, 1, 1, text(folder.path())));
  std::int64_t spilled = 0;
  for (std::uint64_t seed = 1; seed <= as_many_as_asked(28); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SimulatedRun run = run_of({static_cast<ClientRank>(2 + seed % 4), seed},
                              static_cast<ServerRank>(1 + seed % 3), seed, text(folder.path()));
    run.slow_rank = 0;
    run.is_spill_slow = seed % 3 == 0;
    const SimulatedResult result = result_of(run);
    for (const ServerFigures& server : result.figures.servers) spilled += server.spilled_parcels;
    expect_same(right, result);
    if (HasFailure()) return;
  }
  EXPECT_GT(spilled, 0);
}

/// The clock goes on without it, and so does everybody else.
TEST_F(Points, of_a_rank_that_finishes_early_are_missing_and_hold_nobody) {
  for (std::uint64_t seed = 1; seed <= as_many_as_asked(28); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    PointRunModel model{static_cast<ClientRank>(2 + seed % 4), seed};
    SimulatedRun run = run_of(model, static_cast<ServerRank>(1 + seed % 3), seed,
                              configuration_of_points("<memory budget=\"300 KiB\"/>"));
    run.model = [model](Client& client, ClientRank rank) {
      PointRunModel one = model;
      if (rank == model.ranks - 1) one.leaves_after = 3;
      one(client, rank);
    };
    const SimulatedResult result = simulate(run);
    EXPECT_NE(result.errors.find("finished after step 3"), std::string::npos) << result.errors;
    EXPECT_TRUE(result.leftovers.empty());
    EXPECT_FALSE(result.files.empty());
    std::filesystem::remove_all(result.directory);
    if (HasFailure()) return;
  }
}

TEST_F(Points, that_are_optional_and_absent_leave_records_out_as_in_boxes) {
  PointRunModel boxes;
  boxes.leaves_b_out = [](std::int64_t step) { return step % 3 == 0; };
  const auto right = files_of(run_of(boxes, 1, 1));
  for (std::uint64_t seed = 1; seed <= as_many_as_asked(28); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RanksAndServers layout = layout_to_try(seed);
    PointRunModel model{layout.ranks, seed};
    model.leaves_b_out = boxes.leaves_b_out;
    expect_same(right, result_of(run_of(model, layout.servers, seed)));
    if (HasFailure()) return;
  }
}

TEST_F(Points, go_on_after_a_kill_with_another_deal_of_other_ranks) {
  constexpr std::int64_t kCut = 3;
  const auto right = files_of(run_of({}, 1, 1));
  for (std::uint64_t seed = 1; seed <= as_many_as_asked(28); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::function<void()> kill, rest;
    std::string directory;
    PointRunModel model{static_cast<ClientRank>(1 + seed % 4), seed};
    if (seed % 7 == 0) model.deal_seed.reset();
    model.checkpoint = kCut;
    model.before_step = [&](std::int64_t step, ClientRank rank) {
      if (rank != 0 || step <= kCut + static_cast<std::int64_t>(seed % 3)) return;
      while (!std::filesystem::exists(checkpoint_folder(directory, kCut))) rest();
      kill();
      rest();
    };
    SimulatedRun before = run_of(model, static_cast<ServerRank>(1 + seed % 3), seed);
    before.kill = &kill;
    before.rest = &rest;
    before.prepare_directory = [&](const std::string& made) { directory = made; };
    simulate(before);

    PointRunModel other{static_cast<ClientRank>(1 + seed % 5), seed + 100};
    if (seed % 5 == 0) other.deal_seed.reset();
    other.continue_after = kCut;
    SimulatedRun after = run_of(other, static_cast<ServerRank>(1 + seed % 2), seed + 1);
    after.directory = directory;
    expect_same(right, result_of(after));
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace pileus::testing
