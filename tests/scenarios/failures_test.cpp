// Something unforeseen is thrown in a server: by an operator, a task, or the lane. Whatever its type, the run
// ends in order, every rank is told the reason, and published files are right.

#include <cstdlib>
#include <filesystem>
#include <new>
#include <stdexcept>

#include "core/error.h"
#include "tests/scenarios/failing_file_system.h"
#include "tests/scenarios/scenario.h"

namespace pileus::testing {
namespace {

struct Thrown {
  const char* name;
  std::function<void()> now;
  const char* text;  ///< that users are told
};

const std::vector<Thrown>& every_type() {
  static const std::vector<Thrown> all = {
      {"text", [] { throw std::runtime_error("it rains"); }, "it rains"},
      {"memory", [] { throw std::bad_alloc(); }, "not enough memory"},
      {"number", [] { throw 7; }, "an exception that is no std::exception"}};
  return all;
}

std::set<std::string> published(const SimulatedResult& result) {
  std::set<std::string> names;
  for (const auto& [name, bytes] : result.files) names.insert(name);
  return names;
}

/// Expects the words in whatever call; ranks that do not call pileus_finish are not told of other failures.
void expect_each_told(const SimulatedResult& result, const std::vector<std::string>& words) {
  for (const std::string& error : result.model_errors) expect_words(error, words);
}

/// "w_10.nc" of "/somewhere/.w_10.nc.RUN.part"
std::string name_in(const std::string& temporary_path) {
  const std::string name = std::filesystem::path(temporary_path).filename().string().substr(1);
  return name.substr(0, name.find(".nc") + 3);
}

/// Ranks that a call tells that the run is stopped end it with pileus_finish, or without.
void end_as_told(SimulatedRun& run, bool finishes) {
  run.model = [finishes, model = run.model](Client& client, ClientRank rank) {
    try {
      model(client, rank);
    } catch (const OutputError&) {
      if (client.state() != RunState::finished && client.state() != RunState::failed && finishes)
        client.finish();
      throw;
    }
  };
}

/// Averages the result of the operator.
void average_what_throws(SimulatedRun& run) {
  const auto insert = [&](const std::string& before, const std::string& text) {
    run.configuration.insert(run.configuration.find(before), text);
  };
  insert("<data-definition", "<server-configuration><operator-library file=\"" PILEUS_THROWING_OPERATOR
                             "\"/></server-configuration>\n");
  insert("<diagnostic",
         "<diagnostic field=\"kept\"><operator name=\"throws\" result=\"kept\" field=\"w\"/></diagnostic>\n");
  const std::string averaged = "<include field=\"w\" time_manipulation=\"averaged\"";
  run.configuration.replace(run.configuration.find(averaged), averaged.size(),
                            "<include field=\"kept\" time_manipulation=\"averaged\"");
}

class FailureScenario : public ScenarioTest {
 protected:
  void TearDown() override { unsetenv("PILEUS_THROWS"); }

  /// The files of a run with the operator when it throws nothing.
  static std::map<std::string, std::string> files_of_quiet_operator() {
    SimulatedRun run;
    run.configuration = kPlaneConfiguration;
    average_what_throws(run);
    run.model = PlaneModel();
    return simulate(run).files;
  }
};

TEST_F(FailureScenario, what_an_operator_throws_is_said_with_its_place_and_the_others_go_on) {
  const std::map<std::string, std::string> right = files_of_quiet_operator();
  for (const char* name : {"text", "number"}) {
    setenv("PILEUS_THROWS", name, 1);
    const Thrown& thrown = *std::ranges::find(every_type(), std::string(name), &Thrown::name);
    expect_in_every_order(
        {{1, 1}, {3, 2}}, {},
        [&](const SimulatedResult& result, RunLayout) {
          EXPECT_EQ(published(result), kAllFiles);
          std::set<std::string> others = kAllFiles;
          others.erase("averaged_20.nc");  // it has the values that the operator gave up
          expect_right(result, right, others);
          EXPECT_NE(result.files.at("averaged_20.nc"), right.at("averaged_20.nc"));
          expect_all_told(result, {"run.xml:", "\"kept\"", "failed and gives no value", thrown.text});
        },
        average_what_throws);
  }
}

/// The lack is not only the operator's: the next caller to ask for memory gets none either.
TEST_F(FailureScenario, lack_of_memory_in_an_operator_stops_the_run_with_its_place) {
  const std::map<std::string, std::string> right = files_of_quiet_operator();
  setenv("PILEUS_THROWS", "memory", 1);
  int runs = 0;
  expect_in_every_order(
      all_layouts(), {},
      [&](const SimulatedResult& result, RunLayout) {
        expect_right(result, right, published(result));
        EXPECT_FALSE(result.files.contains("averaged_20.nc"));
        expect_words(result.errors, {"the run is stopped: "});
        expect_each_told(result, {"run.xml:", "\"kept\"", "not enough memory"});
      },
      [&](SimulatedRun& run) {
        average_what_throws(run);
        end_as_told(run, ++runs % 3 != 0);
      });
}

/// The lane throws in turn at every message that servers take, from the registrations to the last.
TEST_F(FailureScenario, what_the_lane_throws_ends_the_run_in_order_and_all_are_told) {
  int runs = 0, stopped = 0;
  const Thrown* thrown = nullptr;
  expect_in_every_order(
      all_layouts(), {},
      [&](const SimulatedResult& result, RunLayout) {
        expect_right(result, right_files(), published(result));
        if (published(result) == kAllFiles) return;  // at its end, or there were fewer messages
        ++stopped;
        expect_each_told(result, {thrown->text});
      },
      [&](SimulatedRun& run) {
        ++runs;
        thrown = &every_type()[static_cast<std::size_t>(runs) % 3];
        end_as_told(run, runs % 4 != 0);
        run.on_message = [&, thrown, ranks = run.ranks, left = 1 + 7 * runs % 100](Peer to) mutable {
          if (to >= ranks && --left == 0) thrown->now();
        };
      });
  EXPECT_GT(stopped, runs / 4);
}

TEST_F(FailureScenario, what_the_file_system_throws_costs_one_file_whatever_its_type) {
  std::unique_ptr<FailingFileSystem> disk;
  const Thrown* thrown = nullptr;
  int runs = 0;
  expect_in_every_order(
      all_layouts(), {},
      [&](const SimulatedResult& result, RunLayout) {
        if (disk->failures() == 0) return expect_right(result, right_files(), kAllFiles);
        EXPECT_EQ(result.files.size(), kAllFiles.size() - 1) << result.errors;
        expect_right(result, right_files(), published(result));
        expect_all_told(result, {name_in(disk->failed_path()), thrown->text});
      },
      [&](SimulatedRun& run) {
        ++runs;
        thrown = &every_type()[static_cast<std::size_t>(runs) % 3];
        const DiskCall calls[] = {DiskCall::open_parts, DiskCall::write_at, DiskCall::sync,
                                  DiskCall::reserve};
        disk = std::make_unique<FailingFileSystem>(calls[runs % 4], 1 + runs % 12, false);
        disk->set_thrown(thrown->now);
        run.files = disk.get();
      });
}

}  // namespace
}  // namespace pileus::testing
