// Whole runs with files of which only the newest is kept, killed and continued: at the end there are the
// files of the run that was not killed, and at every moment there was a whole one.

#include <gtest/gtest.h>

#include <fstream>

#include "server/testing/killed_runs.h"
#include "server/testing/orders.h"

namespace pileus::testing {
namespace {

using NewestFiles = ContinuedRun;

/// Short periods, so that many are replaced between a checkpoint and a kill, and one whose axes are of
/// different lengths, so that periods are under way together.
std::string newest_files() {
  const std::string newest = " keep=\"newest\"";
  return file("means", "write_time_frequency=\"5\"" + newest, kFields, "averaged", "5") +
         file("packed", "write_timestep_frequency=\"2\" deflate=\"1\"" + newest, "w dt", "none", "") +
         file("folder/long", "write_time_frequency=\"17\"" + newest, "w vwp", "averaged", "4") +
         "<file name=\"mixed.nc\" write_time_frequency=\"6\"" + newest + R"xml(>
      <include field="w" time_manipulation="averaged" output_frequency="11"/>
      <include field="vwp" time_manipulation="instantaneous" output_frequency="3"/>
    </file>)xml" +
         file("all", "write_time_frequency=\"15\"", "w dt", "averaged", "5");
}

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

const std::vector<std::string> kNames = {"means.nc", "packed.nc", "folder/long.nc", "mixed.nc"};

/// What stood under each name, one after the other.
std::map<std::string, Texts> all_versions(const RunOf& run) {
  SimulatedRun one = run.in_layout(1, 1, 0);
  std::string directory;
  std::map<std::string, Texts> versions;
  const auto look = [&](bool) {
    for (const std::string& name : kNames) {
      std::string bytes = bytes_of(directory + "/" + name);
      if (versions[name].empty() || versions[name].back() != bytes) versions[name].push_back(bytes);
    }
  };
  one.prepare_directory = [&](const std::string& made) { directory = made; };
  one.on_poll = look;
  one.model = run.model(1, 1);
  EXPECT_EQ(simulate(one).errors, "");
  look(false);
  std::filesystem::remove_all(directory);
  return versions;
}

TEST_F(NewestFiles, replace_the_ones_before_in_any_layout) {
  const RunOf run{configuration(newest_files())};
  const std::map<std::string, std::string> right = run.uninterrupted_files();
  std::set<std::string> names;
  for (const auto& [name, bytes] : right) names.insert(name);
  EXPECT_EQ(names, (std::set<std::string>{"means.nc", "packed.nc", "mixed.nc", "all_15.nc", "all_30.nc",
                                          "all_45.nc", "all_60.nc"}));
  for (std::uint64_t seed = 1; seed <= as_many_as_asked(20); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SimulatedRun any = run.in_any_layout(seed);
    any.model = run.model(any.ranks, seed);
    const SimulatedResult result = simulate(any);
    expect_files(result, right);
    std::filesystem::remove_all(result.directory);
    if (HasFailure()) return;
  }
}

TEST_F(NewestFiles, are_right_wherever_the_run_is_killed_and_as_often) {
  const RunOf run{configuration(newest_files())};
  const std::map<std::string, std::string> right = run.uninterrupted_files();
  const auto versions = all_versions(run);
  EXPECT_GT(versions.at("means.nc").size(), 8U);
  int kills = 0;
  const std::uint64_t seeds = as_many_as_asked(60);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const SimulatedResult result = run.killed_again_and_again(seed, [&](const SimulatedResult& left) {
      ++kills;
      for (const std::string& name : kNames) {
        const std::string found = bytes_of(left.directory + "/" + name);
        EXPECT_TRUE(std::ranges::count(versions.at(name), found)) << name << " is not whole";
      }
    });
    expect_files(result, right);
    EXPECT_EQ(bytes_of(result.directory + "/folder/long.nc"), versions.at("folder/long.nc").back());
    std::filesystem::remove_all(result.directory);
    if (HasFailure()) return;
  }
  EXPECT_GT(kills, static_cast<int>(seeds / 2));
}

/// A checkpoint long before the kill: the files that were under way then have been replaced.
TEST_F(NewestFiles, are_right_where_the_run_goes_on_from_long_before) {
  const RunOf run{configuration(newest_files())};
  const std::map<std::string, std::string> right = run.uninterrupted_files();
  for (std::uint64_t seed = 1; seed <= as_many_as_asked(30); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto cut = static_cast<std::int64_t>(2 + seed % 6);
    const SimulatedResult killed = run.killed_after({cut}, seed, {});
    for (const std::int64_t before : {12, 13, 14}) run.killed_before(before, cut, killed.directory, seed + 7);
    const SimulatedResult result = run.continued_after(cut, killed.directory, seed + 1000);
    expect_files(result, right);
    std::filesystem::remove_all(result.directory);
    if (HasFailure()) return;
  }
}

/// A job that ends within periods, whose files are published as they are, and the next one of the chain.
TEST_F(NewestFiles, go_on_where_a_run_ended_before) {
  const RunOf run{configuration(newest_files())};
  const std::map<std::string, std::string> right = run.uninterrupted_files();
  for (std::uint64_t seed = 1; seed <= as_many_as_asked(30); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::size_t last = 4 + seed % 7;
    const auto cut = static_cast<std::int64_t>(last - seed % 3);
    const SimulatedResult ended = run.ended_after(last, cut, seed);
    const SimulatedResult result = run.continued_after(cut, ended.directory, seed + 1000);
    expect_files(result, right);
    std::filesystem::remove_all(result.directory);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace pileus::testing
