#pragma once
// Simulated runs that are killed after a checkpoint and continued, also with other numbers of ranks and
// servers.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <sstream>

#include "core/log.h"
#include "server/testing/orders.h"
#include "server/testing/same_files.h"
#include "server/testing/small_model.h"
#include "state/checkpoint_folders.h"
#include "time/manipulations/list.h"

namespace pileus::testing {

using Texts = std::vector<std::string>;

/// Fields and diagnostics of every spread; `files` goes between them and the end.
inline std::string configuration(const std::string& files, const std::string& profile = "w") {
  return R"xml(<io-configuration>
  <data-definition name="raw_fields" frequency="2">
    <field name="w" type="array" data_type="double" size="z,y,x" collective="true" units="m s-1"/>
  </data-definition>
  <data-definition name="columns" frequency="1">
    <field name="vwp_local" type="array" data_type="double"/>
    <field name="dt" type="scalar" data_type="double" units="s"/>
    <field name="label" type="scalar" data_type="string" optional="true"/>
    <field name="options_database" type="map" size="option" optional="true"/>
  </data-definition>
  <data-definition name="at_last" frequency="0">
    <field name="checksum" type="scalar" data_type="integer" optional="true"/>
  </data-definition>
  <data-handling>
    <diagnostic field="vwp">
      <operator name="localreduce" operator="sum" field="vwp_local" result="vwp_sum"/>
      <communication name="reduction" operator="sum" field="vwp_sum" result="vwp" root="auto"/>
    </diagnostic>
    <diagnostic field="w_profile">
      <operator name="localreduce" operator="mean" dimensions="y,x" result="w_local" field=")xml" +
         profile + R"xml("/>
      <communication name="reduction" operator="mean" result="w_profile" field="w_local"/>
    </diagnostic>
    <diagnostic field="w_anomaly">
      <operator name="localreduce" operator="mean" dimensions="y,x" field="w" result="mean_local"/>
      <communication name="allreduction" operator="mean" field="mean_local" result="w_mean"/>
      <operator name="arithmetic" equation="w - w_mean" result="w_anomaly"/>
    </diagnostic>
    <diagnostic field="largest_anomaly">
      <operator name="localreduce" operator="max" field="w_anomaly" result="largest_local"/>
      <communication name="allreduction" operator="max" field="largest_local" result="largest"/>
      <operator name="arithmetic" equation="largest + dt" result="largest_anomaly"/>
    </diagnostic>
  </data-handling>
  <data-writing>)xml" +
         files + R"xml(</data-writing>
</io-configuration>
)xml";
}

inline std::string file(const std::string& name, const std::string& write, const std::string& fields,
                        const std::string& manipulation, const std::string& output) {
  std::string text = "<file name=\"" + name + ".nc\" " + write + ">";
  std::istringstream words(fields);
  for (std::string field; words >> field;) {
    text += "<include field=\"" + field + "\" time_manipulation=\"" + manipulation + "\"";
    if (!output.empty()) text += " output_frequency=\"" + output + "\"";
    text += "/>";
  }
  return text + "</file>";
}

inline constexpr const char* kFields = "w w_profile dt w_anomaly vwp largest_anomaly";

/// Files of one record, of several, and of one axis or more.
inline std::string every_manipulation() {
  std::string files;
  for (const Manipulation& manipulation : all_manipulations()) {
    const std::string word = manipulation->name;
    if (manipulation.covers_window() && !manipulation->takes_pairs && !manipulation->is_of_segments)
      files += file(word, "write_time_frequency=\"15\"", kFields, word, "15");
  }
  files += file("slow", "write_time_frequency=\"37\"", kFields, "averaged", "37");
  files += file("long", "write_time_frequency=\"40\"", kFields, "averaged", "8");
  files += file("chain", "write_time_frequency=\"40\"", kFields, "maximum over 4, averaged", "8");
  files += file("running", "write_time_frequency=\"40\"", kFields, "averaged over 24", "8");
  files += file("every", "write_time_frequency=\"30\" deflate=\"1\"", "w dt vwp", "none", "");
  return files + R"xml(<file name="instants_{step}.nc" write_timestep_frequency="3">
      <include field="w" time_manipulation="instantaneous" output_frequency="10"/>
      <include field="vwp" time_manipulation="instantaneous" output_frequency="7"/>
      <include field="w" name="w_later" output_frequency="9" counts_from="last_record"/>
      <include field="vwp" name="vwp_later" time_manipulation="averaged" output_frequency="9"
               counts_from="last_record"/>
      <include field="dt" time_manipulation="maximum" output_frequency="20"/>
    </file>)xml";
}

struct RunOf {
  std::string configuration;
  std::vector<Step> steps = varying_steps(14);
  std::optional<Calendar> calendar = {};
  bool has_kinds = false;
  std::map<std::string, std::string> options = {};

  SimulatedRun in_layout(ClientRank ranks, ServerRank servers, std::uint64_t seed) const {
    SimulatedRun run;
    run.configuration = configuration;
    run.ranks = ranks;
    run.servers = servers;
    run.seed = seed;
    return run;
  }
  SimulatedRun in_any_layout(std::uint64_t seed) const {
    std::mt19937_64 random(seed);
    const auto [ranks, servers] = layout_to_try(random());
    SimulatedRun run = in_layout(ranks, servers, seed);
    run.defers = random() % 3 != 0;
    switch (random() % 8) {
      case 0: run.slow_server = static_cast<ServerRank>(random() % servers); break;
      case 1: run.slow_rank = static_cast<ClientRank>(random() % ranks); break;
      case 2: run.is_disk_slow = true; break;
      case 3: run.is_library_slow = true; break;
      default: break;
    }
    return run;
  }
  SmallModel model(ClientRank ranks, std::uint64_t seed) const {
    SmallModel small{steps, ranks, seed % 2 == 0};
    small.calendar = calendar;
    small.has_kinds = has_kinds;
    small.options = options;
    small.closes = seed % 3 == 0;
    return small;
  }
  std::map<std::string, std::string> uninterrupted_files() const {
    SimulatedRun run = in_layout(1, 1, 0);
    run.model = model(1, 1);
    const SimulatedResult result = simulate(run);
    EXPECT_EQ(result.errors, "");
    std::filesystem::remove_all(result.directory);
    return result.files;
  }

