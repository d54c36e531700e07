#include "joint/joint_starts.h"

#include <gtest/gtest.h>

#include "disk/testing/memory_files.h"
#include "exec/seeded_executor.h"
#include "joint/made_note.h"

namespace pileus {
namespace {

/// Commands that end when a test says so.
class FakeProcesses : public Processes {
 public:
  Number start(const std::string& command, const std::string& argument, const Environment&) override {
    commands.push_back(command + " " + argument);
    ends.emplace_back();
    return static_cast<Number>(commands.size()) - 1;
  }
  std::optional<std::string> ended(Number process) override {
    return ends[static_cast<std::size_t>(process)];
  }

  std::vector<std::string> commands;
  std::vector<std::optional<std::string>> ends;
};

class JointStartsTest : public ::testing::Test {
 protected:
  FakeProcesses processes_;
  SeededExecutor executor_{1};
  testing::MemoryFiles files_;
  std::vector<std::string> failures_;
  const CheckpointHome home_{"out", "ocean"};
  JointStarts starts_{{"my run.xml", "out", "ocean", {"0123", false, {{"year", "1850"}}}},
                      processes_,
                      executor_,
                      files_,
                      [this](const std::string& text) { failures_.push_back(text); }};
};

TEST_F(JointStartsTest, run_one_command_for_a_component_and_one_more_for_all_that_came_meanwhile) {
  starts_.start({"air_sea"});
  executor_.run_until_idle();
  starts_.start({"air_sea"});
  starts_.start({"air_sea"});
  executor_.run_until_idle();
  ASSERT_EQ(processes_.commands.size(), 1);
  EXPECT_TRUE(processes_.commands[0].ends_with(
      " join 'my run.xml' --quiet --wait 600 --component 'air_sea' --directory out"))
      << processes_.commands[0];
  EXPECT_FALSE(starts_.poll());

  processes_.ends[0] = "";
  EXPECT_TRUE(starts_.poll());
  executor_.run_until_idle();
  ASSERT_EQ(processes_.commands.size(), 2);
  EXPECT_FALSE(starts_.is_idle());

  processes_.ends[1] = "";
  EXPECT_TRUE(starts_.poll());
  executor_.run_until_idle();
  EXPECT_EQ(processes_.commands.size(), 2);
  EXPECT_TRUE(starts_.is_idle());
  EXPECT_TRUE(failures_.empty());
}

TEST_F(JointStartsTest, note_the_end_before_the_last_command) {
  starts_.end({"air_sea", "other"});
  EXPECT_FALSE(starts_.is_idle());
  executor_.run_until_idle();

  const auto note = read_run_note(files_, home_);
  ASSERT_TRUE(note);
  EXPECT_EQ(*note, (RunNote{"0123", true, {{"year", "1850"}}}));
  EXPECT_EQ(processes_.commands.size(), 2);
}

TEST_F(JointStartsTest, say_how_a_command_ended_that_did_not_end_well) {
  starts_.start({"air_sea"});
  executor_.run_until_idle();
  processes_.ends[0] = "exit status 1";
  starts_.poll();

  ASSERT_EQ(failures_.size(), 1);
  EXPECT_NE(failures_[0].find("component air_sea"), std::string::npos);
  EXPECT_NE(failures_[0].find("exit status 1"), std::string::npos);
  EXPECT_TRUE(starts_.is_idle());
}

TEST(Notes, are_none_where_their_files_are_damaged) {
  testing::MemoryFiles files;
  const CheckpointHome home{"out", "ocean"};
  const RunNote run{"7", true, {{"a", "b"}}};
  const MadeNote made{"8", "ocean=7;", true, true, 2.5, {"d.nc"}, {{"sea: t", {{"ocean_12.nc", 3}}}}};
  write_run_note(files, home, run);
  write_made_note(files, home, made);

  EXPECT_EQ(read_run_note(files, home), run);
  EXPECT_EQ(read_made_note(files, home), made);
  for (const std::string name : {"out/pileus-checkpoints/ocean/.run", "out/pileus-checkpoints/ocean/.made"}) {
    Bytes bytes = files.read_whole(name);
    bytes.resize(bytes.size() - 1);
    files.write_whole(name, bytes);
  }
  EXPECT_FALSE(read_run_note(files, home));
  EXPECT_FALSE(read_made_note(files, home));
  EXPECT_TRUE(is_made_of_files(files, home));
}

}  // namespace
}  // namespace pileus
