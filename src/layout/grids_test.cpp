// What files hold and say because their variables lie on a grid.

#include "layout/grids.h"

#include "layout/config_wants.h"
#include "layout/test_config.h"

namespace pileus::planning_test {
namespace {

/// Fields of the grids t and u, which have the same dimensions, one without a grid, and the fields that
/// describe grid t in full and grid u by its coordinates.
struct Case {
  ConfigBuilder config;
  ModelBuilder model;

  explicit Case(std::size_t ranks = 2) : model(ranks) {
    model.dimension("corner", 4).dimension("z", 3).dimension("x", 6).dimension("y", 4);
    config.group("state");
    add("theta", {"z", "x", "y"}).grid = config.text("t");
    add("salt", {"z", "x", "y"}).grid = config.text("t");
    add("u", {"z", "x", "y"}).grid = config.text("u");
    add("rain", {"x", "y"});
    config.group("constants", 0);
    for (const char* name : {"lat", "lon", "lat_u", "lon_u", "area"}) add(name, {"x", "y"}).is_static = true;
    for (const char* name : {"lat_c", "lon_c"}) add(name, {"corner", "x", "y"}).is_static = true;
    add("land", {"x", "y"}, ElementType::int32).is_static = true;
    grid("t", "lat", "lon");
    t().latitude_bounds = config.text("lat_c");
    t().longitude_bounds = config.text("lon_c");
    t().area = config.text("area");
    t().mask = config.text("land");
    grid("u", "lat_u", "lon_u");
    config.file("f.nc");
  }

  GridConfig& t() { return config.config.grids[0]; }
  FieldConfig& field(const std::string& name) {
    for (DataGroupConfig& group : config.config.data_groups) {
      for (FieldConfig& one : group.fields)
        if (one.name.value == name) return one;
    }
    throw std::runtime_error("no field " + name);
  }
  void expression(const std::string& name, const std::string& text) {
    config.diagnostic(name).expression = config.text(text);
  }
  void mean(const std::string& name, const std::string& of, const std::string& dimensions) {
    config.diagnostic(name);
    config.localreduce("mean", of, name + "_here", dimensions);
    config.reduction("mean", name + "_here", name);
  }
  Planned plan(ServerRank servers = 1) const { return plan_of(config, model, servers); }

