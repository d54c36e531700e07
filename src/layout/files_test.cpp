// Files: their time axes, names, periods and texts.

#include "layout/testing/grouped_fields.h"

namespace pileus {
namespace {

using namespace planning_test;

TEST(Files, one_schedule_is_time_itself) {
  ConfigBuilder config = with_groups();
  config.file("f.nc");
  config.include("w", "averaged", 10);
  config.include("a", "averaged", 10);

  const Plan plan = plan_of(config, model_of_groups()).plan;

  EXPECT_EQ(axis_names(plan), std::vector<std::string>{"time"});
  EXPECT_EQ(plan.variables[1].schedule, ScheduleId(0));
}

TEST(Files, averages_of_a_ten_thousandth_of_a_second_are_warned_of) {
  ConfigBuilder config = with_groups();
  config.file("f.nc");
  const Location where = config.place();
  config.include("w", "averaged", 1e-5).output_frequency->where = where;
  config.include("a", "instantaneous", 1e-5);

  const Findings findings = plan_of(config, model_of_groups()).findings;

  expect_finding(findings, Severity::warning, where, "a step of 1 s or more would end 100000 records");
  EXPECT_EQ(findings.all().size(), 1U) << findings.text();
}

TEST(Files, several_schedules_are_told_apart_by_manipulation_frequency_and_cadence) {
  ConfigBuilder config = with_groups();
  config.file("f.nc");
  config.include("w", "averaged", 0.5);
  config.include("a", "none");
  config.include("b", "averaged", 3600);
  config.include("c", "averaged", 3600);

  const Plan plan = plan_of(config, model_of_groups()).plan;

  EXPECT_EQ(axis_names(plan),
            (std::vector<std::string>{"time_averaged_0_5", "time_none", "time_averaged_3600_every_4_steps",
                                      "time_averaged_3600_every_6_steps"}));
}

TEST(Files, with_moncs_naming_axes_are_named_by_steps_and_seconds) {
  ConfigBuilder config = with_groups();
  config.file("f.nc");
  config.config.files.back().naming = Naming::monc;
  config.include("w", "averaged", 60);
  config.include("a", "none");
  config.include("b", "averaged", 60);
  config.include("c", "instantaneous", 0.5);
  config.include("b", "instantaneous", 60);
  config.include("b", "none");

  const Plan plan = plan_of(config, model_of_groups()).plan;

  EXPECT_EQ(axis_names(plan), (std::vector<std::string>{"time_series_1_60", "time_series_1",
                                                        "time_series_4_60_averaged", "time_series_6_0_5",
                                                        "time_series_4_60_instantaneous", "time_series_4"}));
  EXPECT_EQ(variable_names(plan),
            (std::vector<std::string>{"w", "a", "b_timeaveraged", "c", "b_instantaneous", "b"}));
}

TEST(Files, with_the_names_of_moncs_older_fork_times_have_decimals) {
  ConfigBuilder config = with_groups();
  config.file("f.nc");
  config.config.files.back().naming = Naming::monc_leeds;
  config.include("w", "averaged", 60);
  config.include("a", "none");

  const Plan plan = plan_of(config, model_of_groups()).plan;

  EXPECT_EQ(axis_names(plan), (std::vector<std::string>{"time_series_1_60.0", "time_series_1"}));
  EXPECT_TRUE(plan.files.at(0).has_decimals);
  EXPECT_TRUE(plan.files.at(0).says_when_created);
}

TEST(Files, say_when_they_ended_where_moncs_bridge_asks_for_moncs_names) {
  ConfigBuilder config = with_groups();
  config.file("monc.nc");
  config.config.files.back().naming = Naming::monc;
  config.include("w", "none");
  config.file("own.nc");
  config.include("w", "none");
  const Plan without = plan_of(config, model_of_groups()).plan;
  config.config.options["pileus_dialect"] = "monc-epcc";

  const Plan plan = plan_of(config, model_of_groups()).plan;

  EXPECT_FALSE(without.files.at(0).says_when_ended);
  EXPECT_TRUE(plan.files.at(0).says_when_ended);
  EXPECT_FALSE(plan.files.at(1).says_when_ended);
}

TEST(Files, with_moncs_naming_texts_have_moncs_dimensions) {
  ConfigBuilder config = with_groups();
  for (const char* name : {"options", "conditions", "text"})
    config.field(name).data_type = config.text("string");
  config.config.data_groups.back().fields.end()[-3].type.value = "map";
  config.config.data_groups.back().fields.end()[-2].type.value = "array";
  config.file("f.nc");
  config.config.files.back().naming = Naming::monc;
  config.file("g.nc");
  for (FileConfig& file : config.config.files) {
    file.includes.clear();
    for (const char* name : {"options", "conditions", "text"}) {
      file.includes.emplace_back().field = config.text(name);
      file.includes.back().time_manipulation = config.text("none");
    }
  }
  ModelBuilder other = model_of_groups();
  other.dimension("string_150", 150).dimension("string_9", 9).dimension("key_and_value", 2);
  other.dimension("entries", 3).dimension("nc", 2);
  other.field("options", {"string_150", "key_and_value", "entries"}, ElementType::character);
  other.field("conditions", {"string_150", "nc"}, ElementType::character);
  other.field("text", {"string_9"}, ElementType::character);

  const Planned planned = plan_of(config, other);

  EXPECT_EQ(planned.findings.text(), "");
  std::map<std::string, std::string> names;
  for (const auto& [id, name] : planned.plan.files.at(0).dimension_names) names[planned.plan[id].name] = name;
  EXPECT_EQ(names, (std::map<std::string, std::string>{
                       {"string_150", "string"}, {"key_and_value", "kvp"}, {"string_9", "text_dim"}}));
  EXPECT_TRUE(planned.plan.files.at(1).dimension_names.empty());
}

TEST(Files, have_dimensions_that_nothing_in_them_has) {
  ConfigBuilder config = with_groups();
  config.file("f.nc");
  config.include("w", "none");
  config.config.files.back().dimensions = {config.text("zn"), config.text("depth")};
  const Location lacking = config.config.files.back().dimensions[1].where;
  ModelBuilder other = model_of_groups();
  other.dimension("zn", 5);

  const Planned planned = plan_of(config, other);

  expect_finding(planned.findings, Severity::warning, lacking,
                 "the model has no dimension \"depth\", so file \"f.nc\" does not have it either");
  ASSERT_EQ(planned.plan.files.at(0).dimensions.size(), 1U);
  EXPECT_EQ(planned.plan[planned.plan.files[0].dimensions[0]].name, "zn");
}

TEST(Files, with_moncs_naming_the_time_comes_before_the_first_dot) {
  ConfigBuilder config = with_groups();
  for (const char* name : {"f.low.nc", "g", "h_{index}.nc", "i.nc"}) {
    config.file(name);
    config.config.files.back().naming = Naming::monc;
    config.include("w", "averaged", 10);
  }
  FileConfig& whole = config.config.files.back();
  whole.write_time_frequency = {};
  whole.write_on_terminate = true;
  config.config.files.push_back(whole);
  config.config.files.back().name.value = "j.nc";
  config.config.files.back().is_by_steps = true;

  const Plan plan = plan_of(config, model_of_groups()).plan;

  std::vector<std::string> found;
  for (const PlannedFile& file : plan.files) found.push_back(file.name);
  EXPECT_EQ(found,
            (std::vector<std::string>{"f_{time}.low.nc", "g_{time}", "h_{index}.nc", "i.nc", "j_{step}.nc"}));
}

TEST(Files, of_which_only_the_newest_is_kept_have_the_name_that_stands_there) {
  ConfigBuilder config = with_groups();
  config.file("f.low.nc");
  config.config.files.back().naming = Naming::monc;
  config.config.files.back().keeps_newest = true;
  config.include("w", "averaged", 10);
  config.file("once.nc");
  FileConfig& whole = config.config.files.back();
  whole.write_time_frequency = {};
  whole.write_on_terminate = true;
  whole.keeps_newest = true;
  config.include("w", "averaged", 10);

  const Plan plan = plan_of(config, model_of_groups()).plan;

  EXPECT_EQ(plan.files.at(0).name, "f.low.nc");
  EXPECT_TRUE(plan.files.at(0).keeps_newest);
  EXPECT_FALSE(plan.files.at(1).keeps_newest);
}

/// "f_30.nc" may be a period of the series "f.nc".
TEST(Files, of_which_only_the_newest_is_kept_may_not_have_the_name_of_a_period) {
  for (const bool has_own_name : {false, true}) {
    ConfigBuilder config = with_groups();
    config.file("f.nc");
    config.include("w", "averaged", 10);
    config.file(has_own_name ? "g.nc" : "f_30.nc");
    config.config.files.back().keeps_newest = true;
    config.include("w", "averaged", 10);

    EXPECT_EQ(plan_of(config, model_of_groups()).findings.has_errors(), !has_own_name);
  }
}

TEST(Files, months_are_a_frequency_of_their_own) {
  ConfigBuilder config = with_groups();
  config.config.time.epoch = config.text("2000-01-01");
  config.file("f.nc");
  config.include("w", "averaged", 10).output_frequency = Duration{0, 12};
  config.include("a", "averaged", 10).output_frequency = Duration{0, 12};
  config.include("w", "averaged", 10).output_frequency = Duration{0, 1};
  config.include("w", "averaged", 1);

  const Plan plan = plan_of(config, model_of_groups()).plan;

  EXPECT_EQ(axis_names(plan),
            (std::vector<std::string>{"time_averaged_12_month", "time_averaged_1_month", "time_averaged_1"}));
  EXPECT_EQ(variable_names(plan),
            (std::vector<std::string>{"w_averaged_12_month", "a", "w_averaged_1_month", "w_averaged_1"}));
}

TEST(Files, output_times_have_to_be_positive) {
  ConfigBuilder config = with_groups();
  config.file("f.nc", 0);
  const Location zero = config.include("w", "averaged", 0).where;
  const Location word = config.include("a", "average", 10).time_manipulation.where;

  const Findings findings = checked(config);
  expect_finding(findings, Severity::error, config.config.files[0].where,
                 "file \"f.nc\" would never be written: its write frequency is 0");
  expect_finding(findings, Severity::error, zero, "needs an output_frequency of more than 0 s");
  expect_finding(findings, Severity::error, word,
                 "no time_manipulation \"average\"; did you mean \"averaged\"?");
}

TEST(Files, of_no_frequency_are_written_once_if_they_are_to_be_written_at_all) {
  ConfigBuilder config = with_groups();
  config.file("f.nc", 0).include("w", "none");
  const Location where = config.config.files.back().where;

  expect_only_error(checked(config), where, "would never be written");
  config.config.files.back().write_on_terminate = true;
  EXPECT_EQ(checked(config).text(), "");
}

}  // namespace
}  // namespace pileus
