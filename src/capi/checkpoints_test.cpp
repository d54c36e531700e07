// pileus_checkpoints and pileus_continue as a model in C calls them, in one process that serves itself.

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
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

  /// Starts a run and registers its fields, but does not commit.
  void start(const std::string& servers = "") {
    std::string text = kConfiguration;
    text.insert(text.find('\n') + 1, servers);
    std::ofstream(directory.configuration_path()) << text;
    const std::string configuration = directory.configuration_path(), where = directory.path();
    pileus_settings settings = PILEUS_SETTINGS_INIT;
    settings.configuration = configuration.c_str();
    settings.directory = where.c_str();
    ASSERT_EQ(pileus_start(&settings, &run, nullptr, nullptr), PILEUS_OK) << error();
    int field = -1;
    ASSERT_EQ(pileus_field(run, "u", PILEUS_DOUBLE, 0, nullptr, nullptr, nullptr, &field), PILEUS_OK);
  }
  /// Makes a checkpoint that is complete by its name and manifest; these calls look at nothing else.
  void make_folder(const std::string& name) const {
    const auto folder = std::filesystem::path(directory.path()) / "pileus-checkpoints" / name;
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "manifest") << "x";
  }
  /// The answers that a model gets before each of six steps of 1 s. It marks the steps where one is due.
  std::vector<int> answers_where(
      const std::string& checkpoint, const std::function<void(int step)>& before = [](int) {}) {
    start("<server-configuration><checkpoint " + checkpoint + "/></server-configuration>");
    EXPECT_EQ(pileus_commit(run), PILEUS_OK) << error();
    std::vector<int> answers;
    for (int step = 1; step <= 6; ++step) {
      before(step);
      int due = -1;
      EXPECT_EQ(pileus_checkpoint_due(run, step, step, 1, &due), PILEUS_OK) << error();
      answers.push_back(due);
      EXPECT_EQ(pileus_begin(run, step, step, 1, due != 0 ? PILEUS_CHECKPOINT : 0), PILEUS_OK) << error();
      EXPECT_EQ(pileus_put(run, 0, &value, nullptr), PILEUS_OK) << error();
      EXPECT_EQ(pileus_end(run), PILEUS_OK) << error();
    }
    return answers;
  }
  std::string error() const { return pileus_error(run); }

  TestDirectory directory{kConfiguration};
  pileus_run* run = nullptr;
  const double value = 1;
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

TEST_F(CheckpointCalls, list_the_newest_ones_where_not_all_fit) {
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
  EXPECT_EQ(pileus_component_checkpoints(directory.path().c_str(), "../elsewhere", &step, 1, &count),
            PILEUS_ERROR_USAGE);
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

TEST_F(CheckpointCalls, tell_when_one_is_due_by_the_number_of_steps) {
  EXPECT_EQ(answers_where("steps=\"3\""), (std::vector<int>{0, 0, 1, 0, 0, 1}));
}

TEST_F(CheckpointCalls, tell_when_one_is_due_by_model_time) {
  EXPECT_EQ(answers_where("frequency=\"2.5\""), (std::vector<int>{0, 0, 1, 0, 1, 0}));
}

/// A step always takes longer than this.
TEST_F(CheckpointCalls, tell_when_one_is_due_by_the_clock_on_the_wall) {
  EXPECT_EQ(answers_where("wall_time=\"0.000001\""), (std::vector<int>{1, 1, 1, 1, 1, 1}));
}

TEST_F(CheckpointCalls, tell_of_none_long_before_it_is_due) {
  EXPECT_EQ(answers_where("wall_time=\"1 d\" steps=\"7\" frequency=\"7 s\" signals=\"USR1\""),
            (std::vector<int>{0, 0, 0, 0, 0, 0}));
}

TEST_F(CheckpointCalls, tell_when_one_is_due_by_a_signal_and_that_it_is_the_last) {
  const auto send = [](int step) {
    if (step == 4) raise(SIGUSR1);
  };
  EXPECT_EQ(answers_where("signals=\"USR1\" steps=\"6\"", send), (std::vector<int>{0, 0, 0, 2, 0, 1}));
}

TEST_F(CheckpointCalls, ask_between_steps_alone_and_for_a_step_that_can_begin) {
  start();
  int due = -1;
  EXPECT_EQ(pileus_checkpoint_due(nullptr, 1, 1, 1, &due), PILEUS_ERROR_USAGE);
  EXPECT_EQ(pileus_checkpoint_due(run, 1, 1, 1, &due), PILEUS_ERROR_USAGE);
  EXPECT_EQ(error().find("pileus_checkpoint_due was called before pileus_commit; "), 0U) << error();
  ASSERT_EQ(pileus_commit(run), PILEUS_OK) << error();

  EXPECT_EQ(pileus_checkpoint_due(run, 1, 1, 1, nullptr), PILEUS_ERROR_USAGE);
  EXPECT_EQ(error(), "pileus_checkpoint_due: the place for the answer is NULL");
  EXPECT_EQ(pileus_checkpoint_due(run, 1, 1, -1, &due), PILEUS_ERROR_USAGE);
  EXPECT_EQ(error().find("pileus_checkpoint_due: step 1 has a length of -1 s"), 0U) << error();
  ASSERT_EQ(pileus_begin(run, 1, 1, 1, 0), PILEUS_OK) << error();
  EXPECT_EQ(pileus_checkpoint_due(run, 2, 2, 1, &due), PILEUS_ERROR_USAGE);
  EXPECT_EQ(error().find("pileus_checkpoint_due was called inside a step"), 0U) << error();
  EXPECT_EQ(due, -1);
}

TEST_F(CheckpointCalls, catch_signals_that_the_configuration_names_until_the_run_ends) {
  start("<server-configuration><checkpoint signals=\"USR1\"/></server-configuration>");
  signal(SIGUSR2, SIG_IGN);
  ASSERT_EQ(pileus_commit(run), PILEUS_OK) << error();
  int due = -1;

  EXPECT_EQ(pileus_checkpoint_due(run, 1, 1, 1, &due), PILEUS_OK) << error();
  EXPECT_EQ(due, PILEUS_NOT_DUE);
  raise(SIGUSR1);
  raise(SIGUSR2);  // no signal of the configuration
  EXPECT_EQ(pileus_checkpoint_due(run, 1, 1, 1, &due), PILEUS_OK) << error();
  EXPECT_EQ(due, PILEUS_DUE_AT_END);
  EXPECT_EQ(pileus_finish(run), PILEUS_OK) << error();

  struct sigaction now = {};
  sigaction(SIGUSR1, nullptr, &now);
  EXPECT_EQ(now.sa_handler, SIG_DFL);
  signal(SIGUSR2, SIG_DFL);
}

}  // namespace
