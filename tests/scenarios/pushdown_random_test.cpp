// What model ranks hand over in place of fields, in runs that also have optional fields which are not put in
// some steps, policies for full memory, several threads and checkpoints: the files are the bytes of one rank
// and one server that hands over whole fields.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "core/log.h"
#include "server/testing/orders.h"
#include "state/checkpoint_folders.h"
#include "tests/scenarios/volume_runs.h"

namespace pileus::testing {
namespace {

constexpr std::int64_t kCut = 4;

struct RandomRun {
  std::uint64_t seed;
  std::string configuration;

  explicit RandomRun(std::uint64_t number, const std::string& budget = "1 GiB")
      : seed(number),
        configuration(RandomConfiguration::text(number, "<memory budget=\"" + budget + "\"/>", policy(number),
                                                number % 4 != 0)) {}
  static std::string policy(std::uint64_t number) {
    const char* const words[] = {"wait", "thin", "drop"};
    return std::string(" when_memory_full=\"") + words[number % 3] + "\"";
  }

  VolumeModel model(ClientRank ranks) const {
    VolumeModel model{ranks, seed % 2 == 0, seed % 8};
    model.puts_from_threads = seed % 3 == 1;
    if (seed % 4 != 0) {
      model.leaves_out = [salt = seed](int field, std::int64_t step) {
        return field > 0 && mixed(salt * 1000 + static_cast<std::uint64_t>(10 * step + field)) % 3 == 0;
      };
    }
    return model;
  }
  SimulatedRun of(ClientRank ranks, ServerRank servers, std::uint64_t order, const char* pushdown) const {
    pushdown == nullptr ? unsetenv("PILEUS_PUSHDOWN") : setenv("PILEUS_PUSHDOWN", pushdown, 1);
    SimulatedRun run;
    run.configuration = configuration;
    run.ranks = ranks;
    run.servers = servers;
    run.seed = order;
    run.model = model(ranks);
    run.change_endpoint = [](std::unique_ptr<Endpoint> below) {
      return std::make_unique<FarEndpoint>(std::move(below));
    };
    return run;
  }
};

class RandomPushdown : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("SOURCE_DATE_EPOCH", "0", 1);
    log::set_level(log::Level::error);
  }
  void TearDown() override { unsetenv("PILEUS_PUSHDOWN"); }

  static std::uint64_t handed_over(const SimulatedResult& result) {
    std::uint64_t bytes = 0;
    for (const RunReport::Client& client : result.figures.clients) bytes += client.end.bytes;
    return bytes;
  }
  static SimulatedResult result_of(const SimulatedRun& run) {
    SimulatedResult result = simulate(run);
    EXPECT_EQ(result.errors, "");
    for (const std::string& error : result.model_errors) EXPECT_EQ(error, "");
    return result;
  }
  static void expect_same(const std::map<std::string, std::string>& right, const SimulatedResult& result) {
    ASSERT_EQ(right.size(), result.files.size());
    for (const auto& [name, bytes] : right) EXPECT_TRUE(result.files.at(name) == bytes) << name;
  }
};

TEST_F(RandomPushdown, gives_the_bytes_of_one_rank_and_one_server_that_hands_over_whole_fields) {
  std::uint64_t whole_bytes = 0, extract_bytes = 0;
  for (std::uint64_t seed = 1; seed <= as_many_as_asked(48); ++seed) {
    const RandomRun random(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + random.configuration);
    const SimulatedResult right = result_of(random.of(1, 1, 1, "no"));
    const auto ranks = static_cast<ClientRank>(1 + seed % 5);
    const SimulatedResult extracts =
        result_of(random.of(ranks, static_cast<ServerRank>(1 + seed % 3), seed, nullptr));
    ASSERT_FALSE(right.files.empty());
    expect_same(right.files, extracts);
    whole_bytes += handed_over(right);
    extract_bytes += handed_over(extracts);
    for (const SimulatedResult* result : {&right, &extracts}) std::filesystem::remove_all(result->directory);
    if (HasFailure()) return;
  }
  EXPECT_LT(extract_bytes, whole_bytes / 4 * 3) << "otherwise nothing was tried";
}

/// The run before hands over extracts or whole fields, and so does the one that goes on, as it likes.
TEST_F(RandomPushdown, gives_them_when_a_run_is_continued_with_other_numbers_and_extracts) {
  for (std::uint64_t seed = 1; seed <= as_many_as_asked(32); ++seed) {
    const RandomRun random(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + random.configuration);
    const SimulatedResult right = result_of(random.of(1, 1, 1, "no"));

    SimulatedRun before =
        random.of(static_cast<ClientRank>(1 + seed % 4), static_cast<ServerRank>(1 + seed % 3), seed,
                  seed % 3 == 0 ? "no" : nullptr);
    std::function<void()> kill, rest;
    std::string directory;
    before.kill = &kill;
    before.rest = &rest;
    before.prepare_directory = [&](const std::string& made) { directory = made; };
    VolumeModel model = random.model(before.ranks);
    model.checkpoint = kCut;
    model.before_step = [&](std::int64_t step, ClientRank rank) {
      if (rank != 0 || step <= kCut + static_cast<std::int64_t>(seed % 3)) return;
      while (!std::filesystem::exists(checkpoint_folder(directory, kCut))) rest();
      kill();
      rest();
    };
    before.model = model;
    simulate(before);

    SimulatedRun after =
        random.of(static_cast<ClientRank>(1 + seed % 5), static_cast<ServerRank>(1 + seed % 2), seed + 1,
                  seed % 2 == 0 ? "no" : nullptr);
    VolumeModel rest_of_it = random.model(after.ranks);
    rest_of_it.continue_after = kCut;
    after.model = rest_of_it;
    after.directory = directory;
    expect_same(right.files, result_of(after));
    std::filesystem::remove_all(right.directory);
    std::filesystem::remove_all(directory);
    if (HasFailure()) return;
  }
}

/// What is left out follows from the order of events, so that the files are not compared. In one run of some
/// nothing is, so that there are always several.
TEST_F(RandomPushdown, ends_in_order_where_memory_is_full_and_records_are_left_out) {
  std::int64_t left_out = 0;
  for (std::uint64_t seed = 1; seed <= std::max<std::uint64_t>(8, as_many_as_asked(24)); ++seed) {
    const RandomRun random(3 * seed + 1 + seed % 2, "1200 KiB");
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + random.configuration);
    SimulatedRun run = random.of(static_cast<ClientRank>(1 + seed % 4), static_cast<ServerRank>(1 + seed % 3),
                                 seed, seed % 4 == 0 ? "no" : nullptr);
    run.is_disk_slow = true;
    const SimulatedResult result = result_of(run);
    EXPECT_TRUE(result.leftovers.empty());
    for (const auto& [series, records] : result.figures.dropped) left_out += records;
    std::filesystem::remove_all(result.directory);
    if (HasFailure()) return;
  }
  EXPECT_GT(left_out, 0);
}

}  // namespace
}  // namespace pileus::testing
