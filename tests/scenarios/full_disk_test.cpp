// Disks that fill up: a file waits for space, is skipped, or ends the run, as the configuration says.
// Published files are right, and nothing else waits.

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/error.h"
#include "state/checkpoint_folders.h"
#include "tests/scenarios/full_file_system.h"
#include "tests/scenarios/scenario.h"

namespace pileus::testing {
namespace {

using Json = nlohmann::json;
using Names = std::set<std::string>;

constexpr const char* kEvents = "pileus-events.jsonl";

/// The disk is full for the files of w.nc.
void set_policy(SimulatedRun& run, const std::string& policy) {
  const std::string file = "<file name=\"w.nc\"";
  run.configuration.insert(run.configuration.find(file) + file.size(), " when_full=\"" + policy + "\"");
  run.configuration.insert(run.configuration.find("<data-definition"),
                           "<server-configuration><events/></server-configuration>");
}

std::vector<Json> events_of(const SimulatedResult& result, const std::string& kind) {
  std::vector<Json> events;
  std::istringstream lines(result.files.contains(kEvents) ? result.files.at(kEvents) : "");
  for (std::string line; std::getline(lines, line);) {
    if (Json event = Json::parse(line); event.at("event") == kind) events.push_back(std::move(event));
  }
  return events;
}

Names published(const SimulatedResult& result) {
  Names names;
  for (const auto& [name, bytes] : result.files) {
    if (name != kEvents) names.insert(name);
  }
  return names;
}

class FullDiskScenario : public ScenarioTest {
 protected:
  /// The files of a good run with that configuration, whose hash is in the files.
  static const std::map<std::string, std::string>& right_files(const std::string& policy) {
    static std::map<std::string, std::map<std::string, std::string>> files;
    if (files.contains(policy)) return files.at(policy);
    SimulatedRun run;
    run.configuration = kPlaneConfiguration;
    set_policy(run, policy);
    run.model = PlaneModel();
    return files[policy] = simulate(run).files;
  }
  /// Continues in the directory of an earlier run.
  static SimulatedResult continued(const SimulatedResult& before, const std::string& policy,
                                   std::int64_t after, RunLayout layout, std::uint64_t seed,
                                   FileSystem* files = nullptr) {
    SimulatedRun run;
    run.configuration = kPlaneConfiguration;
    set_policy(run, policy);
    run.ranks = layout.ranks;
    run.servers = layout.servers;
    run.seed = seed;
    run.directory = before.directory;
    run.files = files;
    PlaneModel model;
    model.ranks = layout.ranks;
    std::erase_if(model.steps, [after](const Step& step) { return step.index <= after; });
    model.register_instead = [after, layout](Client& client, ClientRank rank) {
      client.continue_after(after);
      register_plane(client, rank, layout.ranks);
      return true;
    };
    run.model = model;
    return simulate(run);
  }

  /// Another call is the first to be refused in each run.
  void fill(SimulatedRun& run, int calls, int refusals, const std::string& only = "") {
    ++runs_;
    disk_ = std::make_unique<FullFileSystem>(1 + runs_ % calls, refusals, only);
    disk_->set_bears_positioned_writes(runs_ % 3 != 0);
    run.files = disk_.get();
    run.is_disk_slow = runs_ % 7 == 0;
    run.is_library_slow = runs_ % 11 == 0;
  }

