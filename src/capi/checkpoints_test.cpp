// pileus_checkpoints and pileus_continue as a model in C calls them: in one process that serves itself.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "capi/testing/test_directory.h"
#include "pileus/pileus.h"

namespace {

using pileus::testing::TestDirectory;

constexpr const char* kConfiguration = R"(<io-configuration>
  <data-definition name="state" frequency="1">
    <field name="u" type="scalar"/>
  </data-definition>
  <data-writing>
    <file name="u.nc" write_time_frequency="10">
      <include field="u" time_manipulation="averaged" output_frequency="10"/>
    </file>
  </data-writing>
</io-configuration>
)";

class CheckpointCalls : public testing::Test {
 protected:
  void TearDown() override { pileus_free(run); }

  /// Registered, before commit.
  void start() {
    const std::string configuration = directory.configuration_path(), where = directory.path();
    pileus_settings settings = PILEUS_SETTINGS_INIT;
    settings.configuration = configuration.c_str();
    settings.directory = where.c_str();
    ASSERT_EQ(pileus_start(&settings, &run, nullptr, nullptr), PILEUS_OK) << error();
    int field = -1;
    ASSERT_EQ(pileus_field(run, "u", PILEUS_DOUBLE, 0, nullptr, nullptr, nullptr, &field), PILEUS_OK);
  }
  /// Complete by its name and manifest alone, which is all that these calls look at.
  void make_folder(const std::string& name) const {
    const auto folder = std::filesystem::path(directory.path()) / "pileus-checkpoints" / name;
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "manifest") << "x";
  }
  std::string error() const { return pileus_error(run); }

  TestDirectory directory{kConfiguration};
  pileus_run* run = nullptr;
};

TEST_F(CheckpointCalls, list_the_complete_checkpoints_ascending) {
  make_folder("step-0000000200");
  make_folder("step-0000000020");
  make_folder(".step-0000000300-1");
  std::vector<std::int64_t> steps(3, -1);
  int count = -1;

  EXPECT_EQ(pileus_checkpoints(directory.path().c_str(), steps.data(), 3, &count), PILEUS_OK);

  EXPECT_EQ(count, 2);
  EXPECT_EQ(steps, (std::vector<std::int64_t>{20, 200, -1}));
}

TEST_F(CheckpointCalls, list_the_newest_ones_where_there_is_no_room_for_all) {
  for (const char* name : {"step-0000000001", "step-0000000002", "step-0000000003"}) make_folder(name);
  std::vector<std::int64_t> steps(3, -1);
  int count = -1;

  EXPECT_EQ(pileus_checkpoints(directory.path().c_str(), steps.data(), 2, &count), PILEUS_OK);
  EXPECT_EQ(count, 3);
  EXPECT_EQ(steps, (std::vector<std::int64_t>{2, 3, -1}));
  count = -1;
  EXPECT_EQ(pileus_checkpoints(directory.path().c_str(), nullptr, 0, &count), PILEUS_OK);
  EXPECT_EQ(count, 3);
}

TEST_F(CheckpointCalls, find_none_where_nothing_was_kept_and_say_when_they_cannot_look) {
  std::int64_t step = -1;
  int count = -1;

  EXPECT_EQ(pileus_checkpoints(directory.path().c_str(), &step, 1, &count), PILEUS_OK);
  EXPECT_EQ(count, 0);
  EXPECT_EQ(pileus_checkpoints((directory.path() + "/nowhere").c_str(), &step, 1, &count),
            PILEUS_ERROR_OUTPUT);
  EXPECT_EQ(pileus_checkpoints(directory.path().c_str(), nullptr, 1, &count), PILEUS_ERROR_USAGE);
  EXPECT_EQ(pileus_checkpoints(directory.path().c_str(), &step, -1, &count), PILEUS_ERROR_USAGE);
  EXPECT_EQ(pileus_checkpoints(directory.path().c_str(), &step, 1, nullptr), PILEUS_ERROR_USAGE);
  EXPECT_EQ(pileus_checkpoints(nullptr, &step, 1, &count), PILEUS_OK);  // the current directory
  EXPECT_EQ(step, -1);
}

TEST_F(CheckpointCalls, refuse_a_step_that_has_no_checkpoint_and_name_those_that_exist) {
  make_folder("step-0000000020");
  make_folder("step-0000000200");
  start();
  ASSERT_EQ(pileus_continue(run, 21), PILEUS_OK) << error();

  EXPECT_EQ(pileus_commit(run), PILEUS_ERROR_CONFIG);
  EXPECT_EQ(error(), "pileus_continue: there is no checkpoint of step 21 in " + directory.path() +
                         "/pileus-checkpoints; there are those of steps 20, 200");
}

TEST_F(CheckpointCalls, refuse_to_continue_where_nothing_was_kept) {
  start();
  ASSERT_EQ(pileus_continue(run, 0), PILEUS_OK) << error();

  EXPECT_EQ(pileus_commit(run), PILEUS_ERROR_CONFIG);
  EXPECT_NE(error().find("there is none at all"), std::string::npos) << error();
}

TEST_F(CheckpointCalls, continue_once_and_before_commit_alone) {
  start();
  EXPECT_EQ(pileus_continue(run, -3), PILEUS_ERROR_USAGE);
  EXPECT_EQ(error().find("pileus_continue: there is no step -3"), 0U) << error();
  ASSERT_EQ(pileus_commit(run), PILEUS_OK) << error();

  EXPECT_EQ(pileus_continue(run, 4), PILEUS_ERROR_USAGE);
  EXPECT_EQ(error().find("pileus_continue was called after pileus_commit; "), 0U) << error();
}

}  // namespace
