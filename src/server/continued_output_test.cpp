// Runs that are killed and continued: every file is that of the run that was not.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "core/log.h"
#include "core/testing/temporary_directory.h"
#include "disk/testing/dropping_files.h"
#include "server/testing/orders.h"
#include "server/testing/output_run.h"
#include "server/testing/small_model.h"

namespace pileus::testing {
namespace {

using Texts = std::vector<std::string>;

/// Plain and compressed files with two axes, one of them with bounds; one that is long.
constexpr const char* kFiles = R"xml(<io-configuration>
  <data-definition name="fields" frequency="1">
    <field name="w" type="array" data_type="double" size="z,y,x" collective="true"/>
    <field name="vwp" type="array" data_type="double" size="y,x" collective="true"/>
    <field name="dt" type="scalar" data_type="double"/>
  </data-definition>
  <data-writing>
    <file name="plain.nc" write_time_frequency="30">
      <include field="w" time_manipulation="none"/>
      <include field="vwp" time_manipulation="averaged" output_frequency="5"/>
      <include field="dt" time_manipulation="none"/>
    </file>
    <file name="packed.nc" write_time_frequency="40" deflate="1">
      <include field="w" time_manipulation="none"/>
      <include field="w" time_manipulation="averaged" output_frequency="5"/>
      <include field="vwp" time_manipulation="none"/>
    </file>
    <file name="long.nc" write_time_frequency="100000">
      <include field="vwp" time_manipulation="none"/>
      <include field="vwp" time_manipulation="averaged" output_frequency="25"/>
    </file>
  </data-writing>
</io-configuration>
)xml";

std::vector<Step> steps_with_checkpoints(int count, const std::set<std::int64_t>& checkpoints) {
  std::vector<Step> steps = varying_steps(count);
  for (Step& step : steps) step.is_checkpoint = checkpoints.contains(step.index) ? 1 : 0;
  return steps;
}

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

class ContinuedOutput : public ::testing::Test {
 protected:
  ContinuedOutput() {
    log::set_level(log::Level::error);
    setting_.configuration = kFiles;
    setting_.steps = steps_with_checkpoints(30, {9, 17});
  }

  std::string directory(const std::string& name) const {
    std::filesystem::create_directory(root_.path(name));
    return root_.path(name);
  }
  /// The errors without those about filled values, which the test expects.
  static Texts real_errors(const OutputRun& run) {
    Texts errors = run.errors();
    std::erase_if(errors,
                  [](const std::string& error) { return error.find("missing values") != std::string::npos; });
    return errors;
  }
  /// Little happens before what came before is done.
  OutputSetting prompt(const std::string& name) const {
    OutputSetting setting = setting_;
    setting.directory = directory(name);
    setting.tasks_between = 100'000;
    return setting;
  }
  struct Outcome {
    std::map<std::string, std::string> files;
    Texts errors, not_continued, published;
  };
  /// The run of the setting, to its end, from the state.
  static Outcome continued(OutputSetting setting, const StateEntries& state, std::int64_t after) {
    setting.continued = &state;
    setting.continued_after = after;
    ++setting.attempt;
    OutputRun run(setting);
    run.run();
    EXPECT_EQ(run.open_texts(), Texts()) << "seed " << setting.seed;
    Texts errors = run.errors();
    std::erase_if(errors,
                  [](const std::string& error) { return error.find("missing values") != std::string::npos; });
    return {files_in(setting.directory), errors, run.not_continued(), run.published()};
  }
  static void replace(std::string& text, const std::string& what, const std::string& with) {
    text.replace(text.find(what), what.size(), with);
  }
  /// The files of a run that nothing disturbs.
  std::map<std::string, std::string> undisturbed(ClientRank clients = 1) const {
    OutputSetting setting = setting_;
    setting.directory = directory("undisturbed");
    setting.clients = clients;
    setting.servers = 1;
    OutputRun run(setting);
    run.run();
    EXPECT_TRUE(run.open_texts().empty()) << run.open_texts().front();
    const auto files = files_in(setting.directory);
    EXPECT_EQ(files.size(), run.published().size());
    return files;
  }
  /// Kills a run `tasks` tasks after the state of `step` was kept; that state.
  StateEntries killed(const OutputSetting& setting, std::int64_t step, std::size_t tasks) const {
    OutputRun run(setting);
    std::size_t left = tasks;
    run.run([&] { return run.has_kept(step) && left-- == 0; });
    EXPECT_EQ(real_errors(run), Texts());
    EXPECT_TRUE(run.has_kept(step)) << "seed " << setting.seed;
    return run.kept()[step];
  }
  void expect_equal(const std::map<std::string, std::string>& files,
                    const std::map<std::string, std::string>& expected, const std::string& what) const {
    for (const auto& [name, bytes] : expected) {
      ASSERT_TRUE(files.contains(name)) << name << ", " << what;
      EXPECT_TRUE(files.at(name) == bytes) << name << ", " << what;
    }
    for (const auto& [name, bytes] : files) {
      EXPECT_TRUE(name.starts_with(".") || expected.contains(name)) << name << ", " << what;
    }
  }

