// Files: their time axes, names and attributes, when values are wanted, and which server has what.

#include "layout/test_config.h"

namespace pileus {
namespace {

using namespace planning_test;

ConfigBuilder with_fields() {
  ConfigBuilder config;
  config.group("raw");
  config.field("w", "z,y,x", true);
  config.field("a");
  config.group("seldom", 4);
  config.field("b");
  config.group("other", 6);
  config.field("c");
  return config;
}

ModelBuilder model() {
  ModelBuilder model(2);
  model.dimension("z", 3).dimension("y", 4).dimension("x", 6);
  return model.distributed("w", {"z", "y", "x"}).field("a").field("b").field("c");
}

std::vector<std::string> names(const Plan& plan) {
  std::vector<std::string> all;
  for (const Variable& variable : plan.variables) all.push_back(variable.name);
  return all;
}

std::vector<std::string> axes(const Plan& plan) {
  std::vector<std::string> all;
  for (const Schedule& schedule : plan.schedules) all.push_back(schedule.dimension);
  return all;
}

TEST(Files, one_schedule_is_time_itself) {
  ConfigBuilder config = with_fields();
  config.file("f.nc");
  config.include("w", "averaged", 10);
  config.include("a", "averaged", 10);

  const Plan plan = plan_of(config, model()).plan;

  EXPECT_EQ(axes(plan), std::vector<std::string>{"time"});
  EXPECT_EQ(plan.variables[1].schedule, ScheduleId(0));
}

TEST(Files, averages_of_a_ten_thousandth_of_a_second_are_warned_of) {
  ConfigBuilder config = with_fields();
  config.file("f.nc");
  const Location where = config.place();
  config.include("w", "averaged", 1e-5).output_frequency->where = where;
  config.include("a", "instantaneous", 1e-5);

  const Findings findings = plan_of(config, model()).findings;

  expect_finding(findings, Severity::warning, where, "a step of 1 s or more would end 100000 records");
  EXPECT_EQ(findings.all().size(), 1U) << findings.text();
}

TEST(Files, several_schedules_are_told_apart_by_manipulation_frequency_and_cadence) {
  ConfigBuilder config = with_fields();
  config.file("f.nc");
  config.include("w", "averaged", 0.5);
  config.include("a", "none");
  config.include("b", "averaged", 3600);
  config.include("c", "averaged", 3600);

  const Plan plan = plan_of(config, model()).plan;

  EXPECT_EQ(axes(plan),
            (std::vector<std::string>{"time_averaged_0_5", "time_none", "time_averaged_3600_every_4_steps",
                                      "time_averaged_3600_every_6_steps"}));
}

TEST(Files, with_moncs_naming_axes_are_named_by_steps_and_seconds) {
  ConfigBuilder config = with_fields();
  config.file("f.nc");
  config.config.files.back().naming = Naming::monc;
  config.include("w", "averaged", 60);
  config.include("a", "none");
  config.include("b", "averaged", 60);
  config.include("c", "instantaneous", 0.5);
  config.include("b", "instantaneous", 60);
  config.include("b", "none");

  const Plan plan = plan_of(config, model()).plan;

  EXPECT_EQ(axes(plan), (std::vector<std::string>{"time_series_1_60", "time_series_1",
                                                  "time_series_4_60_averaged", "time_series_6_0_5",
                                                  "time_series_4_60_instantaneous", "time_series_4"}));
  EXPECT_EQ(names(plan), (std::vector<std::string>{"w", "a", "b_timeaveraged", "c", "b_instantaneous", "b"}));
}

TEST(Files, with_the_names_of_moncs_older_fork_times_have_decimals) {
  ConfigBuilder config = with_fields();
  config.file("f.nc");
  config.config.files.back().naming = Naming::monc_leeds;
  config.include("w", "averaged", 60);
  config.include("a", "none");

  const Plan plan = plan_of(config, model()).plan;

  EXPECT_EQ(axes(plan), (std::vector<std::string>{"time_series_1_60.0", "time_series_1"}));
  EXPECT_TRUE(plan.files.at(0).has_decimals);
  EXPECT_TRUE(plan.files.at(0).says_when_created);
}

TEST(Files, say_when_they_ended_where_moncs_bridge_asks_for_moncs_names) {
  ConfigBuilder config = with_fields();
  config.file("monc.nc");
  config.config.files.back().naming = Naming::monc;
  config.include("w", "none");
  config.file("own.nc");
  config.include("w", "none");
  const Plan without = plan_of(config, model()).plan;
  config.config.options["pileus_dialect"] = "monc-epcc";

  const Plan plan = plan_of(config, model()).plan;

  EXPECT_FALSE(without.files.at(0).says_when_ended);
  EXPECT_TRUE(plan.files.at(0).says_when_ended);
  EXPECT_FALSE(plan.files.at(1).says_when_ended);
}

TEST(Files, with_moncs_naming_texts_have_moncs_dimensions) {
  ConfigBuilder config = with_fields();
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
  ModelBuilder other = model();
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
  ConfigBuilder config = with_fields();
  config.file("f.nc");
  config.include("w", "none");
  config.config.files.back().dimensions = {config.text("zn"), config.text("depth")};
  const Location lacking = config.config.files.back().dimensions[1].where;
  ModelBuilder other = model();
  other.dimension("zn", 5);

  const Planned planned = plan_of(config, other);

  expect_finding(planned.findings, Severity::warning, lacking,
                 "the model has no dimension \"depth\", so file \"f.nc\" does not have it either");
  ASSERT_EQ(planned.plan.files.at(0).dimensions.size(), 1U);
  EXPECT_EQ(planned.plan[planned.plan.files[0].dimensions[0]].name, "zn");
}

TEST(Files, with_moncs_naming_the_time_comes_before_the_first_dot) {
  ConfigBuilder config = with_fields();
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

  const Plan plan = plan_of(config, model()).plan;

  std::vector<std::string> found;
  for (const PlannedFile& file : plan.files) found.push_back(file.name);
  EXPECT_EQ(found,
            (std::vector<std::string>{"f_{time}.low.nc", "g_{time}", "h_{index}.nc", "i.nc", "j_{step}.nc"}));
}

TEST(Files, of_which_only_the_newest_is_kept_have_the_name_that_stands_there) {
  ConfigBuilder config = with_fields();
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

  const Plan plan = plan_of(config, model()).plan;

  EXPECT_EQ(plan.files.at(0).name, "f.low.nc");
  EXPECT_TRUE(plan.files.at(0).keeps_newest);
  EXPECT_FALSE(plan.files.at(1).keeps_newest);
}

/// "f_30.nc" may be a period of the series "f.nc".
TEST(Files, of_which_only_the_newest_is_kept_may_not_have_the_name_of_a_period) {
  for (const bool has_own_name : {false, true}) {
    ConfigBuilder config = with_fields();
    config.file("f.nc");
    config.include("w", "averaged", 10);
    config.file(has_own_name ? "g.nc" : "f_30.nc");
    config.config.files.back().keeps_newest = true;
    config.include("w", "averaged", 10);

    EXPECT_EQ(plan_of(config, model()).findings.has_errors(), !has_own_name);
  }
}

TEST(Files, months_are_a_frequency_of_their_own) {
  ConfigBuilder config = with_fields();
  config.config.time.epoch = config.text("2000-01-01");
  config.file("f.nc");
  config.include("w", "averaged", 10).output_frequency = Duration{0, 12};
  config.include("a", "averaged", 10).output_frequency = Duration{0, 12};
  config.include("w", "averaged", 10).output_frequency = Duration{0, 1};
  config.include("w", "averaged", 1);

  const Plan plan = plan_of(config, model()).plan;

  EXPECT_EQ(axes(plan),
            (std::vector<std::string>{"time_averaged_12_month", "time_averaged_1_month", "time_averaged_1"}));
  EXPECT_EQ(names(plan),
            (std::vector<std::string>{"w_averaged_12_month", "a", "w_averaged_1_month", "w_averaged_1"}));
}

TEST(Files, the_same_field_twice_gets_what_tells_the_two_apart_as_suffix) {
  ConfigBuilder config = with_fields();
  config.file("f.nc");
  config.include("w", "averaged", 10);
  config.include("w", "instantaneous", 10);
  config.include("w", "instantaneous", 5);
  config.include("a", "averaged", 10);

  const Plan plan = plan_of(config, model()).plan;

  EXPECT_EQ(names(plan),
            (std::vector<std::string>{"w_averaged", "w_instantaneous_10", "w_instantaneous_5", "a"}));
}

TEST(Files, the_same_field_twice_in_the_same_way_is_an_error) {
  ConfigBuilder config = with_fields();
  config.members("all", {"w"});
  config.file("f.nc");
  config.include_group("all", "averaged", 10);
  const Location where = config.include("w", "averaged", 10).field.where;

  expect_only_error(checked(config), where,
                    "\"w\" is written twice to file \"f.nc\" in the same way; the first is at " +
                        config.config.files[0].includes[0].where.text());
}

TEST(Files, the_same_field_in_two_files_keeps_its_name) {
  ConfigBuilder config = with_fields();
  config.file("f.nc");
  config.include("w", "averaged", 10);
  config.file("g.nc");
  config.include("w", "instantaneous", 10);

  EXPECT_EQ(names(plan_of(config, model()).plan), (std::vector<std::string>{"w", "w"}));
}

TEST(Files, a_variable_named_like_a_dimension_or_a_time_axis_is_an_error) {
  ConfigBuilder config = with_fields();
  config.field("time");
  config.field("x");
  config.field("w_averaged");
  config.file("f.nc");
  const Location time = config.include("time").field.where;
  config.file("g.nc");
  config.include("w");
  const Location x = config.include("x").field.where;
  config.file("h.nc");
  config.include("w", "averaged");
  config.include("w");
  const Location variable = config.include("w_averaged").field.where;

  const Findings findings = checked(config);
  expect_finding(findings, Severity::error, time, "\"time\" is the name of the time axis there");
  expect_finding(findings, Severity::error, x, "\"x\" is the name of a dimension there");
  expect_finding(findings, Severity::error, variable, "\"w_averaged\" is the name of another variable (");
}

TEST(Files, dimensions_that_cannot_be_in_a_file_are_errors_before_the_run) {
  ModelBuilder bad(1);
  bad.dimension("time", 3).dimension("bnds", 2).dimension("a b", 4).dimension("x_bnds", 5);
  bad.distributed("t", {"time"}).distributed("b", {"bnds"}).distributed("a", {"a b"});
  bad.distributed("v", {"x_bnds"});
  ConfigBuilder config;
  config.group("raw");
  for (const auto& [field, size] : {std::pair{"t", "time"}, {"b", "bnds"}, {"v", "x_bnds"}, {"a", "a b"}})
    config.field(field, size, true);
  config.file("f.nc");
  const Location time = config.include("t", "averaged").field.where;
  const Location bounds = config.include("b", "averaged").field.where;
  const Location blank = config.include("a", "averaged").field.where;
  config.include("v", "averaged");
  config.file("g.nc");
  config.include("b", "instantaneous");  // only averages have the dimension bnds

  const Findings findings = plan_of(config, bad).findings;

  expect_finding(
      findings, Severity::error, time,
      "dimension \"time\" of the model cannot be in file \"f.nc\": it is the name of the time axis there");
  expect_finding(findings, Severity::error, bounds, "it is the name of the dimension of bounds there");
  expect_finding(findings, Severity::error, blank, "a name is made of letters, digits");
  EXPECT_EQ(findings.all().size(), 3U) << findings.text();
}

TEST(Files, coordinates_that_turn_back_are_warned_of) {
  ModelBuilder turning(1);
  turning.dimension("x", 3).dimension("y", 3);
  turning.model.ranks[0].dimensions[0].coordinates = {1, 2, 2};
  turning.model.ranks[0].dimensions[1].coordinates = {3, 2, 1};
  turning.distributed("u", {"x"}).distributed("v", {"y"});
  ConfigBuilder config;
  config.group("raw");
  config.field("u", "x", true);
  config.field("v", "y", true);
  config.file("f.nc");
  const Location where = config.include("u").field.where;
  config.include("v");

  const Findings findings = plan_of(config, turning).findings;

  expect_finding(findings, Severity::warning, where,
                 "dimension \"x\" of the model has coordinates that neither");
  EXPECT_EQ(findings.all().size(), 1U) << findings.text();
}

TEST(Files, attributes_say_what_the_configuration_says_and_no_more) {
  ConfigBuilder config = with_fields();
  FieldConfig& field = config.config.data_groups[0].fields[0];
  field.metadata.standard_name = config.text("upward_air_velocity");
  field.metadata.units = config.text("m s-1");
  config.file("f.nc");
  config.include("w", "averaged");
  config.include("a", "none");

  const Plan plan = plan_of(config, model()).plan;

  EXPECT_EQ(attribute(plan.variables[0].attributes, "long_name"), "w");
  EXPECT_EQ(attribute(plan.variables[0].attributes, "standard_name"), "upward_air_velocity");
  EXPECT_EQ(attribute(plan.variables[0].attributes, "units"), "m s-1");
  EXPECT_EQ(attribute(plan.variables[1].attributes, "units"), "(none)");
  EXPECT_EQ(attribute(plan.variables[1].attributes, "standard_name"), "(none)");
  EXPECT_EQ(attribute(plan.variables[1].attributes, "cell_methods"), "time_none: point");
}

TEST(Files, a_reduction_over_named_dimensions_is_a_cell_method) {
  ConfigBuilder config = with_fields();
  config.diagnostic("profile");
  config.localreduce("mean", "w", "l", "x,y");
  config.reduction("mean", "l", "profile");
  config.diagnostic("top");
  config.localreduce("max", "w", "t");
  config.reduction("max", "t", "top");
  config.diagnostic("scaled");
  config.arithmetic("2*profile", "scaled");
  config.file("f.nc");
  for (const char* name : {"profile", "top", "scaled"}) config.include(name, "averaged");

  const Plan plan = plan_of(config, model()).plan;

  EXPECT_EQ(attribute(plan.variables[0].attributes, "cell_methods"), "area: mean time: mean");
  EXPECT_EQ(attribute(plan.variables[1].attributes, "cell_methods"), "area: maximum (over z) time: mean");
  EXPECT_EQ(attribute(plan.variables[2].attributes, "cell_methods"), "time: mean");
}

TEST(Files, a_diagnostic_has_the_type_that_it_declares) {
  ConfigBuilder config = with_fields();
  DiagnosticConfig& diagnostic = config.diagnostic("d");
  diagnostic.data_type = config.text("float");
  config.arithmetic("2*w", "d");
  config.file("f.nc");
  config.include("d");

  EXPECT_EQ(plan_of(config, model()).plan.variables[0].type, ElementType::float32);
}

TEST(Files, output_times_have_to_be_positive) {
  ConfigBuilder config = with_fields();
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

TEST(Needs, a_value_of_several_groups_is_sampled_when_all_of_them_are) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  config.arithmetic("b*c", "d");
  config.file("f.nc");
  config.include("d", "instantaneous", 5);
  config.include("b", "averaged", 5);

  const Plan plan = plan_of(config, model()).plan;

  EXPECT_EQ(value_of(plan, "d").cadence, 12);  // the multiple of 4 and 6 steps
  EXPECT_EQ(plan.needs, (std::vector<Need>{{12, 5}, {4, 0, false, false, false, true}}));
  EXPECT_EQ(value_of(plan, "d").needs, std::vector<std::uint32_t>{0});
  EXPECT_EQ(plan[planning_test::field_of(plan, "b").value].needs, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(plan[planning_test::field_of(plan, "c").value].needs, std::vector<std::uint32_t>{0});
}

TEST(Needs, first_samples_are_not_mentioned_where_every_sample_of_the_cadence_is_wanted) {
  ConfigBuilder config = with_fields();
  config.file("f.nc");
  config.include("a", "instantaneous", 5);
  config.include("a", "none");

  const Plan plan = plan_of(config, model()).plan;

  EXPECT_EQ(plan.needs, (std::vector<Need>{{1, 5}, {1, 0}}));
  EXPECT_EQ(plan[planning_test::field_of(plan, "a").value].needs, std::vector<std::uint32_t>{1});
}

TEST(Needs, a_field_that_nothing_wants_is_in_no_group) {
  ConfigBuilder config = with_fields();
  config.diagnostic("unused");
  config.arithmetic("c*2", "unused");
  config.file("f.nc");
  config.include("b");

  const Plan plan = plan_of(config, model()).plan;

  ASSERT_EQ(plan.groups.size(), 1U);
  EXPECT_EQ(plan.groups[0].name, "seldom");
  EXPECT_EQ(plan.groups[0].fields, std::vector<FieldId>{FieldId(0)});
  EXPECT_EQ(plan.fields.size(), 1U);
  EXPECT_EQ(plan.regions[1].size(), 1U);
}

TEST(Needs, each_rank_is_told_what_it_has_to_send) {
  ConfigBuilder config = with_fields();
  config.file("f.nc");
  config.include("w", "averaged", 5);
  config.include("a", "instantaneous", 5);

  const Plan plan = plan_of(config, model()).plan;
  const Demand first = plan.demand(0, 100), second = plan.demand(1, 100);

  EXPECT_EQ(first.budget_bytes, 100U);
  ASSERT_EQ(first.groups.size(), 1U);
  ASSERT_EQ(first.groups[0].fields.size(), 2U);
  EXPECT_EQ(first.groups[0].fields[0].name, "w");
  EXPECT_EQ(first.groups[0].fields[0].needs, std::vector<std::uint32_t>{0});
  EXPECT_TRUE(first.groups[0].fields[1].is_sent);
  EXPECT_TRUE(second.groups[0].fields[0].is_sent);
  EXPECT_FALSE(second.groups[0].fields[1].is_sent);
}

/// `count` sums of w, each in its own file.
ConfigBuilder sums(int count, const std::vector<std::string>& roots) {
  ConfigBuilder config = with_fields();
  for (int i = 0; i < count; ++i) {
    const std::string name = "d" + std::to_string(i);
    config.diagnostic(name);
    config.localreduce("sum", "w", "l", i == 0 ? "z,y,x" : i == 1 ? "y,x" : "x");
    config.reduction("sum", "l", name, roots[static_cast<std::size_t>(i)]);
    config.file(name + ".nc");
    config.include(name);
  }
  return config;
}

TEST(Owners, heavy_files_are_spread_over_the_servers) {
  // d0 has 1 element, d1 3, d2 12. The heaviest file goes to server 0, the next to 1, the last to 2.
  const Plan plan = plan_of(sums(3, {"auto", "auto", "auto"}), model(), 3).plan;

  EXPECT_EQ(plan.files[2].owner, 0U);
  EXPECT_EQ(plan.files[1].owner, 1U);
  EXPECT_EQ(plan.files[0].owner, 2U);
}

TEST(Roots, an_automatic_root_is_the_owner_of_the_file) {
  const Plan plan = plan_of(sums(3, {"auto", "auto", "auto"}), model(), 3).plan;

  for (const Variable& variable : plan.variables) {
    EXPECT_EQ(plan[variable.value].root, plan[variable.file].owner) << variable.name;
  }
  ASSERT_EQ(plan.trees.size(), 3U);
  for (ServerRank server = 0; server < 3; ++server) EXPECT_EQ(plan.trees[server].root, server);
}

TEST(Roots, an_explicit_root_is_taken) {
  const Planned planned = plan_of(sums(3, {"1", "auto", "1"}), model(), 3);

  EXPECT_EQ(planned.findings.text(), "");
  EXPECT_EQ(value_of(planned.plan, "d0").root, 1U);
  EXPECT_EQ(value_of(planned.plan, "d2").root, 1U);
}

TEST(Roots, a_root_that_does_not_exist_is_replaced_with_a_warning) {
  const ConfigBuilder config = sums(1, {"7"});

  const Planned planned = plan_of(config, model(), 3);

  expect_finding(planned.findings, Severity::warning,
                 config.config.diagnostics[0].rules[1].parameters.at("root").where,
                 "there is no server 7, only 0 to 2; server 1 takes its place");
  EXPECT_EQ(value_of(planned.plan, "d0").root, 1U);
}

TEST(Roots, values_that_meet_in_a_rule_are_on_one_server) {
  ConfigBuilder config = sums(3, {"auto", "auto", "2"});
  config.diagnostic("both");
  config.arithmetic("d1*d2", "both");
  config.file("both.nc");
  config.include("both");

  const Plan plan = plan_of(config, model(), 3).plan;

  EXPECT_EQ(value_of(plan, "d1").root, 2U);
  EXPECT_EQ(value_of(plan, "d2").root, 2U);
  EXPECT_EQ(value_of(plan, "both").root, 2U);
  EXPECT_EQ(value_of(plan, "d0").root, plan.files[0].owner);
}

TEST(Roots, a_value_in_two_files_is_on_the_owner_of_the_first) {
  ConfigBuilder config = sums(2, {"auto", "auto"});
  config.file("again.nc");
  config.include("d0", "averaged");

  const Plan plan = plan_of(config, model(), 3).plan;

  EXPECT_EQ(value_of(plan, "d0").root, plan.files[0].owner);
}

TEST(Roots, every_server_makes_the_same_plan) {
  const ConfigBuilder config = sums(3, {"auto", "2", "auto"});
  const Plan a = plan_of(config, model(), 3).plan, b = plan_of(config, model(), 3).plan;

  ASSERT_EQ(a.rules.size(), b.rules.size());
  for (std::size_t i = 0; i < a.rules.size(); ++i) {
    EXPECT_EQ(a.rules[i].inputs, b.rules[i].inputs);
    EXPECT_EQ(a.rules[i].output, b.rules[i].output);
    EXPECT_EQ(a[a.rules[i].output].root, b[b.rules[i].output].root);
  }
}

TEST(Needs, fields_that_are_sent_at_the_end_are_wanted_there) {
  ConfigBuilder config;
  config.group("last", 0).field("state");
  config.group("third", 3).field("t");
  config.config.data_groups.back().send_on_terminate = true;
  config.group("every").field("e");
  config.diagnostic("both");
  config.arithmetic("state + t*e", "both");
  config.diagnostic("often");
  config.arithmetic("t*e", "often");
  config.file("f.nc").include("both", "none");
  config.file("g.nc").include("often", "instantaneous", 10);
  config.config.files.back().write_on_terminate = true;
  ModelBuilder model(1);

  const Plan plan = plan_of(config, model.field("state").field("t").field("e")).plan;

  ASSERT_EQ(plan.schedules.size(), 2U);
  EXPECT_EQ(plan.schedules[0].need(), (Need{0, 0, true, false}));
  EXPECT_EQ(plan.schedules[1].need(), (Need{3, 10, true, true}));
}

TEST(Needs, no_step_has_both_what_comes_at_the_end_and_what_may_not) {
  ConfigBuilder config;
  config.group("last", 0).field("state");
  config.group("third", 3).field("t");
  config.diagnostic("both");
  const Location where = config.arithmetic("state + t", "both").parameters["equation"].where;
  config.file("f.nc").include("both", "none");

  const Findings findings = checked(config);

  ASSERT_EQ(findings.all().size(), 1U) << findings.text();
  EXPECT_NE(findings.text().find("no step has values of all the fields of this rule"), std::string::npos);
  EXPECT_EQ(findings.all()[0].where.line, where.line);
}

TEST(Files, of_no_frequency_are_written_once_if_they_are_to_be_written_at_all) {
  ConfigBuilder config = with_fields();
  config.file("f.nc", 0).include("w", "none");
  const Location where = config.config.files.back().where;

  expect_only_error(checked(config), where, "would never be written");
  config.config.files.back().write_on_terminate = true;
  EXPECT_EQ(checked(config).text(), "");
}

TEST(Variables, know_what_stands_for_no_value_in_their_records) {
  ConfigBuilder config;
  config.group("raw");
  config.field("ice").missing_value = -9;
  config.field("snow");
  config.diagnostic("both");
  config.arithmetic("ice + snow", "both");
  config.file("f.nc");
  config.include("ice", "none");
  config.include("ice", "averaged", 10);
  config.include("both", "none");
  config.include("snow", "none");
  ModelBuilder model(1);

  const Plan plan = plan_of(config, model.field("ice").field("snow")).plan;

  ASSERT_EQ(plan.variables.size(), 4U);
  EXPECT_EQ(plan.variables[0].missing_value, -9);
  EXPECT_EQ(plan.variables[1].missing_value, 0x1.ep+122);  // a mean of nothing has the fill value of netCDF
  EXPECT_EQ(plan.variables[2].missing_value, 0x1.ep+122);
  EXPECT_EQ(plan.variables[3].missing_value, std::nullopt);
}

TEST(FilesOfCheckpoints, want_their_values_at_those_steps_and_no_others) {
  ConfigBuilder config = with_fields();
  config.file("dump.nc");
  config.config.files.back().is_of_checkpoints = true;
  config.include("w", "none");
  config.include("b", "none");  // its own group would hand it over every 4 steps
  config.file("f.nc");
  config.include("a", "none");

  const Plan plan = plan_of(config, model()).plan;
  NeedTracker tracker(plan.needs, 0);
  std::map<std::string, std::vector<std::int64_t>> wanted;
  for (std::int64_t step = 1; step <= 4; ++step) {
    Step one{step, static_cast<double>(step), 1};
    one.is_checkpoint = step == 3;
    tracker.advance(one);
    for (const PlannedField& field : plan.fields) {
      if (tracker.is_any_met(plan[field.value].needs)) wanted[field.name].push_back(step);
    }
  }

  EXPECT_EQ(wanted["w"], (std::vector<std::int64_t>{3}));
  EXPECT_EQ(wanted["b"], (std::vector<std::int64_t>{3}));
  EXPECT_EQ(wanted["a"], (std::vector<std::int64_t>{1, 2, 3, 4}));
  EXPECT_EQ(plan.files[0].schedules.size(), 1U);  // one time axis, whatever the groups' frequencies
  EXPECT_EQ(plan.files[0].write_frequency_steps, 1);
  EXPECT_FALSE(plan.files[0].write_frequency.is_given());
}

TEST(FilesOfCheckpoints, add_nothing_to_what_is_wanted_at_every_step) {
  ConfigBuilder config = with_fields();
  config.file("dump.nc");
  config.config.files.back().is_of_checkpoints = true;
  config.include("a", "none");
  config.file("f.nc");
  config.include("a", "none");  // a mean does not count the state at the start, while a checkpoint may take
                                // it

  const Plan plan = plan_of(config, model()).plan;

  ASSERT_EQ(plan.values.at(0).needs.size(), 1U);
  EXPECT_EQ(plan.needs.at(plan.values[0].needs[0]), (Need{1, 0}));
}

TEST(Checkpoints, are_due_in_months_of_the_calendar) {
  ConfigBuilder config = with_fields();
  config.config.time = {config.text("noleap"), config.text("2000-01-01")};
  config.config.checkpoint.frequency = {0, 3};
  config.config.checkpoint.steps = 7;
  config.file("f.nc");
  config.include("a", "none");

  const Demand demand = plan_of(config, model()).plan.demand(0, 1);

  EXPECT_EQ(demand.checkpoints.frequency, Frequency(3, Calendar::noleap, {2000, 1, 1}));
  EXPECT_EQ(demand.checkpoints.steps, 7);
}

}  // namespace
}  // namespace pileus
