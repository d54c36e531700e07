#include "config/stages.h"

#include <gtest/gtest.h>

namespace pileus {
namespace {

const std::vector<std::string> kNames = {"instantaneous", "averaged", "none", "maximum"};

TEST(Stages, are_split_at_commas_and_over) {
  const std::vector<WrittenStage> stages = split_stages("maximum  over 1 d, averaged");

  ASSERT_EQ(stages.size(), 2u);
  EXPECT_EQ(stages[0].name, "maximum");
  EXPECT_EQ(stages[0].period, "1 d");
  EXPECT_EQ(stages[1].name, "averaged");
  EXPECT_EQ(stages[1].period, "");
}

TEST(Stages, that_are_right_have_no_problem) {
  for (const char* text : {"averaged over 24 h", "maximum over 1 d, averaged",
                           "averaged over 1 h, maximum over 1 d, averaged over 1 month"})
    EXPECT_EQ(stages_problem(text, kNames), "") << text;
}

TEST(Stages, that_are_wrong_say_what) {
  const std::pair<const char*, const char*> cases[] = {
      {"maxmum over 1 d, averaged",
       "stage \"maxmum\": expected instantaneous, averaged, none or maximum; did you mean \"maximum\"?"},
      {"maximum, averaged",
       "stage \"maximum\" needs its period: \"maximum over 1 d\"; only the last stage has that of "
       "output_frequency"},
      {"maximum over, averaged",
       "a period is missing behind \"over\" of \"maximum\"; expected stages such as \"maximum over 1 d, "
       "averaged\""},
      {"maximum over 1 d averaged",
       "a comma is missing before \"averaged\"; expected stages such as \"maximum over 1 d, averaged\""},
      {"maximum over 1 d,",
       "a stage is missing beside a comma; expected stages such as \"maximum over 1 d, averaged\""},
      {"instantaneous over 1 h",
       "\"instantaneous\" takes samples as they are and covers no period: remove \"over 1 h\"; "
       "output_frequency says how often a sample is written"},
      {"instantaneous over 1 h, averaged",
       "\"instantaneous\" takes samples as they are and is no stage of a chain; frequency=\"1 h\" of a "
       "data-definition takes a sample each hour"},
      {"averaged over 1 h, averaged over 2 h, averaged over 4 h, averaged over 8 h, averaged",
       "5 stages; at most 4 are possible"},
  };

  for (const auto& [text, problem] : cases) EXPECT_EQ(stages_problem(text, kNames), problem) << text;
}

FileIncludeConfig include(std::vector<StageConfig> stages, Duration over, Duration output) {
  FileIncludeConfig made;
  made.time_manipulation.value = "averaged";
  made.stages = std::move(stages);
  made.over = over;
  made.output_frequency = output;
  return made;
}

TEST(Stages, have_periods_that_go_a_whole_number_of_times_into_the_next) {
  EXPECT_EQ(periods_problem(include({{"maximum", {86400}}}, {}, {0, 1})), "");
  EXPECT_EQ(periods_problem(include({{"maximum", {0.1}}}, {}, {1})), "");
  EXPECT_EQ(
      periods_problem(include({{"maximum", {7}}}, {}, {20})),
      "\"maximum\" is 7 s long and output_frequency 20 s: it has to go a whole number of times into that");
  EXPECT_EQ(
      periods_problem(include({{"maximum", {40}}}, {}, {20})),
      "\"maximum\" is 40 s long and output_frequency 20 s: it has to go a whole number of times into that");
  EXPECT_EQ(periods_problem(include({{"maximum", {0, 1}}}, {}, {86400})),
            "\"maximum\" is 1 month long and output_frequency 86400 s: months differ in length; give both in "
            "months, or both in days");
}

TEST(Stages, running_windows_are_multiples_of_the_output_frequency) {
  EXPECT_EQ(periods_problem(include({}, {86400}, {3600})), "");
  EXPECT_EQ(running_windows(include({}, {86400}, {3600})), 24);
  EXPECT_EQ(running_windows(include({}, {}, {3600})), 1);
  EXPECT_EQ(periods_problem(include({}, {90}, {60})),
            "\"averaged\" is over 90 s and output_frequency is 60 s: a running window is a whole number of "
            "output_frequency long");
  EXPECT_EQ(
      periods_problem(include({}, {2000}, {1})),
      "\"averaged\" is over 2000 s and output_frequency is 1 s: 2000 windows would be under way at once, "
      "and at most 1000 are possible; give a larger output_frequency");
}

}  // namespace
}  // namespace pileus