  struct Start {
    std::optional<std::int64_t> after = {};
    std::string directory = "";
  };
  /// Asks for checkpoints, and is killed at some time once the last of them is complete.
  SimulatedResult killed_after(const std::set<std::int64_t>& cuts, std::uint64_t seed,
                               const Start& start) const {
    SimulatedRun run = in_any_layout(seed);
    std::function<void()> rest, kill;
    std::string directory = start.directory;
    run.rest = &rest;
    run.kill = &kill;
    run.directory = directory;
    run.prepare_directory = [&](const std::string& made) { directory = made; };
    SmallModel small = model(run.ranks, seed);
    small.checkpoints = cuts;
    small.continue_after = start.after;
    const std::int64_t cut = *cuts.rbegin();
    const std::int64_t killed_at =
        std::min(cut + 1 + static_cast<std::int64_t>(seed % 4), steps.back().index);
    std::uint64_t turns = seed * 37 % 300;
    const auto die_at = [&](const Step& step) {
      if (step.index < killed_at) return;
      while (!std::filesystem::exists(checkpoint_folder(directory, cut))) rest();
      for (; turns > 0; --turns) rest();
      kill();
      rest();
    };
    run.model = [&](Client& client, ClientRank rank) {
      SmallModel own = small;
      if (rank == 0) own.before_step = die_at;
      own(client, rank);
    };
    return simulate(run);
  }
  /// Continues after `cut` and is killed before the step.
  SimulatedResult killed_before(std::int64_t step, std::int64_t cut, const std::string& directory,
                                std::uint64_t seed) const {
    SimulatedRun run = in_any_layout(seed);
    std::function<void()> rest, kill;
    run.rest = &rest;
    run.kill = &kill;
    run.directory = directory;
    const SmallModel small = model(run.ranks, seed);
    run.model = [&](Client& client, ClientRank rank) {
      SmallModel own = small;
      own.continue_after = cut;
      if (rank == 0) {
        own.before_step = [&](const Step& now) {
          if (now.index < step) return;
          for (std::uint64_t turns = seed * 53 % 400; turns > 0; --turns) rest();
          kill();
          rest();
        };
      }
      own(client, rank);
    };
    return simulate(run);
  }
  /// Every step is kept, so that checkpoints overlap, and the job dies anywhere: while files are defined,
  /// between parts of checkpoints, after the last step. It goes on until it is not killed any more.
  /// `on_kill`: is told what each killed job has left. Returns the last one's result.
  SimulatedResult killed_again_and_again(std::uint64_t seed,
                                         const std::function<void(const SimulatedResult&)>& on_kill,
                                         FileSystem* files = nullptr) const {
    std::mt19937_64 random(seed);
    Start start;
    for (;;) {
      bool was_killed = false;
      SimulatedResult result = killed_anywhere(start, seed, random, was_killed, files);
      if (!was_killed) return result;
      on_kill(result);
      const std::vector<std::int64_t> steps = complete_checkpoints(result.directory);
      if (steps.empty()) {  // from the beginning, as a user would: with nothing there
        std::filesystem::remove_all(result.directory);
        start = {};
      } else {
        start = {steps[random() % steps.size()], result.directory};
      }
    }
  }
  /// Ends after `last` steps, of which `cut` is kept.
  SimulatedResult ended_after(std::size_t last, std::int64_t cut, std::uint64_t seed) const {
    SimulatedRun run = in_any_layout(seed);
    SmallModel small = model(run.ranks, seed);
    small.steps.resize(last);
    small.checkpoints = {cut};
    run.model = small;
    SimulatedResult result = simulate(run);
    EXPECT_EQ(result.errors, "");
    return result;
  }
  SimulatedResult continued_after(std::int64_t cut, const std::string& directory, std::uint64_t seed) const {
    SimulatedRun run = in_any_layout(seed);
    run.directory = directory;
    SmallModel small = model(run.ranks, seed);
    small.continue_after = cut;
    run.model = small;
    return simulate(run);
  }

 private:
  SimulatedResult killed_anywhere(const Start& start, std::uint64_t seed, std::mt19937_64& random,
                                  bool& was_killed, FileSystem* files) const {
    SimulatedRun attempt = in_any_layout(random());
    if (files != nullptr) attempt.files = files;
    std::function<void()> kill;
    attempt.kill = &kill;
    attempt.directory = start.directory;
    std::uint64_t messages_left = 1 + random() % 1500;
    attempt.on_message = [&](Peer) {
      if (messages_left-- != 1) return;
      was_killed = true;
      kill();
    };
    SmallModel small = model(attempt.ranks, seed);
    small.continue_after = start.after;
    for (const Step& step : steps) small.checkpoints.insert(step.index);
    attempt.model = small;
    return simulate(attempt);
  }
};

inline void expect_files(const SimulatedResult& result, const std::map<std::string, std::string>& right) {
  EXPECT_EQ(result.figures.warnings, Texts());
  EXPECT_EQ(result.figures.logged_warnings, Texts());
  expect_same_files(right, result);
}

class ContinuedRun : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("SOURCE_DATE_EPOCH", "0", 1);
    log::set_level(log::Level::error);
  }
};

}  // namespace pileus::testing
