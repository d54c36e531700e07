// A slow server, a slow rank, a slow disk, one disk without space, a rank that stops sending: nothing hangs,
// the others go on, memory stays within its budget, and users are told what is waited for.

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <stdexcept>

#include "client/frames.h"
#include "plan/plan.h"
#include "tests/scenarios/failing_file_system.h"
#include "tests/scenarios/scenario.h"
#include "tests/scenarios/volume_runs.h"

namespace pileus::testing {
namespace {

constexpr ClientRank kStoppedRank = 1;
constexpr std::int64_t kStoppedStep = 4;

/// The size of a rank's parcel: header and entries, at most 24 values of w, and dt, each from a multiple of
/// 64 bytes.
constexpr std::int64_t kParcelBytes = 56 + 2 * 24 + 24 + 24 * 8 + 64 + 8;
/// The budget of a server for all of its clients: a few parcels.
constexpr std::int64_t kSmallBudget = 1500;

void set_budget(SimulatedRun& run, std::int64_t bytes) {
  const std::string memory = "<memory budget=\"" + std::to_string(bytes) + "\"/>";
  run.configuration.insert(run.configuration.find("<data-definition"),
                           "<server-configuration>" + memory + "</server-configuration>");
}

class SlowScenario : public ScenarioTest {
 protected:
  void TearDown() override { unsetenv("PILEUS_EVENTS"); }

  /// All files are as if nothing had been slow. The parcels that servers hold are within the budget, or
  /// within one parcel of each rank if that is more.
  void expect_all_right_within(std::int64_t budget, const std::function<void(SimulatedRun&)>& slow) {
    const auto prepare = [&](SimulatedRun& run) {
      set_budget(run, budget);
      slow(run);
    };
    // A file has its configuration, so another budget makes other files.
    SimulatedRun quick;
    quick.configuration = kPlaneConfiguration;
    quick.model = PlaneModel{};
    set_budget(quick, budget);
    const std::map<std::string, std::string> right = simulate(quick).files;
    expect_in_every_order(
        all_layouts(), {},
        [&](const SimulatedResult& result, RunLayout layout) {
          EXPECT_EQ(result.errors, "");
          expect_right(result, right, kAllFiles);
          ASSERT_EQ(result.figures.servers.size(), layout.servers);
          for (const ServerFigures& server : result.figures.servers) {
            EXPECT_LE(server.most_parcel_bytes, std::max(budget, layout.ranks * kParcelBytes));
          }
        },
        prepare);
  }
};

TEST_F(SlowScenario, a_slow_server_changes_nothing_and_holds_no_more_than_its_budget) {
  expect_all_right_within(kSmallBudget, [](SimulatedRun& run) { run.slow_server = 0; });
  expect_all_right_within(kSmallBudget, [](SimulatedRun& run) { run.slow_server = run.servers - 1; });
}

TEST_F(SlowScenario, a_slow_rank_changes_nothing_and_servers_hold_no_more_than_their_budgets) {
  expect_all_right_within(kSmallBudget, [](SimulatedRun& run) { run.slow_rank = 0; });
  expect_all_right_within(kSmallBudget, [](SimulatedRun& run) { run.slow_rank = run.ranks - 1; });
}

TEST_F(SlowScenario, a_slow_disk_changes_nothing_and_servers_hold_no_more_than_their_budgets) {
  expect_all_right_within(kSmallBudget, [](SimulatedRun& run) { run.is_disk_slow = true; });
}

TEST_F(SlowScenario, everything_may_be_slow_and_the_budget_tiny) {
  expect_all_right_within(1, [](SimulatedRun& run) {
    run.is_disk_slow = true;
    run.slow_server = 0;
    run.slow_rank = run.ranks - 1;
  });
}

/// Notes how many steps the ranks had handed over when the first bytes went to the disk.
class WatchedDisk : public FailingFileSystem {
 public:
  explicit WatchedDisk(const std::vector<std::int64_t>& handed_over)
      : FailingFileSystem(DiskCall::write_at, 1'000'000, false), handed_over_(handed_over) {}
  std::unique_ptr<PartFile> open_parts(const std::string& path) override {
    if (fewest_ < 0) fewest_ = *std::ranges::min_element(handed_over_);
    return FailingFileSystem::open_parts(path);
  }
  std::int64_t fewest() const { return fewest_; }

