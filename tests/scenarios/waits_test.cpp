// A run says what it waits for while it waits, and while other things go on: by name, with since when; in the
// log, as events, and in the report.

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "hooks/processes.h"
#include "plan/plan.h"
#include "state/checkpoint_folders.h"
#include "tests/scenarios/scenario.h"

namespace pileus::testing {
namespace {

using Json = nlohmann::json;

constexpr const char* kEvents = "pileus-events.jsonl";
constexpr const char* kMoving = "this waits while other things move";

std::vector<Json> events_of(const SimulatedResult& result, const std::string& kind) {
  std::vector<Json> events;
  std::istringstream lines(result.files.at(kEvents));
  for (std::string line; std::getline(lines, line);) {
    Json event = Json::parse(line);
    if (event.at("event") == kind) events.push_back(std::move(event));
  }
  return events;
}

/// The entries of events or of the report that are for something with these words.
std::vector<Json> with_words(const std::vector<Json>& all, const std::string& words) {
  std::vector<Json> found;
  for (const Json& one : all) {
    if (one.at("for").get<std::string>().find(words) != std::string::npos) found.push_back(one);
  }
  return found;
}

/// Hears what servers say, and holds something until they have said all of some words.
class Listener {
 public:
  void prepare(SimulatedRun& run, double patience_s) {
    run.patience_s = patience_s;
    run.rest = &rest_;
    run.on_waits = [this](ServerRank, const std::string& text) { said_ += text + "\n"; };
    run.configuration.insert(run.configuration.find("<data-definition"),
                             "<server-configuration><events/></server-configuration>");
    said_.clear();
  }
  /// Holds a model rank until all of these were said, but not for ever, as nothing else would end the test.
  void wait_for(const std::vector<std::string>& words) {
    for (int i = 0; i < 20'000 && !has_said(words); ++i) rest_();
  }
  bool has_said(const std::vector<std::string>& words) const {
    return std::ranges::all_of(
        words, [&](const std::string& word) { return said_.find(word) != std::string::npos; });
  }
  const std::string& said() const { return said_; }

 private:
  std::function<void()> rest_;
  std::string said_;
};

class WaitScenario : public ScenarioTest {
 protected:
  Listener listener_;
};

TEST_F(WaitScenario, a_rank_that_lags_is_named_while_the_others_go_on_and_what_came_is_told) {
  const std::vector<std::string> words = {
      "model rank 1 sent nothing of step 4", "step 4 waits for w of model rank 1",
      "w.nc, period 1: record 3 of w", "w_10.nc: waits for the parts of server"};
  int said_while_others_moved = 0;
  const auto lag = [&](PlaneModel& model) {
    model.steps.clear();
    for (int n = 1; n <= 16; ++n) model.steps.push_back({n, 2.5 * n, 2.5});
    model.before_step = [&](Client&, ClientRank rank, Step& step) {
      if (rank == 1 && step.index == 4) listener_.wait_for(words);
      return true;
    };
  };

  expect_in_every_order(
      several_ranks(), lag,
      [&](const SimulatedResult& result, RunLayout) {
        EXPECT_EQ(result.errors, "");
        expect_words(listener_.said(), words);
        expect_words(listener_.said(), {"the wait is over:\n  came after "});
        if (listener_.said().find(kMoving) != std::string::npos) ++said_while_others_moved;
        EXPECT_FALSE(with_words(events_of(result, "waiting"), "step 4 waits for w of model rank 1").empty());
        const std::vector<Json> came = with_words(events_of(result, "came"), "step 4 waits for");
        ASSERT_FALSE(came.empty());
        EXPECT_GE(came[0].at("lasted_s"), 0.06);
        // dt is rank 0's alone.
        std::set<std::string> late;
        for (const Json& event : events_of(result, "late"))
          late.insert(std::filesystem::path(event.at("file").get<std::string>()).filename());
        EXPECT_TRUE(late.contains("w_10.nc")) << listener_.said();
        const std::vector<Json> waits = Json::parse(result.figures.json()).at("waits");
        const std::vector<Json> of_rank = with_words(waits, "step 4 waits for");
        ASSERT_FALSE(of_rank.empty()) << Json(waits);
        EXPECT_EQ(of_rank[0].at("has_come"), true);
      },
      [&](SimulatedRun& run) { listener_.prepare(run, 0.06); });

  EXPECT_GT(said_while_others_moved, 0);
}

/// Commands that go on until it was said that they do, and for as long as one is patient.
class SlowCommands : public Processes {
 public:
  explicit SlowCommands(const Listener& listener) : listener_(listener) {}

