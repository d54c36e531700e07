// Disks that fail: published files are right, the others are named, and the run ends.

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "core/temporary_directory.h"
#include "tests/scenarios/failing_file_system.h"
#include "tests/scenarios/scenario.h"

namespace pileus::testing {
namespace {

class DiskScenario : public ScenarioTest {
 protected:
  /// One call fails, the 1st, 2nd, … in turn: one file is lost and named, and all others are right.
  void expect_one_file_lost(DiskCall call) {
    std::unique_ptr<FailingFileSystem> disk;
    int number = 0;
    const auto prepare = [&](SimulatedRun& run) {
      disk = std::make_unique<FailingFileSystem>(call, 1 + number++ % 12, false);
      disk->set_bears_positioned_writes(number % 3 != 0);
      run.files = disk.get();
    };

    expect_in_every_order(
        all_layouts(), {},
        [&](const SimulatedResult& result, RunLayout) {
          if (disk->failures() == 0) {  // there were fewer calls
            EXPECT_EQ(result.errors, "");
            return expect_right(result, right_files(), kAllFiles);
          }
          EXPECT_EQ(result.files.size(), kAllFiles.size() - 1) << result.errors;
          std::set<std::string> published;
          for (const auto& [name, bytes] : result.files) published.insert(name);
          expect_right(result, right_files(), published);
          expect_all_told(result, {disk->failed_path(), "No space left on device"});
        },
        prepare);
  }

  /// Every call fails from some call on: nothing wrong is published, and every rank is told.
  void expect_only_right_files(DiskCall call) {
    std::unique_ptr<FailingFileSystem> disk;
    int number = 0;
    const auto prepare = [&](SimulatedRun& run) {
      disk = std::make_unique<FailingFileSystem>(call, 1 + number++ % 20, true);
      disk->set_bears_positioned_writes(number % 3 != 0);
      run.files = disk.get();
    };

    expect_in_every_order(
        all_layouts(), {},
        [&](const SimulatedResult& result, RunLayout) {
          std::set<std::string> published;
          for (const auto& [name, bytes] : result.files) published.insert(name);
          expect_right(result, right_files(), published);
          if (disk->failures() > 0) expect_all_told(result, {"No space left on device"});
        },
        prepare);
  }

