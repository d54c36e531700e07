// Files with a compressed variable and plain ones, or with slabs that few servers write, on disks that are
// slow, fail or fill up, with memory for one parcel of each rank. Nothing hangs, other files are right,
// nothing is left behind, and memory stays bounded.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include "core/log.h"
#include "server/testing/small_model.h"
#include "tests/scenarios/failing_file_system.h"
#include "tests/scenarios/full_file_system.h"
#include "tests/scenarios/scenario.h"

namespace pileus::testing {
namespace {

constexpr int kSteps = 14;

/// "mixed" has w compressed (1848 bytes a record), vwp_local plain and distributed (616 bytes) and dt plain;
/// in "plain" nothing is compressed.
constexpr const char* kMixed = R"xml(<io-configuration>
  <server-configuration><memory budget="1"/></server-configuration>
  <data-definition name="fields" frequency="1">
    <field name="w" type="array" data_type="double" size="z,y,x" collective="true"/>
    <field name="vwp_local" type="array" data_type="double" size="y,x" collective="true"/>
    <field name="dt" type="scalar" data_type="double"/>
  </data-definition>
  <data-writing>
    <file name="mixed.nc" write_time_frequency="20" deflate="1" when_full="skip">
      <include field="w" time_manipulation="none"/>
      <include field="w" time_manipulation="averaged" output_frequency="5"/>
      <include field="vwp_local" time_manipulation="none"/>
      <include field="vwp_local" time_manipulation="averaged" output_frequency="5"/>
      <include field="dt" time_manipulation="none"/>
    </file>
    <file name="plain.nc" write_time_frequency="20">
      <include field="vwp_local" time_manipulation="none"/>
    </file>
  </data-writing>
</io-configuration>
)xml";

std::string few_writers(std::string text) {
  text.replace(text.find("deflate=\"1\""), std::string("deflate=\"1\"").size(), "writers=\"2\"");
  const std::string plain = "<file name=\"plain.nc\"";
  return text.insert(text.find(plain) + plain.size(), " writers=\"1\"");
}

/// With true nothing is compressed: one or two servers write all of a file.
class PackedScenario : public ::testing::TestWithParam<bool> {
 protected:
  static void SetUpTestSuite() {
    setenv("SOURCE_DATE_EPOCH", "0", 1);
    log::set_level(log::Level::error);
  }
  using Prepare = std::function<void(SimulatedRun&, std::uint64_t seed)>;
  using Check = std::function<void(const SimulatedResult&)>;

  SimulatedRun mixed(ClientRank ranks, ServerRank servers, std::uint64_t seed) const {
    SimulatedRun run;
    run.configuration = GetParam() ? few_writers(kMixed) : kMixed;
    run.ranks = ranks;
    run.servers = servers;
    run.seed = seed;
    run.largest_packed_bytes = seed % 2 == 0 ? 400 : Index{4} << 20;
    run.model = SmallModel{varying_steps(kSteps), ranks, seed % 3 == 0};
    return run;
  }

  /// 80 orders of arrival over all layouts of 1 to 6 ranks and 1 to 3 servers, with one chunk a record and
  /// with several; PILEUS_SCENARIO_ORDERS asks for another number. A run that stands still throws.
  void expect_in_every_order(const Prepare& prepare, const Check& check) {
    const char* asked = std::getenv("PILEUS_SCENARIO_ORDERS");
    const std::uint64_t orders = asked ? static_cast<std::uint64_t>(std::max(1, std::atoi(asked))) : 80;
    for (std::uint64_t seed = 1; seed <= orders; ++seed) {
      const auto ranks = 1 + static_cast<ClientRank>(seed % 6);
      const auto servers = 1 + static_cast<ServerRank>(seed / 6 % 3);
      SCOPED_TRACE(std::to_string(ranks) + " ranks, " + std::to_string(servers) + " servers, seed " +
                   std::to_string(seed));
      is_in_chunks_ = seed % 2 == 0;
      SimulatedRun run = mixed(ranks, servers, seed);
      prepare(run, seed);
      SimulatedResult result;
      try {
        result = simulate(run);
      } catch (const std::exception& error) {
        FAIL() << error.what();
      }
      for (const std::string& name : result.leftovers) ADD_FAILURE() << name << " is left\n" << result.errors;
      check(result);
      std::filesystem::remove_all(result.directory);
      if (HasFailure()) return;
    }
  }