 private:
  FieldConfig& add(const std::string& name, const std::vector<std::string>& dimensions,
                   ElementType type = ElementType::float64) {
    model.distributed(name, dimensions, type);
    std::string size;
    for (const std::string& one : dimensions) size += (size.empty() ? "" : ",") + one;
    return config.field(name, size, true);
  }
  void grid(const std::string& name, const std::string& latitude, const std::string& longitude) {
    GridConfig grid;
    grid.name = config.text(name);
    grid.dimensions = {config.text("y"), config.text("x")};
    grid.latitude = config.text(latitude);
    grid.longitude = config.text(longitude);
    config.config.grids.push_back(std::move(grid));
  }
};

std::vector<std::string> statics(const Plan& plan, std::size_t file = 0) {
  std::vector<std::string> all;
  for (const Variable& variable : plan.statics)
    if (variable.file.index == file) all.push_back(variable.name);
  return all;
}

/// An attribute of a variable, static or not.
std::string of(const Plan& plan, const std::string& variable, const std::string& name) {
  for (const auto* all : {&plan.variables, &plan.statics}) {
    for (const Variable& one : *all)
      if (one.name == variable) return attribute(one.attributes, name);
  }
  return "no variable " + variable;
}

using Names = std::vector<std::string>;
const Names kPartsOfT = {"lat", "lon", "lat_c", "lon_c", "area", "land"};

TEST(Grids, bring_what_describes_them_into_each_file_with_something_on_them) {
  Case one;
  one.config.include("theta");
  one.config.include("salt", "averaged");
  one.config.file("g.nc").include("rain");

  const Planned planned = one.plan();

  ASSERT_EQ(planned.findings.text(), "");
  EXPECT_EQ(statics(planned.plan), kPartsOfT);
  EXPECT_EQ(statics(planned.plan, 1), Names());
  for (const char* name : {"theta", "salt"}) {
    EXPECT_EQ(of(planned.plan, name, "coordinates"), "lat lon");
    EXPECT_EQ(of(planned.plan, name, "cell_measures"), "area: area");
  }
  EXPECT_EQ(of(planned.plan, "salt", "cell_methods"), "time_averaged_10: mean");
  EXPECT_EQ(of(planned.plan, "rain", "coordinates"), "(none)");
}

TEST(Grids, give_no_coordinates_to_areas_along_one_dimension) {
  ConfigBuilder config;
  ModelBuilder model(2);
  model.dimension("cell", 6);
  config.group("state");
  for (const char* name : {"theta", "lat", "lon", "area"}) {
    model.distributed(name, {"cell"});
    config.field(name, "cell", true).is_static = std::string(name) != "theta";
  }
  GridConfig mesh;
  mesh.name = config.text("mesh");
  mesh.dimensions = {config.text("cell")};
  mesh.latitude = config.text("lat");
  mesh.longitude = config.text("lon");
  mesh.area = config.text("area");
  config.config.grids.push_back(mesh);
  config.config.data_groups.back().fields.front().grid = config.text("mesh");
  config.file("f.nc").include("theta");

  const Planned planned = plan_of(config, model, 1);

  ASSERT_EQ(planned.findings.text(), "");
  EXPECT_EQ(of(planned.plan, "theta", "coordinates"), "lat lon");
  EXPECT_EQ(of(planned.plan, "theta", "cell_measures"), "area: area");
  EXPECT_EQ(of(planned.plan, "area", "coordinates"), "(none)");
}

TEST(Grids, make_coordinates_what_CF_knows_as_such) {
  Case one;
  one.field("lon").metadata.standard_name = one.config.text("grid_longitude");
  one.field("lat").metadata.units = one.config.text("degrees");
  one.field("lat_c").metadata.units = one.config.text("degrees");
  one.config.include("theta");

  const Plan plan = one.plan().plan;

  EXPECT_EQ(of(plan, "lat", "standard_name"), "latitude");
  EXPECT_EQ(of(plan, "lat", "units"), "degrees");
  EXPECT_EQ(of(plan, "lat", "bounds"), "lat_c");
  EXPECT_EQ(of(plan, "lat", "coordinates"), "(none)");
  EXPECT_EQ(of(plan, "lon", "standard_name"), "grid_longitude");
  EXPECT_EQ(of(plan, "lon", "units"), "degrees_east");
  EXPECT_EQ(of(plan, "area", "standard_name"), "cell_area");
  EXPECT_EQ(of(plan, "area", "units"), "m2");
  EXPECT_EQ(of(plan, "area", "coordinates"), "lat lon");
  EXPECT_EQ(of(plan, "area", "cell_measures"), "(none)");
  EXPECT_EQ(of(plan, "land", "coordinates"), "lat lon");
  for (const Variable& variable : plan.statics) {
    if (variable.name == "lat_c" || variable.name == "lon_c") {
      EXPECT_TRUE(variable.attributes.empty());
    }
  }
}

TEST(Grids, with_the_same_dimensions_are_told_apart_by_their_fields) {
  Case one;
  one.config.include("theta");
  one.config.include("u");

  const Planned planned = one.plan();

  ASSERT_EQ(planned.findings.text(), "");
  Names all = kPartsOfT;
  all.insert(all.end(), {"lat_u", "lon_u"});
  EXPECT_EQ(statics(planned.plan), all);
  EXPECT_EQ(of(planned.plan, "theta", "coordinates"), "lat lon");
  EXPECT_EQ(of(planned.plan, "u", "coordinates"), "lat_u lon_u");
  EXPECT_EQ(of(planned.plan, "u", "cell_measures"), "(none)");
}

TEST(Grids, have_what_is_made_of_their_fields_as_long_as_it_has_their_dimensions) {
  Case one;
  one.expression("density", "2*theta - 3*salt + rain");
  one.mean("column", "theta", "z");
  one.mean("profile", "theta", "x,y");
  one.mean("rows", "theta", "x");
  one.expression("anomaly", "theta - mean[x,y](theta)");
  for (const char* name : {"density", "column", "profile", "rows", "anomaly"}) one.config.include(name);

  const Planned planned = one.plan();

  ASSERT_FALSE(planned.findings.has_errors()) << planned.findings.text();
  for (const char* name : {"density", "column", "anomaly"})
    EXPECT_EQ(of(planned.plan, name, "coordinates"), "lat lon") << name;
  for (const char* name : {"profile", "rows"})
    EXPECT_EQ(of(planned.plan, name, "coordinates"), "(none)") << name;
}

TEST(Grids, do_not_have_what_is_made_of_fields_of_two) {
  Case one;
  one.expression("both", "theta*u");
  one.expression("other", "theta*mean[z,x,y](u)");
  one.expression("of_both", "both + theta");
  for (const char* name : {"both", "other", "of_both"}) one.config.include(name);

  const Planned planned = one.plan();

  ASSERT_FALSE(planned.findings.has_errors()) << planned.findings.text();
  EXPECT_EQ(of(planned.plan, "both", "coordinates"), "(none)");
  EXPECT_EQ(of(planned.plan, "of_both", "coordinates"), "(none)");
  EXPECT_EQ(of(planned.plan, "other", "coordinates"), "lat lon");
  EXPECT_EQ(statics(planned.plan), kPartsOfT);
}

TEST(Grids, add_nothing_where_only_reduced_values_are_written) {
  Case one;
  one.mean("profile", "theta", "x,y");
  one.config.include("profile");

  const Plan plan = one.plan().plan;

  EXPECT_EQ(statics(plan), Names());
  for (const PlannedField& field : plan.fields) EXPECT_EQ(field.name, "theta");
}

TEST(Grids, give_way_to_what_the_configuration_says_itself) {
  Case one;
  one.config.include("lat").name = one.config.text("latitude");
  one.config.include("area", "none");
  FileIncludeConfig& include = one.config.include("theta");
  include.attributes.push_back({one.config.text("cell_measures"), one.config.text("area: other")});
  one.config.include("salt");

  const Planned planned = one.plan();

  ASSERT_FALSE(planned.findings.has_errors()) << planned.findings.text();
  EXPECT_EQ(statics(planned.plan), (Names{"latitude", "area", "lon", "lat_c", "lon_c", "land"}));
  EXPECT_EQ(of(planned.plan, "theta", "coordinates"), "latitude lon");
  EXPECT_EQ(of(planned.plan, "theta", "cell_measures"), "area: other");
  EXPECT_EQ(of(planned.plan, "salt", "cell_measures"), "area: area");
  EXPECT_EQ(of(planned.plan, "latitude", "units"), "degrees_north");
}

TEST(Grids, do_not_depend_on_the_layout) {
  const auto said = [](std::size_t ranks, ServerRank servers) {
    Case one(ranks);
    one.expression("density", "2*theta - salt");
    one.mean("profile", "theta", "x,y");
    one.mean("column", "theta", "z");
    one.expression("anomaly", "theta - mean[x,y](theta)");
    for (const char* name : {"u", "density", "column", "anomaly", "profile"})
      one.config.include(name, "averaged");
    std::string text;
    const Planned planned = one.plan(servers);
    EXPECT_FALSE(planned.findings.has_errors()) << planned.findings.text();
    for (const auto* all : {&planned.plan.variables, &planned.plan.statics}) {
      for (const Variable& variable : *all) {
        text += variable.name;
        for (const Attribute& one : variable.attributes)
          text += " " + one.name + "=" + attribute(variable.attributes, one.name);
        text += "\n";
      }
    }
    return text;
  };

  const std::string alone = said(1, 1);

  EXPECT_NE(alone.find("column long_name=column cell_methods=time: mean coordinates=lat lon"), alone.npos)
      << alone;
  EXPECT_EQ(said(2, 1), alone);
  EXPECT_EQ(said(4, 3), alone);
}

TEST(Grids, keep_their_precision_where_values_lose_some) {
  Case one;
  FileConfig& file = one.config.config.files[0];
  file.storage.precision = one.config.text("float");
  file.storage.significant_bits = 8;
  for (const char* name : {"z", "y", "x"}) file.storage.order.push_back(one.config.text(name));
  one.config.include("theta");

  const Planned planned = one.plan();

  ASSERT_EQ(planned.findings.text(), "");
  EXPECT_EQ(planned.plan.variables[0].type, ElementType::float32);
  for (const Variable& variable : planned.plan.statics) {
    const ElementType type = variable.name == "land" ? ElementType::int32 : ElementType::float64;
    EXPECT_EQ(variable.type, type) << variable.name;
    EXPECT_EQ(variable.storage.significant_bits, 0) << variable.name;
    const bool is_bounds = variable.name.ends_with("_c");
    EXPECT_EQ(variable.dimensions.size(), is_bounds ? 3U : 2U);
    EXPECT_EQ(planned.plan[variable.dimensions.front()].name, is_bounds ? "corner" : "x");
  }
}

TEST(Grids, lack_what_the_model_may_do_without) {
  Case one;
  one.field("area").is_optional = true;
  for (RankDescription& rank : one.model.model.ranks)
    std::erase_if(rank.fields, [](const ModelField& field) { return field.name == "area"; });
  one.config.include("theta");

  const Planned planned = one.plan();

  EXPECT_FALSE(planned.findings.has_errors()) << planned.findings.text();
  EXPECT_EQ(of(planned.plan, "theta", "coordinates"), "lat lon");
  EXPECT_EQ(of(planned.plan, "theta", "cell_measures"), "(none)");
}

TEST(Grids, are_wanted_of_the_model) {
  Case one;
  one.config.include("theta");
  Findings findings;

  const Wants wants = config_wants(one.config.config, findings);

  for (const WantedField& field : wants.fields) {
    const bool is_wanted =
        field.name == "theta" || std::ranges::find(kPartsOfT, field.name) != kPartsOfT.end();
    EXPECT_EQ(!field.outputs.empty(), is_wanted) << field.name;
  }
}

/// A case with one mistake, which a check without a model finds as well.
void expect_refused(Case& one, const Location& where, const std::string& part) {
  one.config.include("theta");
  one.config.include("u");
  expect_only_error(checked(one.config), where, part);
  expect_only_error(one.plan().findings, where, part);
}

TEST(Grids, of_unknown_fields_are_errors) {
  Case one;
  one.t().latitude.value = "lta";
  expect_refused(one, one.t().latitude.where, "grid \"t\": no field \"lta\"; did you mean \"lat\"?");
}

TEST(Grids, of_diagnostics_are_errors) {
  Case one;
  one.expression("twice", "2*lat");
  one.t().latitude.value = "twice";
  expect_refused(one, one.t().latitude.where, "\"twice\" is a diagnostic; grids take fields of the model");
}

TEST(Grids, that_are_unknown_are_errors_of_their_field) {
  Case one;
  one.field("theta").grid.value = "tt";
  expect_refused(one, one.field("theta").grid.where, "field \"theta\": no grid \"tt\"; did you mean \"t\"?");
}

TEST(Grids, of_other_dimensions_are_errors) {
  Case one;
  one.t().area.value = "rain";
  one.field("rain").is_static = true;
  one.t().dimensions[1].value = "z";
  one.config.include("theta");

  const Findings findings = one.plan().findings;

  expect_finding(findings, Severity::error, one.t().latitude.where,
                 "grid \"t\": its latitude \"lat\" has the dimensions \"x,y\", not \"y,z\"");
  EXPECT_EQ(checked(one.config).text().find("no error"), std::string::npos);
}

TEST(Grids, with_bounds_that_have_no_corners_are_errors) {
  Case one;
  one.t().latitude_bounds.value = "rain";
  one.field("rain").is_static = true;
  expect_refused(one, one.t().latitude_bounds.where,
                 "its latitude_bounds \"rain\" has the dimensions \"x,y\", not one for the corners of a cell "
                 "and after it those of the grid, \"y,x\"");
}

TEST(Grids, whose_mask_is_no_whole_number_are_errors) {
  Case one;
  one.t().mask.value = "rain";
  one.field("rain").is_static = true;
  one.field("rain").data_type = one.config.text("double");
  expect_refused(one, one.t().mask.where, "its mask \"rain\" holds double numbers");
}

TEST(Grids, that_lack_a_dimension_of_theirs_are_errors_of_the_field) {
  Case one;
  one.t().dimensions.push_back(one.config.text("k"));
  one.t().latitude = one.t().longitude = one.t().latitude_bounds = one.t().longitude_bounds = Text{};
  one.t().mask = one.t().area = Text{};
  one.field("salt").grid = Text{};
  expect_refused(one, one.field("theta").grid.where,
                 "field \"theta\" has the dimensions \"z,x,y\", and its grid \"t\" has \"k\" too");
}

TEST(Grids, that_change_with_time_are_errors_and_the_model_may_say_that_they_do_not) {
  Case one;
  one.field("lon").is_static = false;
  one.config.include("theta");

  expect_only_error(
      one.plan().findings, one.t().longitude.where,
      "grid \"t\": its longitude \"lon\" may change with time: say static=\"true\" at the field");
  const Findings findings = checked(one.config);
  EXPECT_FALSE(findings.has_errors()) << findings.text();
  expect_finding(findings, Severity::note, one.t().longitude.where,
                 "so the model has to say that it never changes");
}

TEST(Grids, that_nobody_uses_are_noted) {
  Case one;
  one.field("u").grid = Text{};
  one.config.include("theta");

  expect_finding(checked(one.config), Severity::note, one.config.config.grids[1].name.where,
                 "grid \"u\" is not used: no field has grid=\"u\"");
}

TEST(Grids, are_known_behind_what_is_written_later) {
  Case one;
  one.expression("bands", "zonal(warm, edges=-90:90:60)");
  one.expression("warm", "theta + 1");
  one.config.include("bands");

  EXPECT_EQ(one.plan().findings.text(), "");
}

TEST(Grids, make_bins_by_their_coordinates_latitudes_and_longitudes) {
  Case one;
  one.expression("a", "mean[y,x](theta, by=lat, edges=-90:90:60)");
  one.expression("b", "zonal(theta, edges=-90:90:60)");
  one.expression("c", "mean[y,x](theta, by=lon, edges=0:360:60)");
  for (const char* name : {"a", "b", "c"}) one.config.include(name, "averaged");
  const Planned planned = one.plan();

  EXPECT_EQ(planned.findings.text(), "");
  const auto bins = [&](const char* name) {
    const PlannedDimension& made = planned.plan[value_of(planned.plan, name).dimensions.back()];
    return made.name + " " + made.standard_name + " " + made.units;
  };
  EXPECT_EQ(bins("a"), "lat_bin_3 latitude degrees_north");
  EXPECT_EQ(bins("b"), "lat_bin_3 latitude degrees_north");
  EXPECT_EQ(bins("c"), "lon_bin_6 longitude degrees_east");
}

}  // namespace
}  // namespace pileus::planning_test
