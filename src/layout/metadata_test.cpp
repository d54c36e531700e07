#include "layout/metadata.h"

#include "layout/test_config.h"

namespace pileus::planning_test {
namespace {

/// A distributed field "w" over z, y, x, which is written to "f.nc".
struct Case {
  ConfigBuilder config;
  ModelBuilder model{2};

  Case() {
    config.group("raw").field("w", "z,y,x", true);
    config.file("f.nc").include("w");
    model.dimension("z", 3).dimension("y", 4).dimension("x", 6).distributed("w", {"z", "y", "x"});
  }
  DimensionConfig& dimension(const std::string& name) {
    DimensionConfig dimension;
    dimension.name = config.text(name);
    dimension.where = config.place();
    config.config.dimensions.push_back(dimension);
    return config.config.dimensions.back();
  }
  void coordinates(std::size_t dimension, std::vector<double> values, const std::string& units = "m") {
    for (RankDescription& rank : model.model.ranks) {
      rank.dimensions[dimension].coordinates = values;
      rank.dimensions[dimension].units = units;
    }
  }
  std::vector<Text> order(const std::vector<std::string>& names) {
    std::vector<Text> out;
    for (const std::string& name : names) out.push_back(config.text(name));
    return out;
  }
  Planned plan() const { return plan_of(config, model); }
};

std::vector<std::string> dimensions_of(const Plan& plan, const std::string& variable) {
  std::vector<std::string> names;
  for (const Variable& one : plan.variables) {
    if (one.name != variable) continue;
    for (DimensionId id : one.dimensions) names.push_back(plan[id].name);
  }
  return names;
}

TEST(Metadata, adds_what_the_configuration_says_to_a_dimension_of_the_model) {
  Case one;
  one.coordinates(0, {0, 10, 40});
  DimensionConfig& z = one.dimension("z");
  z.axis = one.config.text("Z");
  z.positive = one.config.text("up");
  z.standard_name = one.config.text("height");
  z.has_bounds = true;

  const Planned planned = one.plan();

  ASSERT_FALSE(planned.findings.has_errors()) << planned.findings.text();
  const PlannedDimension& dimension = planned.plan.dimensions.at(0);
  EXPECT_EQ(dimension.axis, "Z");
  EXPECT_EQ(dimension.positive, "up");
  EXPECT_EQ(dimension.standard_name, "height");
  EXPECT_EQ(dimension.units, "m");
  // The bounds lie half way between the coordinates. Outside the first and the last one they are as far away
  // as on the other side.
  EXPECT_EQ(dimension.bounds, (std::vector<double>{-5, 5, 5, 25, 25, 55}));
}

TEST(Metadata, keeps_the_models_own_cells) {
  Case one;
  one.coordinates(0, {0, 10, 40});
  for (RankDescription& rank : one.model.model.ranks) rank.dimensions[0].bounds = {0, 1, 9, 11, 30, 50};
  one.dimension("z").has_bounds = true;

  EXPECT_EQ(one.plan().plan.dimensions.at(0).bounds, (std::vector<double>{0, 1, 9, 11, 30, 50}));
}

TEST(Metadata, makes_no_cells_of_coordinates_that_turn_around_or_are_missing) {
  for (const std::vector<double>& wrong : {std::vector<double>{0, 10, 5}, {0, 0, 5}, {}}) {
    Case one;
    one.coordinates(0, wrong);
    DimensionConfig& z = one.dimension("z");
    z.has_bounds = true;
    z.bounds = one.config.text("true");

    expect_only_error(one.plan().findings, z.bounds.where, "dimension \"z\"");
  }
}

TEST(Metadata, refuses_a_dimension_that_the_model_does_not_have) {
  Case one;
  const Location where = one.dimension("zz").name.where;

  expect_only_error(one.plan().findings, where,
                    "the model does not register the dimension \"zz\"; did you mean \"z\"?");
}

TEST(Metadata, describes_a_dimension_that_a_rule_makes) {
  Case one;
  one.config.diagnostic("d").expression = one.config.text("mean[y,x](w, by=w*2, edges=0:2:1)");
  one.config.include("d");
  DimensionConfig& bins = one.dimension("computed_bin_2");
  bins.axis = one.config.text("Y");
  bins.units = one.config.text("m");
  bins.standard_name = one.config.text("height");
  const Planned planned = one.plan();

  EXPECT_EQ(planned.findings.text(), "");
  const auto& dimensions = planned.plan.dimensions;
  const auto made = std::ranges::find(dimensions, "computed_bin_2", &PlannedDimension::name);
  ASSERT_NE(made, dimensions.end());
  EXPECT_EQ(made->axis + " " + made->units + " " + made->standard_name, "Y m height");
}

TEST(Metadata, warns_of_a_dimension_that_a_rule_without_a_value_may_make) {
  Case one;
  one.config.diagnostic("d").expression =
      one.config.text("mean[y,x](w, by=w*2, edges=0:2:1)");  // not written
  one.dimension("computed_bin_2");

  EXPECT_NE(one.plan().findings.text().find("warning: the model does not register the dimension "
                                            "\"computed_bin_2\", and no rule that has a value makes it"),
            std::string::npos)
      << one.plan().findings.text();
}

TEST(Metadata, refuses_two_dimensions_of_a_variable_that_run_the_same_way) {
  Case one;
  one.dimension("z").axis = one.config.text("X");
  DimensionConfig& x = one.dimension("x");
  x.axis = one.config.text("X");

  expect_only_error(one.plan().findings, x.axis.where,
                    "\"w\" in file \"f.nc\" has the dimensions \"z\" and \"x\", and both are the axis X");
}

/// "f.nc" has w on levels whose pressure is a + b * ps; a and b never change.
struct Hybrid : Case {
  DimensionConfig& z = dimension("z");