 private:
  const std::vector<std::int64_t>& handed_over_;
  std::int64_t fewest_ = -1;
};

TEST_F(SlowScenario, a_model_with_room_in_memory_does_not_wait_for_a_slow_disk) {
  std::vector<std::int64_t> handed_over;
  std::unique_ptr<WatchedDisk> disk;
  const auto slow = [&](SimulatedRun& run) {
    handed_over.assign(run.ranks, 0);
    disk = std::make_unique<WatchedDisk>(handed_over);
    run.files = disk.get();
    run.is_disk_slow = true;
  };
  const auto note = [&](PlaneModel& model) {
    model.before_step = [&](Client&, ClientRank rank, Step& step) {
      handed_over[rank] = step.index - 1;
      return true;
    };
  };

  expect_in_every_order(
      all_layouts(), note,
      [&](const SimulatedResult& result, RunLayout) {
        EXPECT_EQ(disk->fewest(), 7);  // it was in its eighth and last step, or past it
        expect_right(result, right_files(), kAllFiles);
      },
      slow);
}

/// Everything that a server writes through its own mount fails; files that others write alone are right.
TEST_F(SlowScenario, one_servers_disk_without_space_costs_the_files_that_it_writes) {
  std::unique_ptr<FailingFileSystem> full;
  ServerRank number = 0;
  const auto prepare = [&](SimulatedRun& run) {
    full = std::make_unique<FailingFileSystem>(DiskCall::write_at, 1, true);
    const ServerRank at = number++ % run.servers;
    run.files_of = [&full, at](ServerRank server) { return server == at ? full.get() : nullptr; };
  };
  const std::vector<RunLayout> layouts = {{2, 2}, {3, 2}, {4, 3}, {6, 3}};
  std::set<std::string> ever_published;

  expect_in_every_order(
      layouts, {},
      [&](const SimulatedResult& result, RunLayout) {
        std::set<std::string> published;
        for (const auto& [name, bytes] : result.files) published.insert(name);
        expect_right(result, right_files(), published);
        ever_published.merge(published);
        // These distributed files have parts on every server.
        for (const char* name : {"w_10.nc", "w_20.nc", "averaged_10.nc", "averaged_20.nc"})
          EXPECT_FALSE(result.files.contains(name)) << name;
        expect_all_told(result, {"No space left on device", "w_10.nc", "w_20.nc"});
      },
      prepare);

  // The others have one writer, so they are there if another server's disk is full.
  EXPECT_EQ(ever_published, (std::set<std::string>{"dt_10.nc", "dt_20.nc", "mean_10.nc", "mean_20.nc"}));
}

/// One rank stops before a step until somebody has reported what is waited for, and then leaves.
class StoppedRank {
 public:
  void prepare(SimulatedRun& run) {
    said_.clear();
    steps_.assign(run.ranks, 0);
    run.patience_s = 1;  // longer than any server has nothing to do while others still have
    run.rest = &rest_;
    setenv("PILEUS_EVENTS", "pileus-events.jsonl", 1);  // it changes no configuration, and so no file
    run.on_waits = [this, servers = run.servers](ServerRank server, const std::string& text) {
      if (std::ranges::find(said_, text) == said_.end()) said_.push_back(text);
      if (!all_have_said_) said_while_stopped_ += text + "\n";
      if (!text.starts_with("nothing has moved")) return;
      count_++;
      ++times_[server];
      all_have_said_ = times_.size() == servers && count_ >= 3 * servers;
    };
    count_ = 0;
    times_.clear();
    said_while_stopped_.clear();
    all_have_said_ = false;
  }
  void change(PlaneModel& model, ClientRank stopped) {
    model.before_step = [this, stopped](Client&, ClientRank rank, Step& step) {
      if (rank == stopped && step.index == kStoppedStep) {
        while (!all_have_said_) rest_();
        steps_then_ = steps_;
        throw UsageError("the model gave up");
      }
      steps_[rank] = step.index;
      return true;
    };
  }
  std::string said() const {
    std::string all;
    for (const std::string& text : said_) all += text + "\n";
    return all;
  }
  const std::string& said_while_stopped() const { return said_while_stopped_; }
  std::size_t servers_that_said_it_again() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(times_, [](const auto& one) { return one.second > 1; }));
  }
  /// The last steps that ranks had begun when everything had come to rest.
  const std::vector<std::int64_t>& steps_then() const { return steps_then_; }

