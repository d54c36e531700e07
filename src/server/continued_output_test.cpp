// Runs that are killed and continued: every file is that of the run that was not.

#include <gtest/gtest.h>

#include <fstream>

#include "disk/testing/dropping_files.h"
#include "server/testing/continued_output.h"
#include "server/testing/orders.h"
#include "server/testing/published_bytes.h"

namespace pileus::testing {
namespace {

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

/// In every format.
class ContinuedFiles : public ContinuedOutput, public ::testing::WithParamInterface<const char*> {
 protected:
  ContinuedFiles() { setting_.configuration = in_format(GetParam(), setting_.configuration); }
};
INSTANTIATE_TEST_SUITE_P(Formats, ContinuedFiles,
                         ::testing::Values("netcdf", "zarr", "grib2", "parts", "writers", "zarr_writers"),
                         [](const auto& format) { return std::string(format.param); });

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

TEST_F(ContinuedOutput, needs_no_frame_from_a_server_to_itself) {
  for (ServerRank servers : {1U, 3U}) {
    setting_.directory = directory("of " + std::to_string(servers));
    setting_.servers = servers;
    OutputRun run(setting_);
    run.run();

    EXPECT_EQ(run.open_texts(), Texts());
    EXPECT_TRUE(run.has_kept(17));
    EXPECT_EQ(run.letters_to_self(), 0U) << servers << " servers";
  }
}

/// No step is longer than 14 s, so every period has a file: published ones are one range for each series.
TEST_F(ContinuedOutput, holds_as_little_of_many_files_as_of_one) {
  replace(setting_.configuration, "\"30\"", "\"14\"");
  replace(setting_.configuration, "\"40\"", "\"14\"");
  OutputSetting setting = prompt("many");
  setting.servers = 3;
  setting.steps = steps_with_checkpoints(400, {40, 80});
  OutputRun run(setting);
  run.run();

  EXPECT_EQ(real_errors(run), Texts());
  EXPECT_GT(run.published().size(), 100U);
  EXPECT_LE(run.held_of_done(), 12U);
}

/// Steps of 1.25 s and more, a file each second: most periods have none, and those that have are one range.
TEST_F(ContinuedOutput, holds_as_little_where_steps_skip_periods) {
  replace(setting_.configuration, "\"30\"", "\"1\"");
  replace(setting_.configuration, "\"40\"", "\"1\"");
  OutputSetting setting = prompt("skipped");
  setting.servers = 3;
  setting.steps = steps_with_checkpoints(200, {40, 80});
  OutputRun run(setting);
  run.run();

  EXPECT_EQ(real_errors(run), Texts());
  EXPECT_GT(run.published().size(), 300U);
  EXPECT_LE(run.held_of_done(), 12U);
}

TEST_F(ContinuedOutput, keeps_memory_of_parts_that_others_write_until_they_give_it_back) {
  for (std::uint64_t seed = 0; seed < as_many_as_asked(6); ++seed) {
    OutputSetting setting = setting_;
    setting.configuration = with_writers(setting.configuration);
    setting.directory = directory("lent" + std::to_string(seed));
    setting.servers = 3 + static_cast<ServerRank>(seed % 2);
    setting.seed = seed;
    OutputRun run(setting);

    run.run();

    EXPECT_EQ(run.errors(), Texts());
    EXPECT_GT(run.parts_lent(), 100U);
    EXPECT_EQ(run.parts_returned(), run.parts_lent());
    EXPECT_EQ(run.held_records(), 0U);
  }
}

TEST_P(ContinuedFiles, have_the_bytes_of_a_run_that_was_not_killed) {
  const auto expected = undisturbed();
  for (std::uint64_t seed = 0; seed < as_many_as_asked(12); ++seed) {
    OutputSetting setting = setting_;
    setting.directory = directory("run" + std::to_string(seed));
    setting.seed = seed;
    setting.owners_write_all = seed % 4 == 3;
    const std::int64_t step = seed % 2 == 0 ? 9 : 17;
    const StateEntries state = killed(setting, step, (seed * 37) % 900);
    for (const auto& [name, bytes] : files_in(setting.directory)) {
      if (name.starts_with(".") && seed % 3 == 0 && std::string("netcdf") == GetParam())
        tear_metadata(setting.directory + "/" + name);
    }
    setting.clients = 1 + static_cast<ClientRank>(seed % 5);
    setting.servers = std::min<ServerRank>(setting.clients, 1 + static_cast<ServerRank>(seed % 3));

    const Outcome outcome = continued(setting, state, step);

    EXPECT_EQ(outcome.errors, Texts()) << "seed " << seed;
    EXPECT_EQ(outcome.not_continued, Texts()) << "seed " << seed;
    expect_equal(outcome.files, expected, "seed " + std::to_string(seed));
  }
}

TEST_P(ContinuedFiles, have_them_where_each_host_lost_what_it_had_not_synced) {
  const auto expected = undisturbed();
  for (std::uint64_t seed = 0; seed < as_many_as_asked(4); ++seed) {
    DroppingDisk disk;
    OutputSetting setting = setting_;
    setting.directory = directory("run" + std::to_string(seed));
    setting.seed = seed;
    setting.servers = 3;
    if (seed % 2 == 0) setting.tasks_between = 100'000;
    setting.files_of = [&](ServerRank server) { return &disk.of_host(server); };
    const StateEntries state = killed(setting, 9, seed * 5);
    const auto before = files_in(setting.directory);

    disk.kill();

    for (const auto& [name, bytes] : before) {
      if (name.starts_with(".")) continue;
      EXPECT_TRUE(files_in(setting.directory)[name] == bytes) << name << " was published, seed " << seed;
    }
    const Outcome outcome = continued(setting, state, 9);
    EXPECT_EQ(outcome.errors, Texts()) << "seed " << seed;
    expect_equal(outcome.files, expected, "seed " + std::to_string(seed));
  }
}

TEST_P(ContinuedFiles, name_the_parts_that_never_came_over_both_runs) {
  setting_.last_steps = {{2, 5}};  // some of the records that rank 2 lacks are before the checkpoint
  setting_.clients = 4;
  const auto expected = undisturbed(4);
  bool is_named = false;
  for (const auto& [name, bytes] : expected) {
    is_named = is_named || bytes.find("of model rank 2 in 25 records") != std::string::npos;
  }
  for (std::uint64_t seed = 0; seed < as_many_as_asked(6); ++seed) {
    OutputSetting setting = setting_;
    setting.directory = directory("run" + std::to_string(seed));
    setting.seed = seed;
    const StateEntries state = killed(setting, 9, (seed * 61) % 500);
    setting.servers = 1 + static_cast<ServerRank>(seed % 3);

    const Outcome outcome = continued(setting, state, 9);

    expect_equal(outcome.files, expected, "seed " + std::to_string(seed));
  }
  EXPECT_TRUE(is_named);
}

TEST_P(ContinuedFiles, fill_what_no_rank_holds) {
  setting_.held_x = 8;
  const auto expected = undisturbed();
  OutputSetting setting = setting_;
  setting.directory = directory("run");
  const StateEntries state = killed(setting, 17, 100);
  setting.clients = 3;
  setting.servers = 3;

  const Outcome outcome = continued(setting, state, 17);

  EXPECT_EQ(outcome.errors, Texts());
  expect_equal(outcome.files, expected, "holes");
}

TEST_F(ContinuedOutput, fills_what_no_rank_makes_though_fields_have_all_parts) {
  setting_.held_x = 8;
  const auto expected = undisturbed();
  OutputSetting setting = setting_;
  setting.held_x = 11;
  setting.made_x = 8;
  setting.directory = directory("run");
  setting.clients = 3;

  const StateEntries state = killed(setting, 17, 100);
  const Outcome outcome = continued(setting, state, 17);

  expect_equal(outcome.files, expected, "nobody makes it");
}

TEST_F(ContinuedOutput, goes_on_again_from_a_checkpoint_of_its_own) {
  setting_.steps = steps_with_checkpoints(30, {9, 10, 11, 17});
  const auto expected = undisturbed();
  for (std::uint64_t seed = 0; seed < as_many_as_asked(6); ++seed) {
    OutputSetting setting = setting_;
    setting.directory = directory("run" + std::to_string(seed));
    setting.seed = seed;
    StateEntries state = killed(setting, 9, seed * 10);
    // The files may still be under way of being laid out again when the next steps are kept.
    std::int64_t after = 9;
    for (std::int64_t step : {10, 11, 17}) {
      setting.continued = &state;
      setting.continued_after = after;
      ++setting.attempt;
      setting.servers = 1 + static_cast<ServerRank>(static_cast<std::uint64_t>(step) % 3);
      StateEntries next = killed(setting, step, seed * 20);
      state = std::move(next);
      after = step;
    }

    const Outcome outcome = continued(setting, state, 17);

    EXPECT_EQ(outcome.errors, Texts()) << "seed " << seed;
    expect_equal(outcome.files, expected, "seed " + std::to_string(seed));
  }
}

}  // namespace
}  // namespace pileus::testing
