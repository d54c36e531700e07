// Checkpoints that cannot be completed: the reason is reported, and nothing else suffers.

#include <filesystem>

#include "state/checkpoint_folders.h"
#include "tests/scenarios/failing_file_system.h"
#include "tests/scenarios/scenario.h"

namespace pileus::testing {
namespace {

using Steps = std::vector<std::int64_t>;

class CheckpointScenario : public ScenarioTest {
 protected:
  /// The state is kept after steps 3, 5 and 8, which is the last one.
  static void keep_some(PlaneModel& model) {
    for (Step& step : model.steps) step.is_checkpoint = step.index == 3 || step.index == 5 || step.index == 8;
  }
  /// Expects these checkpoints, whole, and no others; the lock and notes of published files lie beside them.
  static void expect_checkpoints(const SimulatedResult& result, const Steps& steps) {
    EXPECT_EQ(complete_checkpoints(result.directory), steps) << result.errors;
    std::size_t entries = 0;
    const std::filesystem::path folder = result.directory + "/pileus-checkpoints";
    if (!std::filesystem::exists(folder)) return;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const std::string name = entry.path().filename();
      if (name != ".lock" && !name.starts_with(".published-")) ++entries;
    }
    EXPECT_EQ(entries, steps.size());
  }
};

TEST_F(CheckpointScenario, of_the_last_step_is_complete_when_the_run_is_over) {
  expect_in_every_order(all_layouts(), keep_some, [](const SimulatedResult& result, RunLayout) {
    EXPECT_EQ(result.errors, "");
    expect_right(result, right_files(), kAllFiles);
    expect_checkpoints(result, {5, 8});
  });
}

/// For every checkpoint each server writes a part, and server 0 the manifest.
TEST_F(CheckpointScenario, that_the_disk_does_not_take_is_given_up_and_the_files_are_right) {
  std::unique_ptr<FailingFileSystem> disk;
  int number = 0;
  const auto prepare = [&](SimulatedRun& run) {
    const auto calls = static_cast<int>(3 * (run.servers + 1));
    disk = number % 4 == 3
               ? std::make_unique<FailingFileSystem>(DiskCall::rename_directory, 1 + number % 3, false)
               : std::make_unique<FailingFileSystem>(DiskCall::write_pieces, 1 + number % calls, false);
    ++number;
    run.files = disk.get();
  };

  expect_in_every_order(
      all_layouts(), keep_some,
      [&](const SimulatedResult& result, RunLayout) {
        ASSERT_EQ(disk->failures(), 1);
        expect_right(result, right_files(), kAllFiles);
        expect_all_told(result, {"the checkpoint of step ", " was given up: ", "No space left on device"});
        const Steps steps = complete_checkpoints(result.directory);
        EXPECT_EQ(steps.size(), 2U);
        expect_checkpoints(result, steps);
      },
      prepare);
}

TEST_F(CheckpointScenario, for_which_one_rank_does_not_ask_is_given_up_alone) {
  expect_in_every_order(
      several_ranks(),
      [](PlaneModel& model) {
        keep_some(model);
        model.before_step = [](Client&, ClientRank rank, Step& step) {
          if (rank == 1 && step.index == 5) step.is_checkpoint = 0;
          return true;
        };
      },
      [](const SimulatedResult& result, RunLayout) {
        expect_right(result, right_files(), kAllFiles);
        expect_all_told(result, {"the checkpoint of step 5 was given up: ",
                                 "model rank 1 does not ask for it, model rank 0 does"});
        expect_checkpoints(result, {3, 8});
      });
}

TEST_F(CheckpointScenario, for_which_rank_0_does_not_ask_is_none) {
  expect_in_every_order(
      several_ranks(),
      [](PlaneModel& model) {
        keep_some(model);
        model.before_step = [](Client&, ClientRank rank, Step& step) {
          if (rank == 1 && step.index == 6) step.is_checkpoint = 1;
          return true;
        };
      },
      [](const SimulatedResult& result, RunLayout) {
        expect_right(result, right_files(), kAllFiles);
        expect_all_told(result,
                        {"model rank 1 asks for a checkpoint of step 6, for which model rank 0 does not"});
        expect_checkpoints(result, {5, 8});
      });
}

TEST_F(CheckpointScenario, after_a_rank_has_finished_is_given_up) {
  expect_in_every_order(
      several_ranks(),
      [](PlaneModel& model) {
        keep_some(model);
        model.last_step = [](ClientRank rank) { return std::int64_t{rank == 1 ? 6 : 8}; };
      },
      [](const SimulatedResult& result, RunLayout) {
        expect_complete_files(result);
        expect_all_told(result,
                        {"the checkpoint of step 8 was given up: ", "model rank 1 finished after step 6"});
        expect_checkpoints(result, {3, 5});
      });
}

TEST_F(CheckpointScenario, of_a_rank_that_has_failed_is_given_up) {
  expect_in_every_order(
      several_ranks(),
      [](PlaneModel& model) {
        keep_some(model);
        model.before_step = [](Client&, ClientRank rank, Step& step) { return rank != 1 || step.index != 4; };
      },
      [](const SimulatedResult& result, RunLayout) {
        expect_complete_files(result);
        expect_all_told(result, {"the checkpoint of step 5 was given up: ",
                                 "the checkpoint of step 8 was given up: ", "model rank 1 left out step 4"});
        expect_checkpoints(result, {3});
      });
}

}  // namespace
}  // namespace pileus::testing