  /// All ranks are told `why` where a file is to lie in a folder, or `within` it, that `make` has made.
  void expect_folder_refused(const std::function<void(const std::string&)>& make, const std::string& why,
                             const std::string& within = "") {
    const auto in_folder = [&](SimulatedRun& run) {
      run.prepare_directory = [&](const std::string& directory) { make(directory + "/out"); };
      run.configuration.insert(run.configuration.find("\"w.nc\"") + 1, "out" + within + "/");
    };
    expect_in_every_order(
        all_layouts(), {},
        [&](const SimulatedResult& result, RunLayout) { expect_all_told(result, {"/out" + within + why}); },
        in_folder);
  }
};

TEST_F(DiskScenario, a_write_that_fails_costs_one_file) { expect_one_file_lost(DiskCall::write_at); }
TEST_F(DiskScenario, a_sync_that_fails_costs_one_file) { expect_one_file_lost(DiskCall::sync); }
TEST_F(DiskScenario, a_reservation_that_fails_costs_one_file) { expect_one_file_lost(DiskCall::reserve); }
TEST_F(DiskScenario, an_opening_that_fails_costs_one_file) { expect_one_file_lost(DiskCall::open_parts); }

/// The data are complete and on the disk by then, so they stay where they are.
TEST_F(DiskScenario, a_publication_that_fails_keeps_the_data_under_their_temporary_name) {
  std::unique_ptr<FailingFileSystem> disk;
  int number = 0;
  const auto prepare = [&](SimulatedRun& run) {
    disk = std::make_unique<FailingFileSystem>(DiskCall::publish, 1 + number++ % 8, false);
    run.files = disk.get();
  };

  expect_in_every_order(
      all_layouts(), {},
      [&](const SimulatedResult& result, RunLayout) {
        expect_all_told(result, {disk->failed_path(), "No space left on device"});
        ASSERT_EQ(result.leftovers.size(), 1u);
        const std::string lost = std::filesystem::path(disk->failed_path()).filename();
        EXPECT_TRUE(result.leftovers[0].starts_with("." + lost)) << result.leftovers[0];
        std::set<std::string> others = kAllFiles;
        others.erase(lost);
        expect_right(result, right_files(), others);
        std::ifstream kept(result.directory + "/" + result.leftovers[0], std::ios::binary);
        const std::string bytes((std::istreambuf_iterator<char>(kept)), std::istreambuf_iterator<char>());
        EXPECT_TRUE(bytes == right_files().at(lost));
      },
      prepare, true);
}

TEST_F(DiskScenario, a_disk_that_fills_up_publishes_nothing_wrong) {
  expect_only_right_files(DiskCall::write_at);
}
TEST_F(DiskScenario, a_disk_without_room_publishes_nothing_wrong) {
  expect_only_right_files(DiskCall::reserve);
}
TEST_F(DiskScenario, a_disk_that_cannot_sync_publishes_nothing_wrong) {
  expect_only_right_files(DiskCall::sync);
}

TEST_F(DiskScenario, an_output_folder_that_is_not_there_is_an_error_before_the_first_step) {
  const auto elsewhere = [](SimulatedRun& run) { run.folder = "not-there"; };

  expect_in_every_order(
      all_layouts(), {},
      [](const SimulatedResult& result, RunLayout) {
        expect_all_told(result, {"not-there", "No such file or directory"});
        expect_no_files(result);
      },
      elsewhere);
}

TEST_F(DiskScenario, files_whose_names_differ_behind_a_dot_stay_apart) {
  const auto dotted = [](SimulatedRun& run) {
    for (const char* name : {"w.nc", "mean.nc"}) {
      run.configuration.insert(run.configuration.find("\"" + std::string(name)) + 1, "run.");
    }
  };

  expect_in_every_order(
      all_layouts(), {},
      [](const SimulatedResult& result, RunLayout) {
        EXPECT_EQ(result.errors, "");
        EXPECT_EQ(result.files.size(), kAllFiles.size());
        for (const char* name : {"run.w_10.nc", "run.w_20.nc", "run.mean_10.nc", "run.mean_20.nc"}) {
          EXPECT_TRUE(result.files.contains(name)) << name;
        }
      },
      dotted);
}

TEST_F(DiskScenario, a_folder_of_files_that_is_none_is_an_error_before_the_first_step) {
  expect_folder_refused([](const std::string& path) { std::ofstream(path) << "a file"; }, " is no folder");
}

TEST_F(DiskScenario, a_folder_of_files_that_the_system_does_not_find_is_refused_with_what_it_says) {
  expect_folder_refused([](const std::string& path) { std::ofstream(path) << "a file"; },
                        " cannot be reached: Not a directory", "/within");
}

TEST_F(DiskScenario, a_folder_of_files_on_another_file_system_is_an_error_before_the_first_step) {
  const TemporaryDirectory memory("/dev/shm"), disk;
  const auto device = [](const std::string& path) {
    struct stat status {};
    return stat(path.c_str(), &status) == 0 ? status.st_dev : 0;
  };
  if (device(memory.path()) == device(disk.path())) GTEST_SKIP() << "all folders are on one file system";

  expect_folder_refused(
      [&](const std::string& path) {
        const std::string run = path.substr(0, path.rfind('/'));
        const bool is_in_memory = device(run) == device(memory.path());
        std::filesystem::create_directory_symlink((is_in_memory ? disk : memory).path(), path);
      },
      " is on another file system");
}

TEST_F(DiskScenario, a_name_that_is_taken_refuses_the_run_before_its_first_step) {
  const auto taken = [](SimulatedRun& run) {
    run.prepare_directory = [](const std::string& directory) {
      std::ofstream(directory + "/w_10.nc") << "precious";
      std::ofstream(directory + "/w_notes.nc") << "another's";
    };
  };
  const std::string why =
      "w_10.nc exists already; move it away, write to another directory, or say overwrite";

  expect_in_every_order(
      all_layouts(), {},
      [&](const SimulatedResult& result, RunLayout) {
        for (const std::string& error : result.model_errors) EXPECT_NE(error.find(why), std::string::npos);
        EXPECT_EQ(result.files.size(), 2u);
        EXPECT_EQ(result.files.at("w_10.nc"), "precious");
      },
      taken);
}

}  // namespace
}  // namespace pileus::testing
