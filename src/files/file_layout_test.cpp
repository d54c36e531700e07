#include "files/file_layout.h"

#include <gtest/gtest.h>

#include "files/file_attributes.h"
#include "files/file_names.h"
#include "files/testing/small_plan.h"
#include "time/manipulations/list.h"

namespace pileus::testing {
namespace {

std::string name_of(const std::string& configured, double write_s, std::int64_t period) {
  PlannedFile file;
  file.name = configured;
  file.write_frequency = write_s;
  return file_name(file, {}, period);
}

TimeAxis axis_of(Manipulation manipulation, const Frequency& output, const Frequency& write) {
  SmallPlan small;
  small.axis(small.file("f.nc", write), manipulation, output);
  return file_definition(small.plan, FileId(0), {}).axes.at(0);
}

const FileAttribute* find(const std::vector<FileAttribute>& attributes, const std::string& name) {
  for (const FileAttribute& attribute : attributes) {
    if (attribute.name == name) return &attribute;
  }
  return nullptr;
}

std::string text_in(const std::vector<FileAttribute>& attributes, const std::string& name) {
  const FileAttribute* found = find(attributes, name);
  return found ? std::get<std::string>(found->value) : "none";
}

TEST(FileName, ends_with_the_nominal_end_of_the_period) {
  EXPECT_EQ(name_of("profile_ts.nc", 50, 2), "profile_ts_100.nc");
  EXPECT_EQ(name_of("profile_ts", 50, 2), "profile_ts_100.nc");
  EXPECT_EQ(name_of("p.nc", 50, 0), "p_0.nc");
  EXPECT_EQ(name_of("p.nc", 50, -1), "p_-50.nc");
}

TEST(FileName, has_the_last_step_of_its_period_or_of_the_run) {
  PlannedFile file;
  file.name = "d_{step}.nc";
  file.write_frequency_steps = 50;

  EXPECT_EQ(file_name(file, {}, 3), "d_150.nc");
  EXPECT_EQ(file_name(file, {}, 3, 120), "d_120.nc");
  EXPECT_EQ(file_name(file, {}, 2, 120), "d_100.nc");
  file.write_frequency_steps = 0;
  EXPECT_EQ(file_name(file, {}, 1, 120), "d_120.nc");
  EXPECT_EQ(file_name(file, {}, 1), "d_end.nc");
  EXPECT_EQ(step_of_name(file, "d_120.nc"), 120);
  EXPECT_EQ(step_of_name(file, "d_end.nc"), std::nullopt);
  EXPECT_EQ(step_of_name(file, "e_120.nc"), std::nullopt);
  file.name = "d_{index}.nc";
  EXPECT_EQ(step_of_name(file, "d_0120.nc"), std::nullopt);
}

/// The period that a name stands for, looked for from `first` on.
std::optional<std::int64_t> period_of(const std::string& pattern, double every_s, const std::string& name,
                                      std::int64_t first) {
  PlannedFile file;
  file.name = pattern;
  file.write_frequency = Frequency(every_s);
  return period_of_name(file, {}, name, first);
}

TEST(FileName, tells_its_period_where_that_is_not_before_the_first) {
  EXPECT_EQ(period_of("p.nc", 50, "p_100.nc", 1), 2);
  EXPECT_EQ(period_of("p.nc", 50, "p_100.nc", 2), 2);
  EXPECT_EQ(period_of("p.nc", 50, "p_100.nc", 3), std::nullopt);
  EXPECT_EQ(period_of("p.nc", 0.5, "p_61728.5.nc", 1), 123457);
  EXPECT_EQ(period_of("{index}_p.nc", 50, "0002_p.nc", 1), 2);
  EXPECT_EQ(period_of("p_{index}", 50, "p_123456.nc", 7), 123456);
  EXPECT_EQ(period_of("p_{date}", 86400, "p_20000229T000000.nc", 3), 59);
}

TEST(FileName, of_no_period_is_told_from_those_that_fit) {
  EXPECT_EQ(period_of("p.nc", 50, "p_110.nc", 1), std::nullopt);
  EXPECT_EQ(period_of("p.nc", 50, "q_100.nc", 1), std::nullopt);
  EXPECT_EQ(period_of("p_{index}", 50, "p_2.nc", 1), std::nullopt) << "four digits";
  EXPECT_EQ(period_of("p_{date}", 86400, "p_20000230T000000.nc", 1), std::nullopt);
}

TEST(FileName, of_the_newest_says_nothing_of_its_period) {
  PlannedFile file;
  file.name = "latest.nc";
  file.write_frequency = Frequency(50);
  file.keeps_newest = true;

  EXPECT_EQ(file_name(file, {}, 2), "latest.nc");
  EXPECT_EQ(name_of_period(file, {}, 2), "latest.nc.2");
  EXPECT_TRUE(is_of_series(file, "latest.nc"));
  EXPECT_FALSE(is_of_series(file, "latest_100.nc"));
  EXPECT_EQ(replaced_period_of(file, "latest.nc.2"), 2);
  EXPECT_EQ(replaced_period_of(file, "latest.nc.-3"), -3);
  for (const char* other : {"latest.nc", "latest.nc.", "latest.nc.2a", "latest_nc.2"})
    EXPECT_EQ(replaced_period_of(file, other), std::nullopt) << other;
  file.keeps_newest = false;
  EXPECT_EQ(name_of_period(file, {}, 2), "latest_100.nc");
  EXPECT_EQ(replaced_period_of(file, "latest.nc.2"), std::nullopt);
}

TEST(FileName, keeps_what_lies_between_its_dots) {
  EXPECT_EQ(name_of("run.a.nc", 10, 1), "run.a_10.nc");
  EXPECT_EQ(name_of("run.b", 10, 1), "run.b_10.nc");
}

TEST(FileName, has_no_folder_while_it_is_temporary) {
  const RunIdentity run{"0123", "", 1};

  EXPECT_EQ(temporary_name("out/a.nc", run), ".out+a.nc.0123-1.part");
  EXPECT_EQ(temporary_name("out+a.nc", run), ".out%2Ba.nc.0123-1.part");
  EXPECT_EQ(temporary_name("out%2Ba.nc", run), ".out%252Ba.nc.0123-1.part");
  for (const char* name : {"out/a.nc", "out+a.nc", "out%2Ba.nc", "a%/+b/c.nc", "%"})
    EXPECT_EQ(name_of_temporary(temporary_name(name, run)), name);
  EXPECT_EQ(folders_of_name("a/b/c.nc"), (std::vector<std::string>{"a", "a/b"}));
  EXPECT_TRUE(folders_of_name("c.nc").empty());
  EXPECT_TRUE(lies_within("a/b/c.nc"));
  for (const char* name : {"", "/a.nc", "../a.nc", "a/../b.nc", "a//b.nc", "a/"})
    EXPECT_FALSE(lies_within(name));
}

TEST(FileName, has_no_exponent_and_no_superfluous_digits) {
  EXPECT_EQ(name_of("p.nc", 0.1, 1), "p_0.1.nc");
  EXPECT_EQ(name_of("p.nc", 2.5, 3), "p_7.5.nc");
  EXPECT_EQ(name_of("p.nc", 1e9, 3000), "p_3000000000000.nc");
}

TEST(FileName, has_the_period_where_its_key_stands) {
  EXPECT_EQ(name_of("p_{time}_a.nc", 50, 2), "p_100_a.nc");
  EXPECT_EQ(name_of("{index}_p.nc", 50, 2), "0002_p.nc");
  EXPECT_EQ(name_of("p_{index}", 50, 12345), "p_12345.nc");
  EXPECT_EQ(name_of("p_{index}", 50, -1), "p_-0001.nc");
  EXPECT_EQ(name_of("p_{date}", 86400, 59), "p_20000229T000000.nc");  // 31 days of January, 28 of February
}

TEST(FileName, has_the_date_of_the_runs_calendar) {
  PlannedFile file;
  file.name = "p_{date}.nc";
  file.write_frequency = 86400;
  const PlannedTime time{Calendar::day_360, {1850, 2, 29, 12, 0, 0}, true};

  EXPECT_EQ(file_name(file, time, 2), "p_18500301T120000.nc");
}

TEST(FileName, of_cmip_has_the_first_and_the_last_time) {
  const PlannedTime time{Calendar::day_360, {1850, 1, 1, 0, 0, 0}, true};
  PlannedFile file;
  file.write_frequency = Frequency(120, time.calendar, time.epoch);
  const auto name = [&](const std::string& range, std::int64_t period) {
    file.name = "tas_" + range + ".nc";
    return file_name(file, time, period);
  };
  EXPECT_EQ(name("{years}", 1), "tas_1850-1859.nc");
  EXPECT_EQ(name("{months}", 1), "tas_185001-185912.nc");
  EXPECT_EQ(name("{months}", 2), "tas_186001-186912.nc");
  EXPECT_EQ(name("{days}", 2), "tas_18600101-18691230.nc");
  EXPECT_EQ(name("{minutes_of_6h}", 1), "tas_185001010300-185912302100.nc");
  EXPECT_EQ(name("{minutes_of_1h}", 1), "tas_185001010030-185912302330.nc");
  EXPECT_EQ(name("{minutes_each_3h}", 1), "tas_185001010300-186001010000.nc");
  EXPECT_TRUE(is_of_series(file, "tas_185001010300-186001010000.nc"));
  EXPECT_EQ(period_of_name(file, time, name("{months}", 7), 1), 7);
}

TEST(FileIdentity, fills_what_is_left_open_and_nothing_else) {
  const std::string open = "hdl:21.14100/00000000-0000-0000-0000-000000000000";
  FileDefinition definition;
  definition.attributes = {{"tracking_id", open}, {"creation_date", "0000-00-00T00:00:00Z"}, {"other", open}};
  RunIdentity run{"id", "2027-01-31T00:00:00Z written by Pileus"};
  const FileDefinition one = with_its_identity(definition, "a.nc", run);
  const auto text = [](const FileDefinition& of, std::size_t at) {
    return std::get<std::string>(of.attributes[at].value);
  };
  EXPECT_EQ(text(one, 0).size(), open.size());
  EXPECT_NE(text(one, 0), open);
  EXPECT_EQ(text(one, 1), "2027-01-31T00:00:00Z");
  EXPECT_EQ(text(one, 2), open);
  EXPECT_NE(text(with_its_identity(definition, "b.nc", run), 0), text(one, 0));
  run.id = "of a later start";
  run.attempt = 3;
  EXPECT_EQ(text(with_its_identity(definition, "a.nc", run), 0), text(one, 0));
  run.history = "2027-02-01T00:00:00Z written by Pileus";
  EXPECT_NE(text(with_its_identity(definition, "a.nc", run), 0), text(one, 0));
}

TEST(FileName, of_a_month_has_its_end) {
  const PlannedTime time{Calendar::standard, {2000, 1, 15, 12, 0, 0}, true};
  PlannedFile file;
  file.name = "p.nc";
  file.write_frequency = Frequency(1, time.calendar, time.epoch);
  EXPECT_EQ(file_name(file, time, 1), "p_1425600.nc");  // 16.5 days later
  file.name = "p_{date}.nc";
  EXPECT_EQ(file_name(file, time, 2), "p_20000301T000000.nc");
}

bool is_of(const std::string& configured, const std::string& name) {
  PlannedFile file;
  file.name = configured;
  file.write_frequency = 100;
  return is_of_series(file, name);
}

TEST(FileName, is_known_as_one_of_its_series) {
  EXPECT_TRUE(is_of("p.nc", "p_100.nc"));
  EXPECT_TRUE(is_of("p", "p_-0.5.nc"));
  EXPECT_FALSE(is_of("p", "p_.nc"));
  EXPECT_FALSE(is_of("p", "p_1a.nc"));
  EXPECT_FALSE(is_of("p", "q_1.nc"));
  EXPECT_FALSE(is_of("p", "p_1.nc.bak"));
  EXPECT_TRUE(is_of("p_{index}_{time}.nc", "p_0001_100.nc"));
  EXPECT_FALSE(is_of("p_{index}.nc", "p_20000101T000000.nc"));
  EXPECT_TRUE(is_of("p_{date}.nc", "p_20000101T000000.nc"));
  EXPECT_TRUE(is_of("{index}1.nc", "11.nc"));
  EXPECT_FALSE(is_of("{index}1.nc", "1.nc"));
}

TEST(FileDefinition, says_the_calendar_and_the_epoch_of_the_run) {
  SmallPlan small;
  small.axis(small.file("f.nc", 100), manipulations::none(), 0);
  small.plan.time = {Calendar::noleap, {1850, 1, 1, 0, 0, 0}, true};

  const TimeAxis axis = file_definition(small.plan, FileId(0), {}).axes.at(0);

  EXPECT_EQ(text_in(axis.attributes, "units"), "seconds since 1850-01-01 00:00:00");
  EXPECT_EQ(text_in(axis.attributes, "calendar"), "noleap");
  EXPECT_EQ(find(axis.attributes, "units_metadata"), nullptr);  // no calendar that could have leap seconds
}

TEST(FileDefinition, with_moncs_names_says_when_the_run_began) {
  SmallPlan small;
  small.axis(small.file("f.nc", 100), manipulations::none(), 0);
  const RunIdentity run{"0123", "2026-11-24T09:05:00Z written by Pileus", 0};
  EXPECT_EQ(find(file_definition(small.plan, FileId(0), run).attributes, "created"), nullptr);

  small.plan.files[0].says_when_created = true;

  EXPECT_EQ(text_in(file_definition(small.plan, FileId(0), run).attributes, "created"), "24/11/2026 9:5:0");
}

TEST(FileDefinition, has_dimensions_that_no_variable_has_and_other_names_for_some) {
  SmallPlan small;
  small.axis(small.file("f.nc", 100), manipulations::none(), 0);
  small.plan.dimensions = {{"zn", 2, {5, 15}, "m"}, {"string_8", 8, {}, ""}};
  small.plan.files[0].dimensions = {DimensionId(0), DimensionId(1)};
  small.plan.files[0].dimension_names = {{DimensionId(1), "string"}};

  const FileDefinition definition = file_definition(small.plan, FileId(0), {});

  ASSERT_EQ(definition.dimensions.size(), 2U);
  EXPECT_EQ(definition.dimensions[0].name, "zn");
  EXPECT_EQ(definition.dimensions[0].coordinates, (std::vector<double>{5, 15}));
  EXPECT_EQ(definition.dimensions[1].name, "string");
}

TEST(FileName, of_moncs_older_fork_has_a_decimal) {
  SmallPlan small;
  small.file("f_{time}.nc", 100);
  small.plan.files[0].has_decimals = true;

  EXPECT_EQ(file_name(small.plan.files[0], {}, 3), "f_300.0.nc");
  EXPECT_TRUE(is_of_series(small.plan.files[0], "f_300.0.nc"));
}

TEST(TemporaryName, is_hidden_and_holds_the_id_of_the_run) {
  EXPECT_EQ(temporary_name("p_10.nc", {"ab12", "", 3}), ".p_10.nc.ab12-3.part");
}

TEST(FileDefinition, only_averages_have_bounds) {
  EXPECT_TRUE(axis_of(manipulations::averaged(), 10, 100).has_bounds);
  EXPECT_FALSE(axis_of(manipulations::instantaneous(), 10, 100).has_bounds);
  EXPECT_FALSE(axis_of(manipulations::none(), 0, 100).has_bounds);
}

TEST(FileDefinition, makes_space_for_the_records_that_the_frequencies_foresee) {
  EXPECT_EQ(axis_of(manipulations::averaged(), 10, 100).block_records, 10);
  EXPECT_EQ(axis_of(manipulations::averaged(), 30, 100).block_records, 4);   // at times one more than 3
  EXPECT_EQ(axis_of(manipulations::averaged(), 0.1, 0.3).block_records, 3);  // 0.3 / 0.1 is a little below 3
  EXPECT_EQ(axis_of(manipulations::averaged(), 100, 10).block_records, 1);
  EXPECT_EQ(axis_of(manipulations::averaged(), 1, 1e9).block_records, 4096);
  const Frequency month(1, Calendar::standard, {2000, 1, 1}), year(12, Calendar::standard, {2000, 1, 1});
  EXPECT_EQ(axis_of(manipulations::averaged(), month, year).block_records, 12);
  EXPECT_EQ(axis_of(manipulations::averaged(), 86400, month).block_records, 31);
  EXPECT_EQ(axis_of(manipulations::none(), 0, 100).block_records, 16);
}

TEST(FileDefinition, says_how_time_is_to_be_read) {
  const TimeAxis axis = axis_of(manipulations::averaged(), 10, 100);

  EXPECT_EQ(axis.name, "time");
  EXPECT_EQ(text_in(axis.attributes, "standard_name"), "time");
  EXPECT_EQ(text_in(axis.attributes, "units"), "seconds since 2000-01-01 00:00:00");
  EXPECT_EQ(text_in(axis.attributes, "calendar"), "proleptic_gregorian");
  EXPECT_EQ(text_in(axis.attributes, "units_metadata"), "leap_seconds: none");
  EXPECT_EQ(find(axis.attributes, "bounds"), nullptr);
}

TEST(FileDefinition, holds_each_dimension_once_in_the_order_of_first_use) {
  SmallPlan small;
  const DimensionId x = small.dimension("x", 3), y = small.dimension("y", 4), z = small.dimension("z", 2);
  const FileId file = small.file("f.nc", 10);
  const ScheduleId mean = small.axis(file, manipulations::averaged(), 5);
  const ScheduleId each = small.axis(file, manipulations::none(), 0);
  small.variable("profile", each, Spread::rooted, {z});
  small.variable("w", mean, Spread::distributed, {x, y, z}, ElementType::float32);
  small.variable("mass", mean, Spread::rooted, {});

  const FileDefinition definition = file_definition(small.plan, file, {});

  ASSERT_EQ(definition.dimensions.size(), 3U);
  EXPECT_EQ(definition.dimensions[0].name, "z");
  EXPECT_EQ(definition.dimensions[1].name, "x");
  EXPECT_EQ(definition.dimensions[2].size, 4);
  ASSERT_EQ(definition.variables.size(), 3U);
  EXPECT_EQ(definition.variables[0].axis, 1U);
  EXPECT_EQ(definition.variables[1].axis, 0U);
  EXPECT_EQ(definition.variables[1].dimensions, (std::vector<std::uint32_t>{1, 2, 0}));
  EXPECT_EQ(definition.variables[1].type, ElementType::float32);
  EXPECT_TRUE(definition.variables[2].dimensions.empty());
}

TEST(FileDefinition, says_what_no_model_rank_holds) {
  SmallPlan small;
  const FileId file = small.file("f.nc", 10);
  const DimensionId x = small.dimension("x", 4), y = small.dimension("y", 5);
  const ScheduleId axis = small.axis(file, manipulations::none(), 0);
  const VariableId w = small.variable("w", axis, Spread::distributed, {x, y});
  small.variable("v", axis, Spread::distributed, {x, y});
  small.plan.variables[0].dimensions = {y, x};  // the file has y fastest

  // x 1 and 2 of y 2, x 1 of y 3: 3 elements.
  const std::string text = hole_text(small.plan, w, {{{1, 2}, {2, 1}}, {{1, 3}, {1, 1}}});
  const FileDefinition definition = file_definition(small.plan, file, {"id", "today"}, {{w, text}});

  EXPECT_EQ(text, "3 of 20 elements, within x 1:3, y 2:4");
  EXPECT_EQ(std::get<std::string>(definition.variables[0].attributes.back().value), text);
  EXPECT_EQ(definition.variables[0].attributes.back().name, "holes");
  for (const FileAttribute& attribute : definition.variables[1].attributes)
    EXPECT_NE(attribute.name, "holes");
}

TEST(FileDefinition, holds_no_dimension_of_other_files) {
  SmallPlan small;
  const DimensionId x = small.dimension("x", 3), y = small.dimension("y", 4);
  small.variable("a", small.axis(small.file("a.nc", 10), manipulations::none(), 0), Spread::rooted, {x});
  small.variable("b", small.axis(small.file("b.nc", 10), manipulations::none(), 0), Spread::rooted, {y});

  const FileDefinition definition = file_definition(small.plan, FileId(1), {});

  ASSERT_EQ(definition.dimensions.size(), 1U);
  EXPECT_EQ(definition.dimensions[0].name, "y");
  EXPECT_EQ(definition.variables.at(0).dimensions, (std::vector<std::uint32_t>{0}));
}

TEST(FileDefinition, carries_the_coordinates_and_attributes_of_the_run) {
  SmallPlan small;
  const DimensionId z = small.dimension("z", 2);
  small.plan.dimensions[0].coordinates = {5, 15};
  small.plan.dimensions[0].units = "m";
  small.plan.dimensions[0].bounds = {0, 10, 10, 20};
  small.plan.dimensions[0].axis = "Z";
  const FileId file = small.file("f.nc", 10);
  small.variable("p", small.axis(file, manipulations::none(), 0), Spread::rooted, {z});
  small.plan.variables[0].attributes = {{"units", "K"}};
  small.plan.attributes = {{"grid", std::int64_t{7}}};
  small.plan.files[0].title = "Profiles";

  const FileDefinition definition = file_definition(small.plan, file, {"id", "made today"});

  EXPECT_EQ(definition.dimensions[0].coordinates, (std::vector<double>{5, 15}));
  EXPECT_EQ(text_in(definition.dimensions[0].attributes, "units"), "m");
  EXPECT_EQ(text_in(definition.dimensions[0].attributes, "axis"), "Z");
  EXPECT_EQ(text_in(definition.dimensions[0].attributes, "long_name"), "z");
  EXPECT_EQ(text_in(definition.dimensions[0].attributes, "positive"), "none");
  EXPECT_EQ(definition.dimensions[0].bounds, (std::vector<double>{0, 10, 10, 20}));
  EXPECT_EQ(text_in(definition.variables[0].attributes, "units"), "K");
  EXPECT_EQ(text_in(definition.attributes, "Conventions"), "CF-1.11");
  EXPECT_EQ(text_in(definition.attributes, "title"), "Profiles");
  EXPECT_EQ(text_in(definition.attributes, "history"), "made today");
  EXPECT_EQ(std::get<std::int64_t>(find(definition.attributes, "grid")->value), 7);
}

TEST(FileDefinition, is_of_a_series_where_files_follow_time_or_steps) {
  SmallPlan small;
  const FileId in_time = small.file("time.nc", 10), alone = small.file("alone.nc", Frequency());
  const FileId in_steps = small.file("steps.nc", Frequency());
  small.plan.files[in_steps.index].write_frequency_steps = 5;

  EXPECT_TRUE(file_definition(small.plan, in_time, {}).is_of_series);
  EXPECT_TRUE(file_definition(small.plan, in_steps, {}).is_of_series);
  EXPECT_FALSE(file_definition(small.plan, alone, {}).is_of_series);
}

}  // namespace
}  // namespace pileus::testing