  std::unique_ptr<FullFileSystem> disk_;
  int runs_ = 0;
};

TEST_F(FullDiskScenario, every_file_is_right_when_there_is_room_again_whatever_was_refused) {
  int reports = 0;
  expect_in_every_order(
      all_layouts(), {},
      [&](const SimulatedResult& result, RunLayout) {
        EXPECT_EQ(result.errors, "");
        for (const std::string& error : result.model_errors) EXPECT_EQ(error, "");
        expect_right(result, right_files("wait"), kAllFiles);
        const std::vector<Json> full = events_of(result, "disk_full");
        EXPECT_EQ(full.empty(), disk_->refused() == 0);
        EXPECT_EQ(full.size(), events_of(result, "disk_has_space").size());
        EXPECT_EQ(result.figures.warnings.empty(), disk_->refused() == 0);
        for (const std::string& text : result.figures.warnings) expect_words(text, {"waited ", "for space"});
        for (const Json& event : full) expect_words(event.at("why"), {"No space left on device"});
        reports += static_cast<int>(full.size());
      },
      [&](SimulatedRun& run) {
        set_policy(run, "wait");
        fill(run, 60, 1 + runs_ % 9);
      });
  EXPECT_GT(reports, 0);
}

/// Waits, as model rank 0 in its last step, until these files are there and the disk has been full for long.
class Patient {
 public:
  explicit Patient(Names awaited) : awaited_(std::move(awaited)) {}
  void prepare(SimulatedRun& run) {
    run.rest = &rest_;
    run.prepare_directory = [this](const std::string& made) { directory_ = made; };
    found_ = 0;
  }
  /// `rests`: how often to rest at the end; few if nothing moves, which would be taken for a deadlock.
  void wait(int rests = 3'000) {
    for (int turns = 0; turns < 50'000 && found_ < awaited_.size(); ++turns) {
      rest_();
      found_ = static_cast<std::size_t>(std::ranges::count_if(awaited_, [&](const std::string& name) {
        return std::filesystem::exists(directory_ + "/" + name);
      }));
    }
    for (int turns = 0; turns < rests; ++turns) rest_();
  }
  void rest() { rest_(); }
  const std::string& directory() const { return directory_; }
  bool has_found_all() const { return found_ == awaited_.size(); }

 private:
  Names awaited_;
  std::function<void()> rest_;
  std::string directory_;
  std::size_t found_ = 0;
};

/// It waits for much longer than a file is tried that does not wait.
TEST_F(FullDiskScenario, while_a_file_waits_the_model_and_the_other_files_go_on) {
  Patient patient({"averaged_10.nc", "mean_10.nc", "dt_10.nc"});
  expect_in_every_order(
      all_layouts(),
      [&](PlaneModel& model) {
        model.in_step = [&](Client&, ClientRank rank, const Step& step) {
          if (rank != 0 || step.index != 8) return true;
          patient.wait();
          disk_->make_room();
          return true;
        };
      },
      [&](const SimulatedResult& result, RunLayout) {
        EXPECT_EQ(result.errors, "");
        EXPECT_TRUE(patient.has_found_all());
        expect_right(result, right_files("wait"), kAllFiles);
        const std::vector<Json> freed = events_of(result, "disk_has_space");
        ASSERT_FALSE(freed.empty());
        EXPECT_GT(freed[0].at("lasted_s"), 0.1);
      },
      [&](SimulatedRun& run) {
        set_policy(run, "wait");
        fill(run, 1, FullFileSystem::kForGood, "w_");
        run.is_disk_slow = run.is_library_slow = false;
        patient.prepare(run);
        run.disk_patience.total_s = 0.05;
      });
}

TEST_F(FullDiskScenario, a_file_is_skipped_when_it_has_been_tried_for_long_and_those_after_it_go_on) {
  expect_in_every_order(
      all_layouts(), {},
      [&](const SimulatedResult& result, RunLayout) {
        Names others = kAllFiles;
        others.erase("w_10.nc");
        EXPECT_EQ(published(result), others);
        expect_right(result, right_files("skip"), others);
        expect_all_told(result, {"w_10.nc", "No space left on device"});
        EXPECT_GT(disk_->refused(), 1);  // it was tried again
        const std::vector<Json> skipped = events_of(result, "skipped");
        ASSERT_EQ(skipped.size(), 1U);
        expect_words(skipped[0].at("file"), {"w_10.nc"});
      },
      [&](SimulatedRun& run) {
        set_policy(run, "skip");
        fill(run, 4, FullFileSystem::kForGood, "w_10.nc");
      });
}

TEST_F(FullDiskScenario, a_file_that_would_be_skipped_is_right_when_there_is_room_soon) {
  expect_in_every_order(
      all_layouts(), {},
      [&](const SimulatedResult& result, RunLayout) {
        EXPECT_EQ(result.errors, "");
        expect_right(result, right_files("skip"), kAllFiles);
        EXPECT_TRUE(events_of(result, "skipped").empty());
      },
      [&](SimulatedRun& run) {
        set_policy(run, "skip");
        fill(run, 30, 1 + runs_ % 3, "w_");
        run.disk_patience.total_s = 1e6;  // time passes fast here
      });
}

/// Notes what each rank is told in its calls before pileus_finish.
class StoppedModel {
 public:
  /// If not `finishes`, ranks leave by an exception, without pileus_finish.
  void prepare(SimulatedRun& run, bool finishes) {
    told_.assign(run.ranks, "");
    run.model = [this, finishes, model = run.model](Client& client, ClientRank rank) {
      try {
        model(client, rank);
      } catch (const OutputError& error) {
        if (client.state() == RunState::finished) throw;
        told_[rank] = error.what();
        if (finishes) client.finish();
        throw;
      }
    };
  }
  const std::vector<std::string>& told() const { return told_; }

