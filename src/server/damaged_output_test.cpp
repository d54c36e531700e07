// Runs that go on where files were changed, cut short, damaged or defined otherwise since they were left.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "disk/passing_files.h"
#include "server/testing/continued_output.h"

namespace pileus::testing {
namespace {

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
