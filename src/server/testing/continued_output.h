#pragma once
// Runs of the output alone that are killed and continued from the state that they kept.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/log.h"
#include "core/testing/temporary_directory.h"
#include "server/testing/output_run.h"
#include "server/testing/small_model.h"

namespace pileus::testing {

using Texts = std::vector<std::string>;

/// Plain and compressed files with two axes, one of them with bounds; one that is long.
inline constexpr const char* kContinuedFiles = R"xml(<io-configuration>
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
    <file name="near.nc" write_time_frequency="40" deflate="1">
      <include field="w" time_manipulation="none" write_if="rms relative 0.5" at_least_every="7 s"/>
      <include field="w" time_manipulation="averaged" output_frequency="5" write_if="max 1e99"/>
      <include field="w" name="apart" time_manipulation="none" per="chunk" write_if="max 3"/>
    </file>
    <file name="long.nc" write_time_frequency="100000">
      <include field="vwp" time_manipulation="none"/>
      <include field="vwp" time_manipulation="averaged" output_frequency="25"/>
    </file>
  </data-writing>
</io-configuration>
)xml";

inline std::vector<Step> steps_with_checkpoints(int count, const std::set<std::int64_t>& checkpoints) {
  std::vector<Step> steps = varying_steps(count);
  for (Step& step : steps) step.is_checkpoint = checkpoints.contains(step.index) ? 1 : 0;
  return steps;
}

class ContinuedOutput : public ::testing::Test {
 protected:
  ContinuedOutput() {
    log::set_level(log::Level::error);
    setting_.configuration = kContinuedFiles;
    setting_.steps = steps_with_checkpoints(30, {9, 17});
  }

  std::string directory(const std::string& name) const {
    std::filesystem::create_directory(root_.path(name));
    return root_.path(name);
  }
  /// The errors without those about filled values, which the test expects.
  static Texts real_errors(const OutputRun& run) {
    Texts errors = run.errors();
    std::erase_if(errors,
                  [](const std::string& error) { return error.find("missing values") != std::string::npos; });
    return errors;
  }
  /// Little happens before what came before is done.
  OutputSetting prompt(const std::string& name) const {
    OutputSetting setting = setting_;
    setting.directory = directory(name);
    setting.tasks_between = 100'000;
    return setting;
  }
  struct Outcome {
    std::map<std::string, std::string> files;
    Texts errors, not_continued, published;
  };
  /// The run of the setting, to its end, from the state.
  static Outcome continued(OutputSetting setting, const StateEntries& state, std::int64_t after) {
    setting.continued = &state;
    setting.continued_after = after;
    ++setting.attempt;
    OutputRun run(setting);
    run.run();
    EXPECT_EQ(run.open_texts(), Texts()) << "seed " << setting.seed;
    Texts errors = run.errors();
    std::erase_if(errors,
                  [](const std::string& error) { return error.find("missing values") != std::string::npos; });
    return {files_in(setting.directory), errors, run.not_continued(), run.published()};
  }
  static void replace(std::string& text, const std::string& what, const std::string& with) {
    text.replace(text.find(what), what.size(), with);
  }
  /// The files of a run that nothing disturbs.
  std::map<std::string, std::string> undisturbed(ClientRank clients = 1) const {
    OutputSetting setting = setting_;
    setting.directory = directory("undisturbed");
    setting.clients = clients;
    setting.servers = 1;
    OutputRun run(setting);
    run.run();
    EXPECT_TRUE(run.open_texts().empty()) << run.open_texts().front();
    const auto files = files_in(setting.directory);
    const auto is_beside = [](const auto& file) { return file.first.ends_with(".errors.csv"); };
    const auto beside = static_cast<std::size_t>(std::ranges::count_if(files, is_beside));
    EXPECT_EQ(files.size() - beside, run.published().size());
    return files;
  }
  /// Kills a run `tasks` tasks after the state of `step` was kept; that state.
  StateEntries killed(const OutputSetting& setting, std::int64_t step, std::size_t tasks) const {
    OutputRun run(setting);
    std::size_t left = tasks;
    run.run([&] { return run.has_kept(step) && left-- == 0; });
    EXPECT_EQ(real_errors(run), Texts());
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

  TemporaryDirectory root_{fast_directory()};
  OutputSetting setting_;
};

}  // namespace pileus::testing