 private:
  std::function<void()> rest_;
  std::vector<std::string> said_;
  std::string said_while_stopped_;
  std::size_t count_ = 0;
  std::map<ServerRank, int> times_;
  bool all_have_said_ = false;
  std::vector<std::int64_t> steps_, steps_then_;
};

TEST_F(SlowScenario, a_rank_that_stops_is_named_while_the_others_go_on_to_their_ends) {
  StoppedRank stopped;

  expect_in_every_order(
      several_ranks(), [&](PlaneModel& model) { stopped.change(model, kStoppedRank); },
      [&](const SimulatedResult& result, RunLayout layout) {
        for (ClientRank rank = 0; rank < layout.ranks; ++rank) {
          if (rank == kStoppedRank) continue;
          EXPECT_EQ(stopped.steps_then()[rank], 8) << rank;
        }
        expect_words(
            stopped.said(),
            {"nothing has moved for 1", " s, since ",
             "model rank 1 sent nothing of step 4; model rank 0 is at step 8",
             "\"w_mean\" of diagnostic \"w_mean\": step 4 waits for w of model rank 1",
             ", and 4 later steps too", "w.nc, period 1: record 3 of w", " lacks the part of model rank 1"});
        EXPECT_GE(stopped.servers_that_said_it_again(), 1u);
        // A message that tells a server what another one waits for is no movement.
        EXPECT_EQ(stopped.said_while_stopped().find("something moves again"), std::string::npos)
            << stopped.said_while_stopped();
        expect_words(result.files.at("pileus-events.jsonl"),
                     {"\"event\":\"waiting\"", "model rank 1 sent nothing of step 4"});
        expect_words(result.report, {"waited for, the longest first\n", " s from 20"});
        std::string waits;
        for (const RunReport::Wait& wait : result.figures.waits) waits += wait.text + "\n";
        expect_words(waits, {"model rank 1 sent nothing of step 4", "nothing has moved"});
        // Files that need nothing of that rank were published as usual.
        expect_right(result, right_files(), {"dt_10.nc", "dt_20.nc"});
        expect_words(result.errors, {"model rank 1 broke the run off after step 3"});
      },
      [&](SimulatedRun& run) { stopped.prepare(run); });
}

TEST_F(SlowScenario, a_rank_that_stops_lets_the_others_fill_their_budgets_and_no_more) {
  StoppedRank stopped;
  const auto prepare = [&](SimulatedRun& run) {
    stopped.prepare(run);
    set_budget(run, 1);  // one parcel of each rank
  };

  expect_in_every_order(
      several_ranks(), [&](PlaneModel& model) { stopped.change(model, kStoppedRank); },
      [&](const SimulatedResult& result, RunLayout layout) {
        const Layout servers{layout.ranks, layout.servers};
        for (ClientRank rank = 0; rank < layout.ranks; ++rank) {
          if (rank == kStoppedRank) continue;
          // Ranks of the same server wait with the parcel of step 5: that of step 4 fills the budget until
          // the record is complete. The other ranks' parcel of step 4 is written at once, but there is memory
          // for one step. The clock comes to step 5 only when step 4 is done, and their parcel of step 5
          // waits for it.
          const bool shares = servers.server_of(rank) == servers.server_of(kStoppedRank);
          EXPECT_EQ(stopped.steps_then()[rank], shares ? 5 : 6) << rank;
        }
        expect_words(stopped.said(), {"model rank 1 sent nothing of step 4; model rank 0 is at step "});
        for (const ServerFigures& server : result.figures.servers)
          EXPECT_LE(server.most_parcel_bytes, layout.ranks * kParcelBytes);
        EXPECT_TRUE(result.files.contains("dt_10.nc") && result.files.contains("dt_20.nc"));
      },
      prepare);
}

TEST_F(SlowScenario, a_rank_zero_that_stops_is_named_by_those_who_went_ahead) {
  StoppedRank stopped;

  expect_in_every_order(
      several_ranks(), [&](PlaneModel& model) { stopped.change(model, 0); },
      [&](const SimulatedResult& result, RunLayout layout) {
        for (ClientRank rank = 1; rank < layout.ranks; ++rank)
          EXPECT_EQ(stopped.steps_then()[rank], 8) << rank;
        expect_words(stopped.said(), {"went ahead of model rank 0, which is at step 3"});
        expect_words(result.errors, {"model rank 0 broke the run off after step 3"});
      },
      [&](SimulatedRun& run) { stopped.prepare(run); });
}