  /// The files of a run in which nothing is slow and nothing fails.
  const std::map<std::string, std::string>& right_files() const {
    static std::map<std::pair<bool, bool>, std::map<std::string, std::string>> files;
    const auto [found, is_new] = files.try_emplace({GetParam(), is_in_chunks_});
    if (is_new) found->second = simulate(mixed(1, 1, is_in_chunks_ ? 2 : 1)).files;
    return found->second;
  }
  void expect_all_right(const SimulatedResult& result) const {
    EXPECT_EQ(result.errors, "");
    EXPECT_EQ(result.files.size(), right_files().size());
    expect_published_right(result);
  }
  void expect_published_right(const SimulatedResult& result) const {
    for (const auto& [name, bytes] : result.files) {
      ASSERT_TRUE(right_files().contains(name)) << name;
      ASSERT_TRUE(bytes == right_files().at(name)) << name << " differs";
    }
  }

 private:
  bool is_in_chunks_ = false;
};

INSTANTIATE_TEST_SUITE_P(Files, PackedScenario, ::testing::Values(false, true), [](const auto& one) {
  return std::string(one.param ? "of_few_writers" : "compressed");
});

TEST_P(PackedScenario, everything_may_be_slow_where_one_parcel_fills_the_memory) {
  expect_in_every_order(
      [](SimulatedRun& run, std::uint64_t seed) {
        run.is_disk_slow = seed % 5 != 0;
        run.is_library_slow = seed % 7 < 4;
        if (seed % 3 == 0) run.slow_server = static_cast<ServerRank>(seed / 3 % run.servers);
        if (seed % 4 == 0) run.slow_rank = static_cast<ClientRank>(seed / 4 % run.ranks);
      },
      [&](const SimulatedResult& result) {
        EXPECT_GT(right_files().size(), 2U);
        expect_all_right(result);
      });
}

constexpr std::array kCalls = {DiskCall::write_at, DiskCall::sync, DiskCall::reserve, DiskCall::open_parts};

TEST_P(PackedScenario, one_call_that_fails_costs_one_file) {
  std::unique_ptr<FailingFileSystem> disk;
  expect_in_every_order(
      [&](SimulatedRun& run, std::uint64_t seed) {
        const int number = 1 + static_cast<int>(seed / kCalls.size() % 17);
        disk = std::make_unique<FailingFileSystem>(kCalls[seed % kCalls.size()], number, false);
        disk->set_bears_positioned_writes(seed % 5 != 0);
        run.files = disk.get();
        run.is_disk_slow = seed % 7 == 0;
        run.is_library_slow = seed % 11 < 4;
      },
      [&](const SimulatedResult& result) {
        if (disk->failures() == 0) return expect_all_right(result);  // there were fewer calls
        EXPECT_EQ(result.files.size(), right_files().size() - 1) << result.errors;
        expect_published_right(result);
        expect_all_told(result, {disk->failed_path(), "No space left on device"});
      });
}

TEST_P(PackedScenario, a_disk_that_fails_for_good_hangs_nobody_and_publishes_nothing_wrong) {
  std::unique_ptr<FailingFileSystem> disk;
  expect_in_every_order(
      [&](SimulatedRun& run, std::uint64_t seed) {
        const int number = 1 + static_cast<int>(seed / kCalls.size() % 29);
        disk = std::make_unique<FailingFileSystem>(kCalls[seed % kCalls.size()], number, true);
        run.files = disk.get();
        run.is_disk_slow = seed % 7 == 0;
        run.is_library_slow = seed % 11 < 4;
      },
      [&](const SimulatedResult& result) {
        expect_published_right(result);
        if (disk->failures() > 0) expect_all_told(result, {"No space left on device"});
        EXPECT_EQ(result.errors.find("never complete"), std::string::npos) << result.errors;
      });
}

TEST_P(PackedScenario, one_servers_full_disk_hangs_nobody) {
  std::unique_ptr<FailingFileSystem> full;
  expect_in_every_order(
      [&](SimulatedRun& run, std::uint64_t seed) {
        full =
            std::make_unique<FailingFileSystem>(DiskCall::write_at, 1 + static_cast<int>(seed / 5 % 9), true);
        const auto at = static_cast<ServerRank>(seed % run.servers);
        run.files_of = [&full, at](ServerRank server) { return server == at ? full.get() : nullptr; };
      },
      [&](const SimulatedResult& result) {
        expect_published_right(result);
        if (full->failures() > 0) expect_all_told(result, {"No space left on device"});
        EXPECT_EQ(result.errors.find("never complete"), std::string::npos) << result.errors;
      });
}

/// With memory for one parcel of each rank the model waits for the disk too, and nothing hangs.
TEST_P(PackedScenario, a_disk_that_is_full_for_a_while_costs_nothing) {
  std::unique_ptr<FullFileSystem> full;
  int refused = 0;
  expect_in_every_order(
      [&](SimulatedRun& run, std::uint64_t seed) {
        full =
            std::make_unique<FullFileSystem>(1 + static_cast<int>(seed % 67), 1 + static_cast<int>(seed % 8));
        full->set_bears_positioned_writes(seed % 5 != 0);
        run.disk_patience.total_s = 10;  // longer than it is full
        run.is_disk_slow = seed % 7 == 0;
        run.is_library_slow = seed % 11 < 4;
        // The disk of one server is full, or those of all.
        const auto at = static_cast<ServerRank>(seed / 2 % run.servers);
        run.files_of = [&full, at, seed](ServerRank server) {
          return server == at || seed % 2 == 0 ? full.get() : nullptr;
        };
      },
      [&](const SimulatedResult& result) {
        expect_all_right(result);
        refused += full->refused() > 0 ? 1 : 0;
      });
  EXPECT_GT(refused, 0);
}

TEST_P(PackedScenario, a_file_that_is_skipped_hangs_nobody_and_costs_no_other) {
  std::unique_ptr<FullFileSystem> full;
  int skipped = 0;
  expect_in_every_order(
      [&](SimulatedRun& run, std::uint64_t seed) {
        full = std::make_unique<FullFileSystem>(1 + static_cast<int>(seed % 41), FullFileSystem::kForGood,
                                                "mixed_20.nc");
        full->set_bears_positioned_writes(seed % 5 != 0);
        run.files = full.get();
        run.is_disk_slow = seed % 7 == 0;
        run.is_library_slow = seed % 11 < 4;
        run.disk_patience.total_s = 0.02;
      },
      [&](const SimulatedResult& result) {
        if (full->refused() == 0) return expect_all_right(result);  // it took less
        ++skipped;
        EXPECT_EQ(result.files.size(), right_files().size() - 1) << result.errors;
        EXPECT_FALSE(result.files.contains("mixed_20.nc"));
        expect_published_right(result);
        expect_all_told(result, {"mixed_20.nc", "No space left on device"});
        EXPECT_EQ(result.errors.find("never complete"), std::string::npos) << result.errors;
      });
  EXPECT_GT(skipped, 0);
}

/// The last rank, the only one that holds some chunks, leaves after step 3.
TEST_P(PackedScenario, a_rank_that_leaves_early_holds_nobody_up) {
  expect_in_every_order(
      [](SimulatedRun& run, std::uint64_t seed) {
        run.is_disk_slow = seed % 2 == 1;
        run.is_library_slow = seed % 3 == 1;
        const SmallModel whole{varying_steps(kSteps), run.ranks, seed % 3 == 0};
        SmallModel short_one = whole;
        short_one.steps.resize(3);
        run.model = [whole, short_one, last = run.ranks - 1](Client& client, ClientRank rank) {
          rank == last&& rank > 0 ? short_one(client, rank) : whole(client, rank);
        };
      },
      [&](const SimulatedResult& result) {
        EXPECT_EQ(result.files.size(), right_files().size()) << result.errors;
        EXPECT_EQ(result.errors.find("never complete"), std::string::npos) << result.errors;
      });
}

/// Notes the most steps that ranks had begun when space was made on the disk for the first time.
class NotingDisk : public FailingFileSystem {
 public:
  explicit NotingDisk(const std::vector<std::int64_t>& begun)
      : FailingFileSystem(DiskCall::write_at, 1'000'000, false), begun_(begun) {}
  void reserve(const std::string& path, std::uint64_t first, std::uint64_t length) override {
    if (most_ < 0) most_ = *std::ranges::max_element(begun_);
    FailingFileSystem::reserve(path, first, length);
  }
  std::int64_t most() const { return most_; }

