// Whole runs that are killed after a checkpoint and continued, also with other numbers of ranks and servers:
// the files are those of the run that was not killed, byte by byte.

#include <gtest/gtest.h>

#include <fstream>

#include "checkpoint/continuation.h"
#include "disk/passing_files.h"
#include "server/testing/killed_runs.h"
#include "server/testing/orders.h"
#include "server/testing/published_bytes.h"
#include "state/checkpoint_folders.h"
#include "time/continued_windows.h"

namespace pileus::testing {
namespace {

/// Killed after every step but the last, some orders of arrival each.
void expect_the_same_files_when_continued(const RunOf& run, std::uint64_t seeds_per_step) {
  const std::map<std::string, std::string> right = run.uninterrupted_files();
  ASSERT_FALSE(right.empty());
  std::uint64_t seed = 1;
  for (std::size_t i = 0; i + 1 < run.steps.size(); i += stride()) {
    for (std::uint64_t repeat = 0; repeat < seeds_per_step; ++repeat, ++seed) {
      const std::int64_t cut = run.steps[i].index;
      SCOPED_TRACE("cut after step " + std::to_string(cut) + ", seed " + std::to_string(seed));
      const SimulatedResult killed = run.killed_after({cut}, seed, {});
      const SimulatedResult result = run.continued_after(cut, killed.directory, seed + 1000);
      expect_files(result, right);
      std::filesystem::remove_all(result.directory);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TEST_F(ContinuedRun, has_the_files_of_the_run_that_was_not_killed_for_every_manipulation_and_spread) {
  expect_the_same_files_when_continued({configuration(every_manipulation())}, as_many_as_asked(2));
}

/// Each rank's own columns, a mean of a reduction that ranks may hold whole, and constant factors before
/// they are rounded: what is made in other ways for other layouts.
TEST_F(ContinuedRun, has_the_same_files_where_layouts_make_averages_in_different_ways) {
  const std::string values = R"xml(<io-configuration>
  <data-definition name="raw_fields" frequency="1">
    <field name="w" type="array" data_type="double" size="z,y,x" collective="true"/>
    <field name="vwp_local" type="array" data_type="double" parts="own"/>
  </data-definition>
  <data-handling>
    <diagnostic field="mean_column">
      <operator name="localreduce" operator="sum" field="vwp_local" result="local"/>
      <communication name="reduction" operator="sum" field="local" result="sum" root="auto"/>
      <operator name="arithmetic" equation="sum/({x_size}*{y_size})" result="mean_column"/>
    </diagnostic>
    <diagnostic field="negative" expression="mean[y](-var[x](w))"/>
    <diagnostic field="thirds" expression="mean[y](sum[x](w)/3)"/>
    <diagnostic field="tenths" expression="mean[x](0.1*mean[y](w))"/>
    <diagnostic field="both" expression="mean[y,x](mean[z](w) + std[y](w))"/>
    <diagnostic field="anomaly" expression="w - 0.3*mean[y](w)"/>
  </data-handling>
  <data-writing>)xml";
  const std::string fields = "mean_column negative thirds tenths both anomaly";
  const RunOf run{values + file("means", "write_time_frequency=\"40\"", fields, "averaged", "20") +
                  file("sums", "write_time_frequency=\"30\"", fields, "variance", "15") +
                  "</data-writing></io-configuration>"};
  expect_the_same_files_when_continued(run, as_many_as_asked(2));
}

TEST_F(ContinuedRun, has_the_same_files_where_months_are_counted) {
  std::vector<Step> steps;
  double time = 0;
  for (std::int64_t n = 1; n <= 12; ++n) {
    const double length = 86400 * (5.0 + 3.0 * static_cast<double>(n % 4)) + 1234.5;
    time += length;
    steps.push_back({n, time, length});
  }
  const std::string files =
      file("quarter", "write_time_frequency=\"3 months\"", kFields, "averaged", "1 month") +
      file("month", "write_time_frequency=\"1 month\"", "w vwp", "instantaneous", "1 month");
  for (Calendar calendar : {Calendar::noleap, Calendar::standard})
    expect_the_same_files_when_continued({configuration(files), steps, calendar}, 2);
}

TEST_F(ContinuedRun, has_the_same_files_where_steps_are_skipped_and_some_fields_come_at_the_end_alone) {
  std::vector<Step> steps;
  double time = 3.25;
  for (std::int64_t n : {0, 1, 3, 4, 8, 12, 14, 15, 22}) {
    const double length = 0.7 + 1.9 * static_cast<double>(n % 3);
    time += length;
    steps.push_back({n, time, length});
  }
  const std::string files = file("whole", "write_time_frequency=\"0\" write_on_terminate=\"true\"",
                                 "w label options_database checksum", "none", "") +
                            file("last", "write_time_frequency=\"0\" write_on_terminate=\"true\"",
                                 "w dt w_profile", "instantaneous", "6") +
                            file("means", "write_timestep_frequency=\"5\"", kFields, "averaged", "4");
  expect_the_same_files_when_continued({configuration(files), steps, {}, true}, 3);
}

/// Nothing else wants the fields, so the model ranks themselves decide in which steps they hand them over.
TEST_F(ContinuedRun, has_the_same_files_where_records_count_from_the_last_one) {
  const std::string include = "<include counts_from=\"last_record\" output_frequency=";
  const std::string files = "<file name=\"instants.nc\" write_time_frequency=\"30\">" + include +
                            "\"9\" field=\"w\"/></file><file name=\"means.nc\" write_time_frequency=\"40\">" +
                            include + "\"7\" field=\"vwp\" time_manipulation=\"averaged\"/></file>";
  expect_the_same_files_when_continued({configuration(files)}, as_many_as_asked(2));
}

/// What the model hands over once more when its last step is done, in place of marking that step: the same
/// bytes, in files of every kind of the end.
TEST_F(ContinuedRun, has_the_same_files_where_the_model_says_afterwards_which_step_was_the_last) {
  const std::string files = file("all", "write_time_frequency=\"0\" write_on_terminate=\"true\"",
                                 "w w_profile checksum", "none", "") +
                            file("late", "write_time_frequency=\"30\" write_on_terminate=\"true\"",
                                 "dt vwp largest_anomaly", "instantaneous", "100") +
                            file("steps", "write_timestep_frequency=\"7\" write_on_terminate=\"true\"",
                                 "w w_anomaly", "instantaneous", "9") +
                            file("means", "write_time_frequency=\"30\"", kFields, "averaged", "15");
  RunOf run{configuration(files), varying_steps(15), {}, true};
  run.steps.push_back({16, 90, 90 - run.steps.back().time});  // files end with the run
  const std::map<std::string, std::string> right = run.uninterrupted_files();
  ASSERT_EQ(right.size(), 8U);
  for (std::uint64_t seed = 1; seed <= as_many_as_asked(60); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SimulatedRun attempt = run.in_any_layout(seed);
    SmallModel model = run.model(attempt.ranks, seed);
    model.closes = true;
    attempt.model = model;
    const SimulatedResult result = simulate(attempt);
    expect_files(result, right);
    std::filesystem::remove_all(result.directory);
    if (HasFailure()) return;
  }
  expect_the_same_files_when_continued(run, 3);
}

/// One run after another: the second begins its indices anew, and so does the third, or it goes on with
/// those of the second. The files at the end.
std::map<std::string, std::string> files_of_three_runs(const RunOf& run, std::uint64_t seed, bool goes_on) {
  std::string directory;
  std::optional<std::int64_t> kept;
  std::map<std::string, std::string> files;
  for (const auto& [done, last, counted_from] :
       {std::tuple{0, 5, 0}, std::tuple{5, 9, 5}, std::tuple{9, 14, goes_on ? 5 : 9}}) {
    SimulatedRun job = seed == 0 ? run.in_layout(1, 1, 0) : run.in_any_layout(seed + 100U * last);
    job.directory = directory;
    SmallModel model = run.model(job.ranks, seed);
    model.steps.resize(static_cast<std::size_t>(last));
    model.checkpoints = {last};
    model.continue_after = kept;
    model.done_before = done;
    model.counted_from = counted_from;
    std::int64_t index = 0;
    job.model = [&](Client& client, ClientRank rank) {
      SmallModel own = model;
      if (rank == 0) own.on_begun = [&](const Step& step) { index = step.done(); };
      own(client, rank);
    };
    const SimulatedResult result = simulate(job);
    EXPECT_EQ(result.errors, "");
    for (const std::string& error : result.model_errors) EXPECT_EQ(error, "");
    kept = index;
    directory = result.directory;
    files = result.files;
  }
  std::filesystem::remove_all(directory);
  return files;
}

TEST_F(ContinuedRun, may_count_its_steps_anew) {
  const std::string files = file("means", "write_time_frequency=\"30\"", "vwp dt", "averaged", "8") +
                            file("sparse", "write_time_frequency=\"30\"", "w w_profile", "none", "") +
                            file("steps", "write_timestep_frequency=\"3\"", "w dt", "instantaneous", "1");
  const RunOf run{configuration(files)};
  const std::map<std::string, std::string> uninterrupted = run.uninterrupted_files();
  for (const bool goes_on : {false, true}) {
    const std::map<std::string, std::string> right = files_of_three_runs(run, 0, goes_on);
    std::set<std::string> by_steps;
    for (const auto& [name, bytes] : right) {
      if (name.starts_with("steps")) by_steps.insert(name);
      if (name.starts_with("means")) {
        EXPECT_TRUE(uninterrupted.at(name) == bytes) << name;
      }
    }
    // Steps 1 to 5, then 1 to 4 as 7 to 10, then 5 to 9 as 11 to 15, or 1 to 5 as 13 to 17.
    const std::set<std::string> expected =
        goes_on ? std::set<std::string>{"steps_step_3.nc", "steps_step_6.nc", "steps_step_9.nc",
                                        "steps_step_12.nc", "steps_step_15.nc"}
                : std::set<std::string>{"steps_step_3.nc",  "steps_step_6.nc",  "steps_step_9.nc",
                                        "steps_step_12.nc", "steps_step_15.nc", "steps_step_18.nc"};
    EXPECT_EQ(by_steps, expected);
    for (std::uint64_t seed = 1; seed <= as_many_as_asked(20); ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      const std::map<std::string, std::string> found = files_of_three_runs(run, seed, goes_on);
      ASSERT_EQ(found.size(), right.size());
      for (const auto& [name, bytes] : right)
        ASSERT_TRUE(found.contains(name) && found.at(name) == bytes) << name;
    }
  }
}

/// A file for the whole run, one for every 5 steps, named by the step with which each ended. The whole run, a
/// run that is killed at any step, and one that ends early and is gone on with.
TEST_F(ContinuedRun, has_the_last_step_in_names_of_files) {
  const std::string files =
      file("whole_{step}", "write_timestep_frequency=\"0\" write_on_terminate=\"true\"", "w dt checksum",
           "none", "") +
      file("dump_{step}", "write_timestep_frequency=\"5\"", "w vwp", "instantaneous", "1");
  const RunOf run{configuration(files), varying_steps(13), {}, true};
  const std::map<std::string, std::string> right = run.uninterrupted_files();
  std::set<std::string> names;
  for (const auto& [name, bytes] : right) names.insert(name);
  EXPECT_EQ(names, (std::set<std::string>{"whole_13.nc", "dump_5.nc", "dump_10.nc", "dump_13.nc"}));
  expect_the_same_files_when_continued(run, 3);
  for (std::uint64_t seed = 1; seed <= as_many_as_asked(10); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const SimulatedResult ended = run.ended_after(7, 7, seed);
    EXPECT_TRUE(ended.files.contains("whole_7.nc") && ended.files.contains("dump_7.nc"));
    const SimulatedResult result = run.continued_after(7, ended.directory, seed + 1000);
    EXPECT_EQ(result.errors, "");
    EXPECT_EQ(result.leftovers, Texts());
    for (const auto& [name, bytes] : right) {
      if (name !=
          "whole_13.nc") {  // at the end of the first run a value was sent that the second does not send
        EXPECT_TRUE(result.files.contains(name) && result.files.at(name) == bytes) << name;
      }
    }
    EXPECT_TRUE(result.files.contains("whole_13.nc"));
    EXPECT_TRUE(result.files.contains("dump_7.nc"));  // it stays: a model may start from it
    std::filesystem::remove_all(result.directory);
    if (HasFailure()) return;
  }
}

/// The files of MONC's bridge have the step with which they ended, which a checkpoint may lie behind.
TEST_F(ContinuedRun, has_the_same_ends_in_files_that_say_when_they_ended) {
  std::string files =
      every_manipulation() +
      file("all", "write_time_frequency=\"0\" write_on_terminate=\"true\"", "w w_profile", "none", "");
  for (std::size_t at = 0; (at = files.find("<file ", at)) != files.npos; at += 5)
    files.insert(at + 5, " naming=\"monc\"");
  RunOf run{configuration(files)};
  const std::map<std::string, std::string> without = run.uninterrupted_files();
  run.options = {{"pileus_dialect", "monc-epcc"}};
  for (const auto& [name, bytes] : run.uninterrupted_files()) {
    EXPECT_NE(bytes.find("MONC timestep"), bytes.npos) << name;
    EXPECT_EQ(without.at(name).find("MONC timestep"), bytes.npos) << name;
  }
  expect_the_same_files_when_continued(run, as_many_as_asked(2));
}

TEST_F(ContinuedRun, may_be_killed_and_continued_again_and_again) {
  const RunOf run{configuration(every_manipulation())};
  const std::map<std::string, std::string> right = run.uninterrupted_files();
  for (std::uint64_t seed = 1; seed <= as_many_as_asked(10); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RunOf::Start start;
    for (std::int64_t cut : {3, 4, 7, 10}) {
      const SimulatedResult killed =
          run.killed_after({cut}, 10 * seed + static_cast<std::uint64_t>(cut), start);
      start = {cut, killed.directory};
    }
    const SimulatedResult result = run.continued_after(10, start.directory, seed);
    expect_files(result, right);
    std::filesystem::remove_all(result.directory);
    if (HasFailure()) return;
  }
}

class KilledRuns : public ContinuedRun, public ::testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(Formats, KilledRuns,
                         ::testing::Values("netcdf", "zarr", "grib2", "parts", "writers"),
                         [](const auto& format) { return std::string(format.param); });

TEST_P(KilledRuns, has_the_same_files_wherever_it_is_killed_and_as_often) {
  const std::string format = GetParam();
  const std::string text =
      format != "grib2"
          ? configuration(every_manipulation())
          : configuration(file("means", "write_time_frequency=\"40\"", "w w_anomaly", "averaged", "20") +
                          file("largest", "write_time_frequency=\"30\"", "w w_anomaly", "maximum", "15") +
                          file("samples", "write_time_frequency=\"25\"", "w", "none", ""));
  const RunOf run{in_format(format, text)};
  const std::map<std::string, std::string> right = run.uninterrupted_files();
  int kills = 0;
  const std::uint64_t seeds = as_many_as_asked(format == "netcdf" ? 40 : 10);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const SimulatedResult result = run.killed_again_and_again(seed, [&](const SimulatedResult&) { ++kills; });
    expect_files(result, right);
    std::filesystem::remove_all(result.directory);
    if (HasFailure()) return;
  }
  EXPECT_GT(kills, static_cast<int>(seeds / 2));
  RecordProperty("kills", kills);
}

TEST_F(ContinuedRun, takes_any_of_the_checkpoints_that_were_written_at_the_same_time) {
  const RunOf run{configuration(every_manipulation())};
  const std::map<std::string, std::string> right = run.uninterrupted_files();
  for (std::uint64_t seed = 1; seed <= as_many_as_asked(10); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const SimulatedResult killed = run.killed_after({5, 6, 7}, seed, {});
    const std::vector<std::int64_t> steps = complete_checkpoints(killed.directory);
    ASSERT_FALSE(steps.empty());
    const SimulatedResult result =
        run.continued_after(steps[seed % steps.size()], killed.directory, seed + 500);
    expect_files(result, right);
    std::filesystem::remove_all(result.directory);
    if (HasFailure()) return;
  }
}

TEST_F(ContinuedRun, without_any_further_step_publishes_what_was_under_way) {
  const RunOf run{configuration(every_manipulation())};
  RunOf until_9 = run;
  until_9.steps.resize(9);
  const std::map<std::string, std::string> right = until_9.uninterrupted_files();
  for (std::uint64_t seed = 1; seed <= as_many_as_asked(10); ++seed) {
    const SimulatedResult killed = run.killed_after({9}, seed, {});
    const SimulatedResult result = until_9.continued_after(9, killed.directory, seed + 500);
    expect_files(result, right);
    std::filesystem::remove_all(result.directory);
    if (HasFailure()) return;
  }
}

TEST_F(ContinuedRun, without_any_file_keeps_its_state_and_goes_on) {
  const RunOf run{configuration("")};
  for (std::uint64_t seed = 1; seed <= as_many_as_asked(10); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const SimulatedResult killed = run.killed_after({5, 6}, seed, {});
    EXPECT_EQ(complete_checkpoints(killed.directory), (std::vector<std::int64_t>{5, 6}));

    expect_files(run.continued_after(6, killed.directory, seed + 500), {});

    std::filesystem::remove_all(killed.directory);
  }
}

/// Counts the bytes that are read of the parts of checkpoints.
class ReadParts : public PassingFiles {
 public:
  std::uint64_t read = 0;

  std::unique_ptr<SourceFile> open_source(const std::string& path) override {
    const bool is_part = path.find("/part-") != std::string::npos;
    return std::make_unique<Source>(PassingFiles::open_source(path), is_part ? read : others_);
  }

 private:
  class Source : public SourceFile {
   public:
    Source(std::unique_ptr<SourceFile> file, std::uint64_t& read) : file_(std::move(file)), read_(read) {}
    void read_at(std::uint64_t offset, std::span<std::byte> bytes) override {
      read_ += bytes.size();
      file_->read_at(offset, bytes);
    }
    std::uint64_t size_bytes() override { return file_->size_bytes(); }

   private:
    std::unique_ptr<SourceFile> file_;
    std::uint64_t& read_;
  };
  std::uint64_t others_ = 0;
};

// Each server once read all that all servers had kept.
TEST_F(ContinuedRun, reads_each_window_once_where_it_is_spread_as_before) {
  const RunOf run{configuration(file("means", "write_time_frequency=\"40\"", "w vwp dt", "averaged", "8"))};
  std::uint64_t seed = 1;
  while (run.in_any_layout(seed).servers < 3 || run.in_any_layout(seed).ranks < 4) ++seed;
  const SimulatedRun was = run.in_any_layout(seed);
  const SimulatedResult killed = run.killed_after({6}, seed, {});
  ReadParts files;
  const Manifest manifest = read_manifest(files, killed.directory, 6);
  std::uint64_t windows = 0, others = 0, directories = 0;
  for (std::size_t p = 0; p < manifest.parts.size(); ++p) {
    const Bytes part = files.read_whole((checkpoint_folder(killed.directory, 6) / part_name(p)).string());
    directories += manifest.parts[p].directory_bytes;
    for (const StateEntry& entry : decode_part(part, manifest.parts[p].directory_bytes))
      (entry.kind == kWindowKind ? windows : others) += entry.bytes.size();
  }

  SimulatedRun again = run.in_layout(was.ranks, was.servers, 1);
  again.directory = killed.directory;
  again.files = &files;
  SmallModel small = run.model(was.ranks, seed);
  small.continue_after = 6;
  again.model = small;
  const SimulatedResult result = simulate(again);

  EXPECT_EQ(result.errors, "");
  EXPECT_GT(windows, 0U);
  EXPECT_LE(files.read, windows + (was.servers + 1) * (others + directories));
  EXPECT_GT(files.read, windows);
  std::filesystem::remove_all(killed.directory);
}

/// One run that was killed, for attempts to go on from it.
class KilledRun : public ContinuedRun {
 protected:
  const RunOf run{configuration(file("means", "write_time_frequency=\"40\"", "w vwp dt", "averaged", "8") +
                                file("every", "write_time_frequency=\"30\"", "dt vwp", "none", ""))};
  const SimulatedResult killed = run.killed_after({5}, 3, {});
  const std::string folder = killed.directory + "/pileus-checkpoints/step-0000000005";

  std::map<std::string, std::string> all_files() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(killed.directory)) {
      std::ifstream in(entry.path(), std::ios::binary);
      if (!entry.is_directory()) files[entry.path()] = std::string(std::istreambuf_iterator<char>(in), {});
    }
    return files;
  }
  /// The text that every rank is told, where the run is refused and nothing is lost.
  std::string refusal(std::int64_t step, std::uint64_t seed = 1) const {
    const auto before = all_files();
    const SimulatedResult result = run.continued_after(step, killed.directory, seed);
    EXPECT_EQ(all_files(), before);
    for (const std::string& error : result.model_errors) EXPECT_NE(error, "");
    return result.model_errors[0];
  }
};

TEST_F(KilledRun, is_not_continued_from_a_checkpoint_that_is_damaged) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string path = entry.path();
    const std::string whole = all_files().at(path);
    const auto expect_refused = [&](const std::string& bytes) {
      std::ofstream(path, std::ios::binary) << bytes;
      const std::string text = refusal(5, bytes.size() % 7);
      EXPECT_TRUE(text.starts_with("the run cannot continue from " + path)) << text;
    };
    for (std::size_t size = 0; size < whole.size(); size += 1000) expect_refused(whole.substr(0, size));
    for (std::size_t at : {std::size_t{0}, whole.size() / 3, whole.size() - 1}) {
      std::string flipped = whole;
      flipped[at] = static_cast<char>(flipped[at] ^ 4);
      expect_refused(flipped);
    }
    std::ofstream(path, std::ios::binary) << whole;
  }
}

