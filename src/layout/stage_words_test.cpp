#include "layout/stage_words.h"

#include <gtest/gtest.h>

#include "layout/testing/grouped_fields.h"
#include "time/manipulations/list.h"

namespace pileus::planning {
namespace {

using namespace planning_test;

const Stage kMaximumOfDays = {manipulations::maximum(), 86400};
const Stage kMean = {manipulations::averaged(), {}};

std::string units_of(const std::vector<Stage>& chain) {
  return text_of(units_in_time("K", "", chain, {}), "units");
}

TEST(StageWords, cell_methods_have_stages_in_order_with_the_interval_of_their_samples) {
  EXPECT_EQ(methods_in_time({kMean}), "{time}: mean");
  EXPECT_EQ(methods_in_time({kMaximumOfDays, kMean}), "{time}: maximum {time}: mean (interval: 1 day)");
  EXPECT_EQ(methods_in_time({{manipulations::averaged(), 5400},
                             {manipulations::minimum(), Frequency(1, Calendar::noleap, {})},
                             {manipulations::variance(), {}}}),
            "{time}: mean {time}: minimum (interval: 90 minute) {time}: variance (interval: 1 month)");
}

TEST(StageWords, a_long_name_says_what_cell_methods_cannot) {
  const Stage tendency = {manipulations::tendency(), 3600};

  EXPECT_EQ(methods_in_time({tendency, {manipulations::maximum(), {}}}), "");
  EXPECT_EQ(name_in_time("heat", {tendency, {manipulations::maximum(), {}}}), "maximum of tendency of heat");
  EXPECT_EQ(name_in_time("heat", {kMaximumOfDays, kMean}), "heat");
}

TEST(StageWords, units_go_through_all_stages) {
  EXPECT_EQ(units_of({kMaximumOfDays, kMean}), "K");
  EXPECT_EQ(units_of({{manipulations::tendency(), 60}, {manipulations::accumulated(), {}}}), "K s-1 s");
  EXPECT_EQ(units_of({{manipulations::longest_run(), 60}, kMean}), "s");
  EXPECT_EQ(units_of({{manipulations::skewness(), 60}, kMean}), "1");
}

TEST(StageWords, days_go_into_months_from_midnight_on) {
  FileIncludeConfig include;
  include.time_manipulation.value = "averaged";
  include.stages = {{"maximum", {86400}}};
  include.output_frequency = Duration{0, 1};
  const auto problem = [&](Calendar calendar, Date epoch) {
    return chain_problem(include, small_catalogue(), {calendar, epoch, true});
  };

  EXPECT_EQ(problem(Calendar::standard, {1990, 5, 17, 0, 0, 0}), "");
  EXPECT_EQ(
      problem(Calendar::standard, {1990, 5, 17, 6, 0, 0}),
      "\"maximum\" over 86400 s does not end where each month ends: its periods are multiples from model "
      "time 0, 1990-05-17 06:00:00, and months end at 00:00; periods such as \"1 d\" do from an epoch at "
      "00:00 on");
  include.stages = {{"maximum", {5 * 86400}}};
  EXPECT_NE(problem(Calendar::noleap, {2000, 1, 1, 0, 0, 0}), "");
  EXPECT_EQ(problem(Calendar::day_360, {2000, 1, 1, 0, 0, 0}), "");
  include.output_frequency = Duration{0, 12};  // 73 times 5 days
  EXPECT_EQ(problem(Calendar::noleap, {2000, 1, 1, 0, 0, 0}), "");
}

TEST(StageWords, names_tell_apart_what_is_alike_but_for_its_stages) {
  ConfigBuilder config;
  config.group("raw");
  config.field("t");
  config.file("f.nc");
  config.include("t", "averaged", 20);
  config.include("t", "averaged", 20).stages = {{"maximum", {10}}};
  config.include("t", "averaged", 20).stages = {{"maximum", {5}}};
  config.include("t", "averaged", 20).over = {40};
  ModelBuilder model(1);

  const Plan plan = plan_of(config, model.field("t")).plan;

  std::vector<std::string> names;
  for (const Variable& one : plan.variables) names.push_back(one.name + " " + plan[one.schedule].dimension);
  EXPECT_EQ(names,
            (std::vector<std::string>{"t_averaged_20 time_averaged_20",
                                      "t_maximum_averaged_20_of_10 time_maximum_averaged_20_of_10",
                                      "t_maximum_averaged_20_of_5 time_maximum_averaged_20_of_5",
                                      "t_averaged_20_over_the_last_2 time_averaged_20_over_the_last_2"}));
}

}  // namespace
}  // namespace pileus::planning