TEST_F(SlowScenario, a_rank_that_does_not_commit_is_named) {
  std::string said;
  std::function<void()> rest;
  const auto prepare = [&](SimulatedRun& run) {
    said.clear();
    run.patience_s = 0.2;
    run.rest = &rest;
    run.on_waits = [&said](ServerRank, const std::string& text) { said += text + "\n"; };
  };
  const auto wait_first = [&](Client&, ClientRank rank) {
    while (rank == kStoppedRank && said.empty()) rest();
    return false;  // from then on it does what the model does
  };

  expect_in_every_order(
      several_ranks(), [&](PlaneModel& model) { model.register_instead = wait_first; },
      [&](const SimulatedResult& result, RunLayout) {
        EXPECT_EQ(said.find("nothing has moved for 0.2 s, since 20"), 0U) << said;
        expect_words(said, {"Z:\n  model rank 1 did not come to pileus_commit"});
        const std::string absent = "did not come to pileus_commit";
        EXPECT_EQ(said.find(absent), said.rfind(absent)) << said;
        EXPECT_EQ(result.errors, "");
        EXPECT_TRUE(result.files.contains("w_10.nc"));
      },
      prepare);
}

/// Calls `before_answer` before a model rank says what it registered, as its server has asked.
class AskedEndpoint : public FarEndpoint {
 public:
  AskedEndpoint(std::unique_ptr<Endpoint> below, const std::function<void(Peer)>& before_answer)
      : FarEndpoint(std::move(below)), before_answer_(before_answer) {}
  void commit(std::unique_ptr<Slot> slot) override {
    FrameKind kind;
    std::memcpy(&kind, slot->bytes().data(), sizeof kind);
    if (kind == FrameKind::description) before_answer_(self());
    FarEndpoint::commit(std::move(slot));
  }

 private:
  const std::function<void(Peer)>& before_answer_;
};

TEST_F(SlowScenario, a_rank_that_does_not_say_what_it_registered_when_asked_is_named) {
  std::string said;
  std::set<Peer> asked;
  std::function<void()> rest;
  const std::function<void(Peer)> wait = [&](Peer rank) {
    asked.insert(rank);
    while (said.empty()) rest();
  };
  const auto prepare = [&](SimulatedRun& run) {
    said.clear();
    asked.clear();
    run.patience_s = 0.2;
    run.rest = &rest;
    run.on_waits = [&said](ServerRank, const std::string& text) { said += text + "\n"; };
    run.change_endpoint = [&](std::unique_ptr<Endpoint> below) {
      return std::make_unique<AskedEndpoint>(std::move(below), wait);
    };
  };

  expect_in_every_order(
      several_ranks(), {},
      [&](const SimulatedResult& result, RunLayout) {
        ASSERT_FALSE(asked.empty());
        const std::string first = said.substr(0, said.find("did not come to pileus_commit"));
        EXPECT_TRUE(std::ranges::any_of(asked, [&](Peer rank) {
          return first.find("model rank " + std::to_string(rank) + " ") != std::string::npos ||
                 first.find("model ranks ") != std::string::npos;
        })) << said;
        EXPECT_EQ(result.errors, "");
        EXPECT_TRUE(result.files.contains("w_10.nc"));
      },
      prepare);
}

TEST_F(SlowScenario, a_rank_that_dies_when_it_is_asked_what_it_registered_refuses_the_run_by_name) {
  std::set<Peer> asked;
  const std::function<void(Peer)> die = [&](Peer rank) {
    asked.insert(rank);
    throw std::runtime_error("dead");
  };
  expect_in_every_order(
      several_ranks(), {},
      [&](const SimulatedResult& result, RunLayout) {
        ASSERT_FALSE(asked.empty());
        EXPECT_TRUE(std::ranges::any_of(asked, [&](Peer rank) {
          return result.errors.find("model rank " + std::to_string(rank)) != std::string::npos;
        })) << result.errors;
        for (const std::string& error : result.model_errors) EXPECT_NE(error, "");
        expect_no_files(result);
      },
      [&](SimulatedRun& run) {
        asked.clear();
        run.change_endpoint = [&](std::unique_ptr<Endpoint> below) {
          return std::make_unique<AskedEndpoint>(std::move(below), die);
        };
      });
}

}  // namespace
}  // namespace pileus::testing
