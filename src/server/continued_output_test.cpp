// Runs that are killed and continued: every file is that of the run that was not.

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "core/log.h"
#include "output/testing/dropping_files.h"
#include "server/testing/output_run.h"
#include "server/testing/small_model.h"

namespace pileus::testing {
namespace {

using Texts = std::vector<std::string>;

/// Plain and compressed files with two axes, one of them with bounds; one that is long.
constexpr const char* kFiles = R"xml(<io-configuration>
  <data-definition name="fields" frequency="1">
    <field name="w" type="array" data_type="double" size="z,y,x" collective="true"/>
    <field name="vwp" type="array" data_type="double" size="y,x" collective="true"/>
    <field name="dt" type="scalar" data_type="double"/>
  </data-definition>
  <data-writing>
    <file name="plain.nc" write_time_frequency="30">
      <include field="w" time_manipulation="none"/>
      <include field="vwp" time_manipulation="averaged" output_frequency="5"/>
      <include field="dt" time_manipulation="none"/>
    </file>
    <file name="packed.nc" write_time_frequency="40" deflate="1">
      <include field="w" time_manipulation="none"/>
      <include field="w" time_manipulation="averaged" output_frequency="5"/>
      <include field="vwp" time_manipulation="none"/>
    </file>
    <file name="long.nc" write_time_frequency="100000">
      <include field="vwp" time_manipulation="none"/>
      <include field="vwp" time_manipulation="averaged" output_frequency="25"/>
    </file>
  </data-writing>
</io-configuration>
)xml";

std::vector<Step> steps_with_checkpoints(int count, const std::set<std::int64_t>& checkpoints) {
  std::vector<Step> steps = varying_steps(count);
  for (Step& step : steps) step.is_checkpoint = checkpoints.contains(step.index) ? 1 : 0;
  return steps;
}

/// The beginning of the file, and whatever HDF5 has a mark for: none of it is data.
void tear_metadata(const std::string& path) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const auto tear = [&](std::size_t at, std::size_t length) {
    for (std::size_t i = at; i < std::min(at + length, bytes.size()); ++i) bytes[i] = static_cast<char>(0xA5);
  };
  tear(0, 2048);
  for (const char* mark : {"TREE", "SNOD", "HEAP", "OHDR", "OCHK", "FRHP", "FHDB", "BTHD", "BTLF", "GCOL"}) {
    for (std::size_t at = 0; (at = bytes.find(mark, at)) != std::string::npos; ++at) tear(at, 32);
  }
  file.seekp(0);
  file.write(bytes.data(), std::ssize(bytes));
}

class ContinuedOutput : public ::testing::Test {
 protected:
  ContinuedOutput() : root_(::testing::TempDir() + "/continued_XXXXXX") {
    if (::mkdtemp(root_.data()) == nullptr) throw OutputError("no temporary directory");
    log::set_level(log::Level::error);
    setting_.configuration = kFiles;
    setting_.steps = steps_with_checkpoints(30, {9, 17});
  }
  ~ContinuedOutput() override { std::filesystem::remove_all(root_); }

  std::string directory(const std::string& name) const {
    std::filesystem::create_directory(root_ + "/" + name);
    return root_ + "/" + name;
  }
  /// The files of a run that nothing disturbs.
  std::map<std::string, std::string> undisturbed() const {
    OutputSetting setting = setting_;
    setting.directory = directory("undisturbed");
    setting.clients = 1;
    setting.servers = 1;
    OutputRun run(setting);
    run.run();
    EXPECT_TRUE(run.open_texts().empty()) << run.open_texts().front();
    const auto files = files_in(setting.directory);
    EXPECT_EQ(files.size(), run.published().size());
    return files;
  }
  /// Kills a run `tasks` tasks after the state of `step` was kept; that state.
  StateEntries killed(const OutputSetting& setting, std::int64_t step, std::size_t tasks) const {
    OutputRun run(setting);
    std::size_t left = tasks;
    run.run([&] { return run.has_kept(step) && left-- == 0; });
    EXPECT_EQ(run.errors(), Texts());
    EXPECT_TRUE(run.has_kept(step)) << "seed " << setting.seed;
    return run.kept()[step];
  }
  void expect_equal(const std::map<std::string, std::string>& files,
                    const std::map<std::string, std::string>& expected, const std::string& what) const {
    for (const auto& [name, bytes] : expected) {
      ASSERT_TRUE(files.contains(name)) << name << ", " << what;
      EXPECT_TRUE(files.at(name) == bytes) << name << ", " << what;
    }
    for (const auto& [name, bytes] : files) {
      EXPECT_TRUE(name.starts_with(".") || expected.contains(name)) << name << ", " << what;
    }
  }

  std::string root_;
  OutputSetting setting_;
};

TEST_F(ContinuedOutput, is_kept_once_for_each_checkpoint_on_each_server) {
  OutputSetting setting = setting_;
  setting.directory = directory("kept");
  setting.servers = 3;
  OutputRun run(setting);

  run.run();

  EXPECT_EQ(run.errors(), Texts());
  EXPECT_EQ(run.open_texts(), Texts());
  ASSERT_EQ(run.said().size(), 6U);
  for (const auto& [who, times] : run.said()) EXPECT_EQ(times, 1);
}

TEST_F(ContinuedOutput, has_the_bytes_of_a_run_that_was_not_killed) {
  const auto expected = undisturbed();
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    OutputSetting setting = setting_;
    setting.directory = directory("run" + std::to_string(seed));
    setting.seed = seed;
    const std::int64_t step = seed % 2 == 0 ? 9 : 17;
    const StateEntries state = killed(setting, step, (seed * 37) % 900);
    for (const auto& [name, bytes] : files_in(setting.directory)) {
      if (name.starts_with(".") && seed % 3 == 0) tear_metadata(setting.directory + "/" + name);
    }
    setting.continued = &state;
    setting.continued_after = step;
    setting.attempt = 1;
    setting.clients = 1 + static_cast<ClientRank>(seed % 5);
    setting.servers = std::min<ServerRank>(setting.clients, 1 + static_cast<ServerRank>(seed % 3));
    OutputRun run(setting);

    run.run();

    EXPECT_EQ(run.errors(), Texts()) << "seed " << seed;
    EXPECT_EQ(run.open_texts(), Texts()) << "seed " << seed;
    EXPECT_EQ(run.not_continued(), Texts()) << "seed " << seed;
    expect_equal(files_in(setting.directory), expected, "seed " + std::to_string(seed));
  }
}

}  // namespace
}  // namespace pileus::testing