  explicit Hybrid(const std::string& terms = "ap: a b: b ps: ps") {
    coordinates(0, {0.1, 0.5, 0.9}, "1");
    for (const char* name : {"a", "b"}) {
      model.field(name, {"z"});
      FieldConfig& field = config.field(name, "z");
      field.parts = config.text("same");
      field.is_static = true;
    }
    config.field("ps", "y,x", true);
    model.distributed("ps", {"y", "x"});
    z.formula_terms = config.text(terms);
  }
};

TEST(Metadata, formula_terms_bring_static_fields_into_files_with_their_dimension) {
  Hybrid one;
  one.config.include("ps");
  one.config.file("g.nc").include("ps");

  const Planned planned = one.plan();

  ASSERT_EQ(planned.findings.text(), "");
  EXPECT_EQ(planned.plan.dimensions.at(0).formula_terms, "ap: a b: b ps: ps");
  std::vector<std::string> statics;
  for (const Variable& variable : planned.plan.statics)
    statics.push_back(variable.name + std::to_string(variable.file.index));
  EXPECT_EQ(statics, (std::vector<std::string>{"a0", "b0"}));
}

TEST(Metadata, formula_terms_need_all_their_variables_in_a_file_with_their_dimension) {
  Hybrid one;

  expect_only_error(one.plan().findings, one.z.formula_terms.where,
                    "file \"f.nc\" has this dimension and no variable \"ps\"; include it there");
  EXPECT_TRUE(checked(one.config).has_errors());
}

TEST(Metadata, formula_terms_are_pairs_of_a_term_and_a_field) {
  for (const char* wrong : {"ap", "ap: a b:", "ap a", "a: : b", "ap: a b: b ps: ps x"}) {
    Hybrid one(wrong);
    one.config.include("ps");

    expect_only_error(one.plan().findings, one.z.formula_terms.where, "expected pairs such as");
  }
  Hybrid one("ap: a b: b ps: pss");
  one.config.include("ps");
  expect_only_error(one.plan().findings, one.z.formula_terms.where,
                    "no field or diagnostic \"pss\"; did you mean \"ps\"?");
}

TEST(Metadata, formula_terms_say_what_is_computed_where_CF_knows_one_thing_or_the_configuration_does) {
  const auto computed = [](const std::string& standard_name, const std::string& said) {
    PlannedDimension dimension{"z", 2, {1, 2}, ""};
    Findings findings;
    DimensionConfig config;
    config.formula_terms = {"a: a", {"io.xml", 1, 1}};
    config.standard_name = {standard_name, {"io.xml", 2, 1}};
    if (!said.empty()) config.computed_standard_name = {said, {"io.xml", 3, 1}};
    planning::describe_dimension(config, dimension, findings);
    return dimension.computed_standard_name;
  };
  EXPECT_EQ(computed("atmosphere_sigma_coordinate", ""), "air_pressure");
  EXPECT_EQ(computed("atmosphere_hybrid_height_coordinate", ""), "");
  EXPECT_EQ(computed("atmosphere_hybrid_height_coordinate", "altitude"), "altitude");
}

TEST(Metadata, formula_terms_need_coordinates) {
  Hybrid one;
  one.config.include("ps");
  one.coordinates(0, {});

  expect_only_error(one.plan().findings, one.z.formula_terms.where, "dimension \"z\" has no coordinates");
}

TEST(Metadata, warns_of_units_that_are_not_the_models) {
  Case one;
  one.coordinates(0, {0, 10, 40}, "m");
  DimensionConfig& z = one.dimension("z");
  z.units = one.config.text("km");

  const Planned planned = one.plan();

  expect_finding(planned.findings, Severity::warning, z.units.where, "has the units \"m\" in the model");
  EXPECT_EQ(planned.plan.dimensions.at(0).units, "km");
}

TEST(Metadata, takes_the_models_calendar_and_epoch_and_the_configurations_first) {
  Case one;
  EXPECT_EQ(text(one.plan().plan.time.epoch), "2000-01-01 00:00:00");
  EXPECT_FALSE(one.plan().plan.time.has_epoch);

  for (RankDescription& rank : one.model.model.ranks) {
    rank.calendar = "360_day";
    rank.epoch = "1850-02-30";
  }
  EXPECT_EQ(one.plan().plan.time.calendar, Calendar::day_360);
  EXPECT_EQ(text(one.plan().plan.time.epoch), "1850-02-30 00:00:00");
  EXPECT_TRUE(one.plan().plan.time.has_epoch);

  one.config.config.time.epoch = one.config.text("1900-01-01");
  const Planned planned = one.plan();
  EXPECT_EQ(planned.plan.time.calendar, Calendar::day_360);
  EXPECT_EQ(text(planned.plan.time.epoch), "1900-01-01 00:00:00");
  expect_finding(planned.findings, Severity::warning, one.config.config.time.epoch.where,
                 "the model has the epoch \"1850-02-30\"; files say \"1900-01-01\"");
}

TEST(Metadata, refuses_an_epoch_that_the_calendar_of_the_other_side_lacks) {
  Case one;
  for (RankDescription& rank : one.model.model.ranks) rank.calendar = "noleap";
  one.config.config.time.epoch = one.config.text("2000-02-29");

  expect_only_error(one.plan().findings, one.config.config.time.epoch.where,
                    "2000-02-29 does not exist in the calendar \"noleap\"");
}

TEST(Metadata, refuses_ranks_with_different_calendars) {
  Case one;
  one.model.model.ranks[1].calendar = "noleap";

  expect_only_error(one.plan().findings, {},
                    "model rank 1 gives another calendar or epoch than model rank 0");
}

TEST(Order, is_that_of_memory_unless_the_include_the_field_or_the_file_says_another) {
  Case one;
  using Names = std::vector<std::string>;
  EXPECT_EQ(dimensions_of(one.plan().plan, "w"), (Names{"z", "y", "x"}));

  one.config.config.files[0].storage.order = one.order({"time", "z", "q", "y", "x"});
  one.model.dimension("q", 2);
  EXPECT_EQ(dimensions_of(one.plan().plan, "w"), (Names{"x", "y", "z"}));

  one.config.config.data_groups[0].fields[0].storage.order = one.order({"y", "z", "x"});
  EXPECT_EQ(dimensions_of(one.plan().plan, "w"), (Names{"x", "z", "y"}));

  one.config.config.files[0].includes[0].storage.order = one.order({"x", "z", "y"});
  EXPECT_EQ(dimensions_of(one.plan().plan, "w"), (Names{"y", "z", "x"}));
}

TEST(Order, names_time_first_if_at_all_and_every_dimension_that_the_model_has) {
  const auto expect_wrong = [](const std::vector<std::string>& names, std::size_t where,
                               const std::string& part) {
    Case one;
    auto& order = one.config.config.files[0].storage.order;
    order = one.order(names);
    expect_only_error(one.plan().findings, order[where].where, part);
  };

  expect_wrong({"z", "time", "y", "x"}, 1, "name it first, or not at all");
  expect_wrong({"time", "y", "x"}, 0, "\"w\" has the dimension \"z\", which this order does not name");
  expect_wrong({"time", "zed", "z", "y", "x"}, 1, "the model does not register the dimension \"zed\"");
}

TEST(Storage, is_what_is_said_closest_to_the_variable) {
  Case one;
  one.config.config.files[0].storage.codec = CodecConfig{&codecs::deflate(), 4, {}};
  one.config.config.files[0].storage.significant_bits = 10;
  one.config.config.data_groups[0].fields[0].storage.precision = one.config.text("float");
  one.config.config.files[0].includes[0].storage.codec = CodecConfig{};

  const Plan plan = one.plan().plan;

  const Variable& w = plan.variables.at(0);
  EXPECT_FALSE(w.storage.compression.is_packed());
  EXPECT_EQ(w.storage.significant_bits, 10);
  EXPECT_EQ(w.storage.compression.shuffle, Shuffle::bytes);
  EXPECT_EQ(w.type, ElementType::float32);
}

TEST(Storage, rounds_nothing_to_all_the_bits_that_there_are) {
  Case one;
  one.config.config.files[0].storage.significant_bits = 23;
  EXPECT_EQ(one.plan().plan.variables.at(0).storage.significant_bits, 23);

  one.config.config.files[0].storage.precision = one.config.text("float");
  EXPECT_EQ(one.plan().plan.variables.at(0).storage.significant_bits, 0);
}

TEST(FileNames, with_a_date_need_an_epoch_and_whole_seconds) {
  Case one;
  FileConfig& file = one.config.config.files[0];
  file.name.value = "f_{date}.nc";
  expect_only_error(one.plan().findings, file.name.where, "{date} needs the date of model time 0");
  EXPECT_FALSE(checked(one.config).has_errors());  // the model may give one

  for (RankDescription& rank : one.model.model.ranks) {
    rank.calendar = "noleap";
    rank.epoch = "2000-01-01";
  }
  EXPECT_FALSE(one.plan().findings.has_errors());

  file.write_time_frequency.seconds = 2.5;
  expect_only_error(one.plan().findings, file.name.where, "needs a write_time_frequency of whole seconds");
}

TEST(Months, need_an_epoch) {
  Case one;
  FileConfig& file = one.config.config.files[0];
  file.write_time_frequency = {0, 3, one.config.place()};
  FileIncludeConfig& include = file.includes[0];
  include.time_manipulation = one.config.text("averaged");
  include.output_frequency = Duration{0, 1, one.config.place()};
  const Findings findings = one.plan().findings;
  expect_finding(findings, Severity::error, file.write_time_frequency.where,
                 "write_time_frequency in months needs the date of model time 0: <time epoch=");
  expect_finding(findings, Severity::error, include.output_frequency->where, "output_frequency in months");
  const Findings without_model = checked(one.config);  // the model may give one
  EXPECT_FALSE(without_model.has_errors());
  expect_finding(without_model, Severity::note, file.write_time_frequency.where, "pileus_calendar");

  for (RankDescription& rank : one.model.model.ranks) {
    rank.calendar = "noleap";
    rank.epoch = "2000-02-05";
  }
  const Planned planned = one.plan();
  EXPECT_FALSE(planned.findings.has_errors());
  const Date epoch = {2000, 2, 5};
  EXPECT_EQ(planned.plan.files.at(0).write_frequency, Frequency(3, Calendar::noleap, epoch));
  EXPECT_EQ(planned.plan.schedules.at(0).output_frequency, Frequency(1, Calendar::noleap, epoch));
}

TEST(FileNames, of_one_file_may_not_be_that_of_a_period_of_another) {
  const std::map<std::string, bool> names = {{"f_100.nc", true},      {"f_2000-01-01T00.nc", true},
                                             {"f_100", true},         {"f_high.nc", false},
                                             {"f_step_10.nc", false}, {"f_.nc", false}};
  for (const auto& [name, is_refused] : names) {
    Case one;
    one.config.config.files[0].name.value = "f.nc";
    one.config.file(name).include("w");
    FileConfig& whole = one.config.config.files[1];
    whole.write_time_frequency = {};
    whole.write_on_terminate = true;

    const std::string said = one.plan().findings.text();

    EXPECT_EQ(said.find("the same names on the disk") != std::string::npos, is_refused)
        << name << ": " << said;
  }
}

TEST(FileNames, that_would_be_the_same_for_some_period_are_refused) {
  Case one;
  one.config.config.files[0].name.value = "f_{index}.nc";
  one.config.file("f").include("w");

  expect_only_error(one.plan().findings, one.config.config.files[1].name.where,
                    "would have the same names on the disk");
}

}  // namespace
}  // namespace pileus::planning_test