  TemporaryDirectory root_{fast_directory()};
  OutputSetting setting_;
};

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

TEST_F(ContinuedOutput, has_the_bytes_of_a_run_that_was_not_killed) {
  const auto expected = undisturbed();
  for (std::uint64_t seed = 0; seed < as_many_as_asked(12); ++seed) {
    OutputSetting setting = setting_;
    setting.directory = directory("run" + std::to_string(seed));
    setting.seed = seed;
    setting.owners_write_all = seed % 4 == 3;
    const std::int64_t step = seed % 2 == 0 ? 9 : 17;
    const StateEntries state = killed(setting, step, (seed * 37) % 900);
    for (const auto& [name, bytes] : files_in(setting.directory)) {
      if (name.starts_with(".") && seed % 3 == 0) tear_metadata(setting.directory + "/" + name);
    }
    setting.clients = 1 + static_cast<ClientRank>(seed % 5);
    setting.servers = std::min<ServerRank>(setting.clients, 1 + static_cast<ServerRank>(seed % 3));

    const Outcome outcome = continued(setting, state, step);

    EXPECT_EQ(outcome.errors, Texts()) << "seed " << seed;
    EXPECT_EQ(outcome.not_continued, Texts()) << "seed " << seed;
    expect_equal(outcome.files, expected, "seed " + std::to_string(seed));
  }
}

TEST_F(ContinuedOutput, has_them_where_each_host_lost_what_it_had_not_synced) {
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

TEST_F(ContinuedOutput, names_the_parts_that_never_came_over_both_runs) {
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

TEST_F(ContinuedOutput, fills_what_no_rank_holds) {
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

/// Node numbers tell which files were written anew.
std::uint64_t inode_of(const std::string& path) {
  struct stat status = {};
  ::stat(path.c_str(), &status);
  return status.st_ino;
}

TEST_F(ContinuedOutput, replaces_what_was_published_only_if_it_is_another) {
  OutputSetting setting = prompt("run");
  const StateEntries state = killed(setting, 9, 1'000'000);
  const std::string same = setting.directory + "/plain_60.nc", other = setting.directory + "/packed_80.nc";
  ASSERT_TRUE(std::filesystem::exists(same) && std::filesystem::exists(other));
  const std::uint64_t same_before = inode_of(same), other_before = inode_of(other);
  replace(setting.configuration, "<file name=\"packed.nc\"", "<file name=\"packed.nc\" title=\"of now\"");

  const Outcome outcome = continued(setting, state, 9);

  EXPECT_EQ(outcome.errors, Texts());
  EXPECT_EQ(inode_of(same), same_before) << "keeps what it was begun with";
  EXPECT_NE(inode_of(other), other_before);
  EXPECT_NE(outcome.files.at("packed_80.nc").find("of now"), std::string::npos);
  EXPECT_NE(std::ranges::find(outcome.published, same), outcome.published.end());
}

TEST_F(ContinuedOutput, leaves_what_somebody_has_changed_since_it_was_published) {
  OutputSetting setting = prompt("run");
  const StateEntries state = killed(setting, 9, 5000);
  const std::string other = setting.directory + "/packed_40.nc";
  ASSERT_TRUE(std::filesystem::exists(other));
  std::ofstream(other, std::ios::app) << "changed";
  const std::string before = files_in(setting.directory).at("packed_40.nc");

  const Outcome outcome = continued(setting, state, 9);

  ASSERT_EQ(outcome.errors.size(), 1U);
  EXPECT_NE(outcome.errors[0].find("packed_40.nc: could not publish it: File exists"), std::string::npos);
  EXPECT_TRUE(outcome.files.at("packed_40.nc") == before);
}

TEST_F(ContinuedOutput, fails_files_whose_records_are_gone_and_goes_on_with_the_others) {
  auto expected = undisturbed();
  OutputSetting setting = prompt("run");
  const StateEntries state = killed(setting, 9, 0);
  const std::string left = ".long_100000.nc.abc-0.part";
  ASSERT_TRUE(std::filesystem::remove(setting.directory + "/" + left));

  const Outcome outcome = continued(setting, state, 9);

  EXPECT_EQ(
      outcome.errors,
      Texts{setting.directory +
            "/long_100000.nc: could not continue it: its records up to the checkpoint are gone, neither "
            "this file nor " +
            left + " is there; bring one of them back, or continue from another checkpoint"});
  expected.erase("long_100000.nc");
  expect_equal(outcome.files, expected, "others");
}

TEST_F(ContinuedOutput, fails_files_that_were_cut_short) {
  auto expected = undisturbed();
  OutputSetting setting = prompt("run");
  const StateEntries state = killed(setting, 9, 0);
  const std::string left = setting.directory + "/.long_100000.nc.abc-0.part";
  std::filesystem::resize_file(left, 5000);

  const Outcome outcome = continued(setting, state, 9);

  ASSERT_EQ(outcome.errors.size(), 1U);
  EXPECT_TRUE(outcome.errors[0].starts_with(left + ": could not continue it: it has 5000 bytes"))
      << outcome.errors[0];
  expected.erase("long_100000.nc");
  expect_equal(outcome.files, expected, "others");
}

/// Has no space for what is copied.
class FullDisk : public PassingFiles {
 public:
  explicit FullDisk(std::string name) : name_(std::move(name)) {}
  std::unique_ptr<PartFile> open_parts(const std::string& path) override {
    if (path.ends_with(name_)) throw OutputError(path + ": could not write to it: No space left on device");
    return PassingFiles::open_parts(path);
  }

 private:
  std::string name_;
};

TEST_F(ContinuedOutput, fails_files_that_have_no_room_and_leaves_nothing_of_them) {
  auto expected = undisturbed();
  OutputSetting setting = prompt("run");
  const StateEntries state = killed(setting, 9, 0);
  FullDisk disk("/.long_100000.nc.abc-1.part");
  setting.files_of = [&](ServerRank) { return &disk; };

  const Outcome outcome = continued(setting, state, 9);

  EXPECT_EQ(outcome.errors,
            Texts{setting.directory + "/.long_100000.nc.abc-1.part: could not write to it: No "
                                      "space left on device"});
  EXPECT_FALSE(outcome.files.contains(".long_100000.nc.abc-1.part"));
  EXPECT_TRUE(outcome.files.contains(".long_100000.nc.abc-0.part")) << "what it would go on from stays";
  expected.erase("long_100000.nc");
  expect_equal(outcome.files, expected, "others");
}

TEST_F(ContinuedOutput, begins_files_anew_that_are_defined_otherwise_and_lists_what_is_no_more) {
  const auto expected = undisturbed();
  OutputSetting setting = prompt("run");
  const StateEntries state = killed(setting, 9, 0);
  replace(setting.configuration, "<include field=\"dt\" time_manipulation=\"none\"/>", "");
  replace(setting.configuration, "name=\"long.nc\"", "name=\"longer.nc\"");

  const Outcome outcome = continued(setting, state, 9);

  EXPECT_EQ(outcome.errors, Texts());
  // At 35.75 s plain_60.nc has the instants of 31.5 and 35.75 s and a mean up to 35 s.
  EXPECT_EQ(outcome.not_continued,
            (Texts{"longer.nc: it begins now", "long.nc: the configuration has no such file",
                   "plain_60.nc: begins anew: the configuration defines it otherwise than before, so its 3 "
                   "records before are not in it"}));
  EXPECT_TRUE(outcome.files.at("plain_30.nc") == expected.at("plain_30.nc")) << "published before";
  EXPECT_TRUE(outcome.files.at("packed_40.nc") == expected.at("packed_40.nc")) << "keeps its attributes";
  EXPECT_TRUE(outcome.files.contains("plain_60.nc"));
  EXPECT_TRUE(outcome.files.contains("longer_100000.nc"));
}

TEST_F(ContinuedOutput, drops_records_of_files_that_had_failed) {
  auto expected = undisturbed();
  OutputSetting setting = prompt("run");
  FullDisk disk("/.long_100000.nc.abc-0.part");
  setting.files_of = [&](ServerRank) { return &disk; };
  OutputRun run(setting);
  run.run([&] { return run.has_kept(17); });
  const StateEntries state = run.kept()[17];
  setting.files_of = {};

  const Outcome outcome = continued(setting, state, 17);

  EXPECT_EQ(outcome.errors, Texts());
  expected.erase("long_100000.nc");
  expect_equal(outcome.files, expected, "others");
}

void flip_bit(const std::string& path, std::uint64_t offset) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekg(static_cast<std::streamoff>(offset));
  const char byte = static_cast<char>(file.get() ^ 1);
  file.seekp(static_cast<std::streamoff>(offset));
  file.put(byte);
}

TEST_F(ContinuedOutput, is_refused_where_a_bit_of_a_record_is_another) {
  OutputSetting setting = prompt("run");
  setting.servers = 2;
  const StateEntries state = killed(setting, 9, 0);
  setting.continued = &state;
  setting.continued_after = 9;
  setting.attempt = 1;
  int tried = 0;
  for (const std::string& key : state.keys(kFileKind)) {
    const FileUnderWay file = decode_file(state.find(kFileKind, key).front());
    for (const KeptRecord& record : file.records) {
      for (const FileRange& range : record.bytes.ranges) {
        ASSERT_TRUE(record.bytes.is_summed);
        const std::string path = setting.directory + "/" + file.temporary_name;
        flip_bit(path, range.offset + range.length - 1);
        try {
          OutputRun run(setting);
          ADD_FAILURE() << file.final_name << " goes on";
        } catch (const TransportError& error) {
          const std::string text = error.what();
          EXPECT_NE(text.find(file.temporary_name + ": could not continue it: record "), std::string::npos)
              << text;
        }
        flip_bit(path, range.offset + range.length - 1);
        ++tried;
      }
    }
  }
  EXPECT_GT(tried, 6);
  setting.attempt = 0;
  EXPECT_EQ(continued(setting, state, 9).errors, Texts());
}

TEST_F(ContinuedOutput, refuses_state_that_is_damaged) {
  OutputSetting setting = setting_;
  setting.directory = directory("run");
  const StateEntries state = killed(setting, 9, 0);
  const StateEntry file = state.find(kFileKind, "long.nc\n1")[0];
  const StateEntry series = state.find(kSeriesKind, "long.nc")[0];
  setting.continued_after = 9;
  for (std::size_t length = 0; length < file.bytes.size(); length += 7) {
    StateEntries damaged;
    StateEntry cut = file;
    cut.bytes.resize(length);
    damaged.add(series);
    damaged.add(std::move(cut));
    setting.continued = &damaged;

    EXPECT_THROW(OutputRun(setting).run(), TransportError) << length;
  }
}

}  // namespace
}  // namespace pileus::testing