 private:
  const std::vector<std::int64_t>& begun_;
  std::int64_t most_ = -1;
};

TEST_P(PackedScenario, what_waits_for_a_slow_disk_elsewhere_keeps_its_senders_room) {
  std::vector<std::int64_t> begun;
  std::unique_ptr<NotingDisk> disk;
  expect_in_every_order(
      [&](SimulatedRun& run, std::uint64_t seed) {
        // Only records that others put together.
        const std::string mixed = run.configuration;
        const auto first = mixed.find("      <include field=\"vwp_local\"");
        const auto rest = mixed.find("  </data-writing>");
        run.configuration = mixed.substr(0, first) + "    </file>\n" + mixed.substr(rest);
        begun.assign(run.ranks, 0);
        disk = std::make_unique<NotingDisk>(begun);
        run.files = disk.get();
        run.is_library_slow = true;
        run.model = [&begun, model = SmallModel{varying_steps(kSteps), run.ranks, seed % 3 == 0}](
                        Client& client, ClientRank rank) {
          SmallModel one = model;
          one.before_step = [&begun, rank](const Step& step) { begun[rank] = step.index; };
          one(client, rank);
        };
      },
      [&](const SimulatedResult& result) {
        EXPECT_EQ(result.errors, "");
        // The parcel of step 1 keeps the room until its record is in the file, and step 2 waits for it.
        EXPECT_LE(disk->most(), 3);
        EXPECT_GE(disk->most(), 1);
      });
}

}  // namespace
}  // namespace pileus::testing