  Number start(const std::string&, const std::string& path, const Environment& environment) override {
    const std::string series =
        std::map<std::string, std::string>(environment.begin(), environment.end()).at("PILEUS_SERIES");
    EXPECT_TRUE(running_.insert(series).second) << "two commands of one series at once: " << path;
    started.push_back(std::filesystem::path(path).filename());
    series_.push_back(series);
    return static_cast<Number>(series_.size()) - 1;
  }
  std::optional<std::string> ended(Number process) override {
    const bool is_named = listener_.has_said({"has not ended (process " + std::to_string(process) + ")"});
    // Some looks more: what is said because nothing moves may have begun just before.
    const bool is_long = is_named && ++asked_since_[process] > 100;
    if (!is_long && ++asked_ < 20'000) return std::nullopt;
    running_.erase(series_.at(static_cast<std::size_t>(process)));
    return "";
  }
  std::vector<std::string> started;

 private:
  const Listener& listener_;
  int asked_ = 0;
  std::map<Number, int> asked_since_;
  std::vector<std::string> series_;
  std::set<std::string> running_;
};

TEST_F(WaitScenario, a_command_that_does_not_end_is_named_also_when_all_else_is_over) {
  std::unique_ptr<SlowCommands> commands;
  const auto prepare = [&](SimulatedRun& run) {
    listener_.prepare(run, 0.05);
    run.configuration.insert(run.configuration.find("name=\"w.nc\""), "on_publish=\"tell me\" ");
    commands = std::make_unique<SlowCommands>(listener_);
    run.processes = commands.get();
  };

  expect_in_every_order(
      all_layouts(), {},
      [&](const SimulatedResult& result, RunLayout) {
        EXPECT_EQ(result.errors, "");
        // One after the other, in the order of publication.
        std::vector<std::string> published;
        for (const Json& event : events_of(result, "published")) {
          if (event.at("series") == "w.nc")
            published.push_back(std::filesystem::path(event.at("file").get<std::string>()).filename());
        }
        ASSERT_EQ(published.size(), 2u);
        EXPECT_EQ(commands->started, published);
        const std::string last = published[1] + " has not ended (process 1)";
        expect_words(listener_.said(), {"on_publish=\"tell me\" of ", last});
        EXPECT_FALSE(with_words(events_of(result, "waiting"), last).empty());
        const std::vector<Json> waits = Json::parse(result.figures.json()).at("waits");
        EXPECT_FALSE(with_words(waits, last).empty()) << Json(waits);
      },
      prepare);
}

TEST_F(WaitScenario,
       a_checkpoint_under_way_names_the_rank_and_the_server_that_lack_and_is_told_when_complete) {
  const std::string rank = "the checkpoint of step 4 waits for model rank 1 to end that step";
  const auto hold = [&](PlaneModel& model) {
    model.steps[3].is_checkpoint = 1;
    model.before_step = [&](Client&, ClientRank at, Step& step) {
      if (at == 1 && step.index == 4) listener_.wait_for({rank, "step 4 waits for the part of server"});
      return true;
    };
  };

  expect_in_every_order(
      several_ranks(), hold,
      [&](const SimulatedResult& result, RunLayout) {
        EXPECT_EQ(result.errors, "");
        expect_words(listener_.said(), {rank, "step 4 waits for the part of server"});
        const std::vector<Json> checkpointed = events_of(result, "checkpointed");
        ASSERT_EQ(checkpointed.size(), 1u);
        EXPECT_EQ(checkpointed[0].at("step"), 4);
        EXPECT_EQ(checkpointed[0].at("time_s"), 10);
        EXPECT_TRUE(
            std::filesystem::exists(checkpointed[0].at("checkpoint").get<std::string>() + "/manifest"));
        EXPECT_EQ(complete_checkpoints(result.directory), std::vector<std::int64_t>{4});
      },
      [&](SimulatedRun& run) { listener_.prepare(run, 0.1); });
}

}  // namespace
}  // namespace pileus::testing
