// The events of a run: each is true when it is written, in every order of arrival.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "plan/plan.h"
#include "tests/scenarios/failing_file_system.h"
#include "tests/scenarios/scenario.h"

namespace pileus::testing {
namespace {

using Json = nlohmann::json;

constexpr const char* kEvents = "pileus-events.jsonl";

void ask_for_events(SimulatedRun& run) {
  run.configuration.insert(run.configuration.find("<data-definition"),
                           "<server-configuration><events/></server-configuration>");
}

std::vector<Json> events_of(const SimulatedResult& result) {
  std::vector<Json> events;
  EXPECT_TRUE(result.files.contains(kEvents));
  if (!result.files.contains(kEvents)) return events;
  EXPECT_TRUE(result.files.at(kEvents).ends_with("}\n"));
  std::istringstream lines(result.files.at(kEvents));
  for (std::string line; std::getline(lines, line);) events.push_back(Json::parse(line));
  return events;
}

std::string name_of(const Json& event) {
  return std::filesystem::path(event.at("file").get<std::string>()).filename();
}

/// The model time at which the period of "w_20.nc" ends.
double end_of(const std::string& name) { return std::stod(name.substr(name.rfind('_') + 1)); }

double through_of(const Json& event) {
  const Json& through_s = event.at("complete_through_s");
  return through_s.is_null() ? -INFINITY : through_s.get<double>();
}

/// At each event, everything that it calls complete must have been published before.
void expect_true_epochs(const std::vector<Json>& events) {
  std::set<std::string> published;
  double epoch_s = 0;
  for (const Json& event : events) {
    if (event.at("event") == "published") {
      EXPECT_TRUE(published.insert(name_of(event)).second) << event;
      for (const std::string& name : kAllFiles) {
        const bool is_said = name.starts_with(event.at("series").get<std::string>().substr(0, 1)) &&
                             end_of(name) <= through_of(event);
        if (is_said) {
          EXPECT_TRUE(published.contains(name)) << event;
        }
      }
    } else if (event.at("event") == "epoch") {
      EXPECT_GT(through_of(event), epoch_s);
      epoch_s = through_of(event);
      for (const std::string& name : kAllFiles) {
        if (end_of(name) <= epoch_s) {
          EXPECT_TRUE(published.contains(name)) << event << " without " << name;
        }
      }
    }
  }
}

/// Checks that everything which a published event names is there when the event is written.
class WatchedEvents : public FailingFileSystem {
 public:
  WatchedEvents() : FailingFileSystem(DiskCall::write_at, 1'000'000, false) {}
  void append_lines(const std::string& path, std::string_view lines) override {
    const Json event = Json::parse(lines);
    if (event.at("event") == "published") {
      EXPECT_TRUE(std::filesystem::exists(event.at("file").get<std::string>())) << event;
    }
    FailingFileSystem::append_lines(path, lines);
  }
};

class EventScenario : public ScenarioTest {};

TEST_F(EventScenario, every_published_file_has_one_event_and_the_epoch_grows_to_the_end_of_the_run) {
  WatchedEvents disk;
  const auto prepare = [&](SimulatedRun& run) {
    ask_for_events(run);
    run.files = &disk;
  };

  expect_in_every_order(
      all_layouts(), {},
      [](const SimulatedResult& result, RunLayout layout) {
        EXPECT_EQ(result.errors, "");
        const std::vector<Json> events = events_of(result);
        ASSERT_GE(events.size(), 2u);
        EXPECT_EQ(events.front().at("event"), "started");
        EXPECT_EQ(events.front().at("servers"), layout.servers);
        EXPECT_EQ(events.front().at("model_ranks"), layout.ranks);
        EXPECT_EQ(events.back().at("event"), "finished");
        EXPECT_EQ(events.back().at("status"), "ok");
        EXPECT_EQ(events.back().at("complete_through_s"), 20);  // 8 steps of 2.5 s
        EXPECT_EQ(events[events.size() - 2].at("event"), "epoch");
        std::set<std::string> published;
        for (const Json& event : events) {
          if (event.at("event") != "published") continue;
          published.insert(name_of(event));
          EXPECT_EQ(event.at("publication"),
                    events.front().at("run").get<std::string>() + "/" + name_of(event));
        }
        EXPECT_EQ(published, kAllFiles);
        expect_true_epochs(events);
      },
      prepare);
}

TEST_F(EventScenario, events_tell_the_records_of_a_file) {
  expect_in_every_order(
      {{2, 2}}, {},
      [](const SimulatedResult& result, RunLayout) {
        std::map<std::string, Json> published;
        for (const Json& event : events_of(result)) {
          if (event.at("event") == "published") published[name_of(event)] = event;
        }
        // Steps end at 2.5, 5, …: w_20.nc has every step of (10, 20]. The other file has means over 10 to 15
        // and 15 to 20, each at the middle of its window.
        const Json& w = published.at("w_20.nc");
        EXPECT_EQ(w.at("records"), 4);
        EXPECT_EQ(w.at("period"), 2);
        EXPECT_EQ(w.at("first_record_s"), 12.5);
        EXPECT_EQ(w.at("last_record_s"), 20);
        EXPECT_EQ(published.at("averaged_20.nc").at("records"), 2);
      },
      ask_for_events);
}

TEST_F(EventScenario, a_file_that_fails_is_named_and_holds_the_epoch_back_for_ever) {
  std::unique_ptr<FailingFileSystem> disk;
  int number = 0;
  const auto prepare = [&](SimulatedRun& run) {
    ask_for_events(run);
    disk = std::make_unique<FailingFileSystem>(DiskCall::write_at, 1 + number++ % 20, false);
    run.files = disk.get();
  };

  expect_in_every_order(
      all_layouts(), {},
      [&](const SimulatedResult& result, RunLayout) {
        const std::vector<Json> events = events_of(result);
        expect_true_epochs(events);
        std::vector<Json> skipped;
        std::ranges::copy_if(events, std::back_inserter(skipped),
                             [](const Json& event) { return event.at("event") == "skipped"; });
        ASSERT_EQ(skipped.size(), 1u);
        const std::string lost = name_of(skipped[0]);
        EXPECT_FALSE(result.files.contains(lost));
        expect_words(skipped[0].at("why"), {"No space left on device"});
        ASSERT_EQ(events.back().at("event"), "finished");
        EXPECT_EQ(events.back().at("status"), "errors");
        EXPECT_EQ(events.back().at("skipped_files").size(), 1u);
        // Files cover 10 s: nothing before the lost one is missing, and nothing behind it counts.
        const double before_s = end_of(lost) - 10;
        EXPECT_EQ(through_of(events.back()), before_s > 0 ? before_s : -INFINITY);
      },
      prepare);
}

/// A disk that takes no events.
class NoEvents : public FailingFileSystem {
 public:
  NoEvents() : FailingFileSystem(DiskCall::write_at, 1'000'000, false) {}
  void append_lines(const std::string& path, std::string_view) override {
    throw OutputError(path + ": could not write to it: No space left on device");
  }
};

TEST_F(EventScenario, events_that_cannot_be_written_are_said_once_and_cost_nothing_else) {
  NoEvents disk;
  const auto prepare = [&](SimulatedRun& run) {
    ask_for_events(run);
    run.files = &disk;
  };

  expect_in_every_order(
      all_layouts(), {},
      [](const SimulatedResult& result, RunLayout) {
        EXPECT_EQ(result.errors, "");
        for (const std::string& name : kAllFiles) EXPECT_TRUE(result.files.contains(name)) << name;
        EXPECT_FALSE(result.files.contains(kEvents));
        ASSERT_EQ(result.figures.logged_warnings.size(), 1u);
        expect_words(result.figures.logged_warnings[0], {"events are missing", kEvents, "No space left"});
      },
      prepare);
}

/// Commands that end when they are asked for the second time: the first of all with status 3.
class Commands : public Processes {
 public:
  struct Started {
    std::string command, path;
    Environment environment;
    int asked = 0;
  };
  Number start(const std::string& command, const std::string& path, const Environment& environment) override {
    EXPECT_TRUE(std::filesystem::exists(path)) << "a command for a file that is not there";
    started.push_back({command, path, environment});
    return static_cast<Number>(started.size()) - 1;
  }
  std::optional<std::string> ended(Number process) override {
    if (++started.at(static_cast<std::size_t>(process)).asked < 2) return std::nullopt;
    return process == 0 ? "exit status 3" : "";
  }
  std::vector<Started> started;
};

TEST_F(EventScenario, a_command_runs_once_for_each_published_file_and_the_run_waits_for_it) {
  std::unique_ptr<Commands> commands;
  const auto prepare = [&](SimulatedRun& run) {
    ask_for_events(run);
    for (const char* file : {"name=\"w.nc\"", "name=\"mean.nc\""})
      run.configuration.insert(run.configuration.find(file), "on_publish=\"tell {who:me}\" ");
    commands = std::make_unique<Commands>();
    run.processes = commands.get();
  };

  expect_in_every_order(
      all_layouts(), {},
      [&](const SimulatedResult& result, RunLayout) {
        EXPECT_EQ(result.errors, "") << "a command that fails costs no file, and no run";
        std::set<std::string> told;
        for (const Commands::Started& one : commands->started) {
          EXPECT_EQ(one.asked, 2) << "the run was over before " << one.path;
          EXPECT_EQ(one.command, "tell me");
          told.insert(std::filesystem::path(one.path).filename());
          const std::map<std::string, std::string> environment(one.environment.begin(),
                                                               one.environment.end());
          EXPECT_EQ(environment.at("PILEUS_FILE"), one.path);
          EXPECT_TRUE(one.path.starts_with("/"));
          EXPECT_TRUE(environment.at("PILEUS_PUBLICATION_ID")
                          .ends_with("/" + std::filesystem::path(one.path).filename().string()));
          EXPECT_TRUE(environment.at("PILEUS_SERIES") == "w.nc" ||
                      environment.at("PILEUS_SERIES") == "mean.nc");
        }
        EXPECT_EQ(told, (std::set<std::string>{"mean_10.nc", "mean_20.nc", "w_10.nc", "w_20.nc"}));
        EXPECT_EQ(commands->started.size(), 4u);

        const std::string failed = std::filesystem::path(commands->started[0].path).filename();
        ASSERT_EQ(result.figures.logged_warnings.size(), 1u);
        expect_words(result.figures.logged_warnings[0],
                     {failed, "published, but", "tell me", "exit status 3"});
        const std::vector<Json> events = events_of(result);
        const auto event =
            std::ranges::find_if(events, [](const Json& one) { return one.at("event") == "hook_failed"; });
        ASSERT_NE(event, events.end());
        EXPECT_EQ(name_of(*event), failed);
      },
      prepare);
}

/// Those that events name get what is no file.
class EventCommandsRun : public Commands {
 public:
  Number start(const std::string& command, const std::string& argument,
               const Environment& environment) override {
    started.push_back({command, argument, environment});
    return static_cast<Number>(started.size()) - 1;
  }
};

TEST_F(EventScenario, commands_run_at_epochs_and_at_the_end_with_or_without_a_file_of_events) {
  std::unique_ptr<EventCommandsRun> commands;
  const auto prepare = [&](SimulatedRun& run) {
    run.configuration.insert(
        run.configuration.find("<data-definition"),
        "<server-configuration><events on_epoch=\"stage\" on_end=\"bye\"/></server-configuration>");
    commands = std::make_unique<EventCommandsRun>();
    run.processes = commands.get();
  };

  expect_in_every_order(
      all_layouts(), {},
      [&](const SimulatedResult& result, RunLayout) {
        EXPECT_EQ(result.errors, "");
        std::vector<double> epochs;
        for (const Commands::Started& one : commands->started) {
          EXPECT_EQ(one.asked, 2) << one.command << " was not waited for";
          if (one.command != "stage") continue;
          EXPECT_EQ(one.environment, (Processes::Environment{{"PILEUS_COMPLETE_THROUGH_S", one.path}}));
          epochs.push_back(std::stod(one.path));
        }
        ASSERT_FALSE(epochs.empty());
        EXPECT_TRUE(std::ranges::is_sorted(epochs));
        EXPECT_EQ(epochs.back(), 20) << "the newest is always told";
        ASSERT_FALSE(commands->started.empty());
        const Commands::Started& last = commands->started.back();
        EXPECT_EQ(last.command, "bye");
        EXPECT_TRUE(last.path.starts_with("/"));
        const std::map<std::string, std::string> environment(last.environment.begin(),
                                                             last.environment.end());
        EXPECT_EQ(environment.at("PILEUS_STATUS"), "ok");
        EXPECT_EQ(environment.at("PILEUS_DIRECTORY"), last.path);
      },
      prepare);
}

TEST_F(EventScenario, a_run_that_continues_another_adds_to_its_events) {
  const auto prepare = [](SimulatedRun& run) {
    ask_for_events(run);
    run.prepare_directory = [](const std::string& directory) {
      std::ofstream(directory + "/" + kEvents) << "{\"event\":\"started\"}\n{\"event\":\"publ";
    };
  };

  expect_in_every_order(
      {{1, 1}, {3, 2}}, {},
      [](const SimulatedResult& result, RunLayout) {
        std::istringstream lines(result.files.at(kEvents));
        std::string first, cut_off, next;
        std::getline(lines, first);
        std::getline(lines, cut_off);
        std::getline(lines, next);
        EXPECT_EQ(cut_off, "{\"event\":\"publ");
        EXPECT_EQ(Json::parse(next).at("event"), "started");
      },
      prepare);
}

/// The plane model. It keeps its state after step 6, in the middle of the second files, or continues from
/// there.
SimulatedRun run_around_step_6(std::uint64_t seed, bool goes_on, FileSystem* disk) {
  SimulatedRun run;
  run.configuration = kPlaneConfiguration;
  ask_for_events(run);
  run.ranks = 3;
  run.servers = goes_on ? 1 : 2;
  run.seed = seed;
  run.files = disk;
  PlaneModel model;
  model.ranks = run.ranks;
  model.steps[5].is_checkpoint = 1;
  if (goes_on) model.steps.erase(model.steps.begin(), model.steps.begin() + 6);
  model.register_instead = [goes_on, ranks = run.ranks](Client& client, ClientRank rank) {
    register_plane(client, rank, ranks);
    if (goes_on) client.continue_after(6);
    return true;
  };
  run.model = model;
  return run;
}

TEST_F(EventScenario, a_file_that_failed_before_the_checkpoint_holds_back_the_epoch_of_the_run_that_goes_on) {
  int lost_before = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    FailingFileSystem disk(DiskCall::write_at, 1 + static_cast<int>(seed) % 20, false);
    const SimulatedResult before = simulate(run_around_step_6(seed, false, &disk));
    SimulatedRun next = run_around_step_6(seed + 100, true, nullptr);
    next.directory = before.directory;
    std::string lost;
    for (const Json& event : events_of(before)) {
      if (event.at("event") == "skipped") lost = name_of(event);
    }
    ASSERT_NE(lost, "");
    std::filesystem::remove(before.directory + "/" + kEvents);

    const SimulatedResult result = simulate(next);

    if (result.errors.find("its records up to the checkpoint are gone") != std::string::npos)
      continue;  // it failed after the state was kept, as that says that the file is there
    const std::vector<Json> events = events_of(result);
    ASSERT_FALSE(events.empty());
    EXPECT_EQ(events.front().at("continued_after_step"), 6);
    ASSERT_EQ(events.back().at("event"), "finished");
    std::vector<std::string> skipped;
    for (const Json& event : events) {
      if (event.at("event") == "skipped") skipped.push_back(name_of(event));
    }
    // A file that failed after the state was kept is written again.
    if (result.files.contains(lost)) {
      EXPECT_EQ(skipped, std::vector<std::string>{});
      EXPECT_EQ(events.back().at("complete_through_s"), 20);
      continue;
    }
    ++lost_before;
    EXPECT_EQ(skipped, std::vector<std::string>{lost});
    EXPECT_EQ(events.back().at("skipped_files").size(), 1u);
    EXPECT_TRUE(events.back().at("complete_through_s").is_null()) << events.back();
  }
  EXPECT_GT(lost_before, 0);
}

}  // namespace
}  // namespace pileus::testing