 private:
  std::vector<std::string> told_;
};

TEST_F(FullDiskScenario, a_file_may_end_the_run_and_the_model_hears_of_it) {
  StoppedModel stopped;
  Patient patient({});
  int in_calls = 0;
  expect_in_every_order(
      all_layouts(),
      [&](PlaneModel& model) {
        // The model waits long enough for all to hear of it before the last steps; in some runs only
        // pileus_finish tells.
        model.in_step = [&](Client&, ClientRank rank, const Step& step) {
          if (rank == 0 && step.index == 6 && runs_ % 2 == 0) patient.wait(500);
          return true;
        };
      },
      [&](const SimulatedResult& result, RunLayout) {
        expect_right(result, right_files("stop"), published(result));
        EXPECT_FALSE(result.files.contains("w_10.nc"));
        expect_all_told(result, {"the run is stopped: ", "w_10.nc", "No space left on device"});
        EXPECT_EQ(events_of(result, "stopping").size(), 1U);
        for (const std::string& text : stopped.told()) {
          if (text.empty()) continue;
          ++in_calls;
          expect_words(text, {"the servers stop the run", "No space left on device", "pileus_finish"});
        }
      },
      [&](SimulatedRun& run) {
        set_policy(run, "stop");
        fill(run, 3, FullFileSystem::kForGood, "w_10.nc");
        run.disk_patience.total_s = 0.05;
        patient.prepare(run);
        stopped.prepare(run, true);
      });
  EXPECT_GT(in_calls, 0);
}

/// The run is stopped for lack of space, at any call that takes some. Then there is space, and the run
/// continues from its last checkpoint, or begins again if there is none.
TEST_F(FullDiskScenario, a_stopped_run_goes_on_from_its_last_checkpoint_with_the_same_files) {
  StoppedModel stopped;
  int continued = 0;
  const auto keep = [](PlaneModel& model) {
    for (Step& step : model.steps) step.is_checkpoint = step.index == 2 || step.index == 5;
  };
  expect_in_every_order(
      all_layouts(), keep,
      [&](const SimulatedResult& result, RunLayout layout) {
        expect_right(result, right_files("stop"), published(result));
        const std::vector<std::int64_t> steps = complete_checkpoints(result.directory);
        if (disk_->refused() == 0 || steps.empty()) return;
        const RunLayout other{layout.servers + 1, layout.ranks > 2 ? 2U : 1U};
        const SimulatedResult whole = FullDiskScenario::continued(result, "stop", steps.back(), other,
                                                                  static_cast<std::uint64_t>(runs_));
        EXPECT_EQ(whole.errors, "");
        EXPECT_TRUE(whole.leftovers.empty());
        expect_right(whole, right_files("stop"), kAllFiles);
        ++continued;
      },
      [&](SimulatedRun& run) {
        set_policy(run, "stop");
        fill(run, 30, FullFileSystem::kForGood, "w_");
        run.disk_patience.total_s = 0.05;
        stopped.prepare(run, runs_ % 4 != 0);
      },
      true);
  EXPECT_TRUE(continued > 0 || runs_ < 50);  // few orders may have no such run
}

/// Step 3 is in the files of 10 s. The checkpoint is complete when the file has space, and holds its records.
TEST_F(FullDiskScenario, a_checkpoint_of_a_step_in_which_a_file_waits_is_good_to_continue_from) {
  Patient patient({});
  std::function<void()> kill;
  const auto keep = [&](PlaneModel& model) {
    for (Step& step : model.steps) step.is_checkpoint = step.index == 3;
    model.in_step = [&](Client&, ClientRank rank, const Step& step) {
      if (rank != 0 || step.index != 5) return true;
      patient.wait();
      disk_->make_room();
      while (complete_checkpoints(patient.directory()).empty()) patient.rest();
      kill();
      patient.rest();
      return true;
    };
  };
  expect_in_every_order(
      all_layouts(), keep,
      [&](const SimulatedResult& result, RunLayout layout) {
        EXPECT_GT(disk_->refused(), 3);
        FullFileSystem again(1 + runs_ % 12, 2, "w_");  // to lay the file out again takes space too
        const SimulatedResult whole =
            continued(result, "wait", 3, layout, static_cast<std::uint64_t>(runs_), &again);
        EXPECT_EQ(whole.errors, "");
        expect_right(whole, right_files("wait"), kAllFiles);
      },
      [&](SimulatedRun& run) {
        set_policy(run, "wait");
        fill(run, 5, FullFileSystem::kForGood, "w_");
        patient.prepare(run);
        run.kill = &kill;
      },
      true);
}

/// A file that a checkpoint refers to is not removed when it is skipped later.
TEST_F(FullDiskScenario, a_run_whose_file_was_skipped_goes_on_from_a_checkpoint_before_that) {
  int continued = 0;
  const auto keep = [](PlaneModel& model) {
    for (Step& step : model.steps) step.is_checkpoint = step.index == 2;
  };
  expect_in_every_order(
      all_layouts(), keep,
      [&](const SimulatedResult& result, RunLayout layout) {
        if (disk_->refused() == 0) return;
        ASSERT_EQ(complete_checkpoints(result.directory), std::vector<std::int64_t>{2}) << result.errors;
        const SimulatedResult whole =
            FullDiskScenario::continued(result, "skip", 2, layout, static_cast<std::uint64_t>(runs_));
        for (const std::string& error : whole.model_errors) EXPECT_EQ(error, "");  // it was not refused
        for (const std::string& name : published(whole)) expect_right(whole, right_files("skip"), {name});
        Names lost = kAllFiles;
        for (const std::string& name : published(whole)) lost.erase(name);
        // A file that failed before the step was kept stays lost; any other is written now.
        EXPECT_TRUE(lost.empty() || lost == Names{"w_10.nc"}) << whole.errors;
        continued += lost.empty() ? 1 : 0;
      },
      [&](SimulatedRun& run) {
        set_policy(run, "skip");
        fill(run, 12, FullFileSystem::kForGood, "w_10.nc");
        run.disk_patience.total_s = 0.01;
      },
      true);
  EXPECT_TRUE(continued > 0 || runs_ < 50);  // few orders may have no such run
}

TEST_F(FullDiskScenario, a_checkpoint_for_which_there_is_no_room_is_an_event_and_the_run_goes_on) {
  class NoCheckpoints : public PassingFiles {
    void write_pieces(const std::string& path, const GiveBytes&) override {
      throw DiskFullError(path + ": could not write to it: No space left on device");
    }
  } disk;
  expect_in_every_order(
      all_layouts(), [](PlaneModel& model) { model.steps[4].is_checkpoint = 1; },
      [](const SimulatedResult& result, RunLayout) {
        expect_right(result, right_files("wait"), kAllFiles);
        const std::vector<Json> failed = events_of(result, "checkpoint_failed");
        ASSERT_EQ(failed.size(), 1U);
        EXPECT_EQ(failed[0].at("step"), 5);
        expect_words(failed[0].at("why"), {"No space left on device"});
        EXPECT_TRUE(complete_checkpoints(result.directory).empty());
      },
      [&](SimulatedRun& run) {
        set_policy(run, "wait");
        run.files = &disk;
      });
}

/// While the wait lasts the watchdog reports it: trying again is no progress.
TEST_F(FullDiskScenario, a_file_that_waits_is_named_to_those_who_look_at_a_job_that_stands_still) {
  Patient patient({});
  std::string said;
  expect_in_every_order(
      {{2, 1}, {3, 2}},
      [&](PlaneModel& model) {
        model.in_step = [&](Client&, ClientRank rank, const Step& step) {
          if (rank != 0 || step.index != 8) return true;
          patient.wait();
          disk_->make_room();
          return true;
        };
      },
      [&](const SimulatedResult& result, RunLayout) {
        EXPECT_EQ(result.errors, "");
        expect_words(said, {"w_10.nc: waits for space on the disk: ", "No space left on device"});
      },
      [&](SimulatedRun& run) {
        set_policy(run, "wait");
        fill(run, 1, FullFileSystem::kForGood, "w_");
        run.is_disk_slow = run.is_library_slow = false;
        patient.prepare(run);
        run.patience_s = 0.2;  // and pauses of 0.02 s
        said.clear();
        run.on_waits = [&](ServerRank, const std::string& text) { said += text + "\n"; };
      });
}

}  // namespace
}  // namespace pileus::testing