TEST_F(KilledRun, is_not_continued_from_a_step_that_was_not_kept) {
  const std::string text = refusal(6);

  EXPECT_NE(text.find("there is no checkpoint of step 6"), std::string::npos) << text;
  EXPECT_NE(text.find("there is that of step 5"), std::string::npos) << text;
}

TEST_F(KilledRun, refuses_the_steps_that_the_checkpoint_holds) {
  SimulatedRun again = run.in_layout(2, 1, 1);
  again.directory = killed.directory;
  again.model = [&](Client& client, ClientRank rank) {
    SmallModel small = run.model(2, 1);
    small.continue_after = 5;
    small.before_step = [&](const Step&) {
      try {
        client.begin(run.steps[4], false);
        ADD_FAILURE() << "step 5 began again";
      } catch (const UsageError& error) {
        EXPECT_NE(std::string(error.what()).find("step 5 is in the checkpoint of step 5"), std::string::npos)
            << error.what();
      }
    };
    small(client, rank);
  };
  const SimulatedResult result = simulate(again);
  EXPECT_EQ(result.errors, "");
}

/// The second attempt leaves files under way, and no checkpoint that tells of it.
TEST_F(ContinuedRun, continues_twice_from_the_same_checkpoint) {
  const RunOf run{
      configuration(file("long", "write_time_frequency=\"40\"", kFields, "averaged", "8") +
                    file("every", "write_time_frequency=\"30\" deflate=\"1\"", "w dt", "none", ""))};
  const std::map<std::string, std::string> right = run.uninterrupted_files();
  for (std::uint64_t seed = 1; seed <= as_many_as_asked(6); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::string directory = run.killed_after({4}, seed, {}).directory;
    for (std::int64_t step : {6, 7, 9}) run.killed_before(step, 4, directory, seed + 10);

    expect_files(run.continued_after(4, directory, seed + 20), right);

    std::filesystem::remove_all(directory);
  }
}

}  // namespace
}  // namespace pileus::testing
