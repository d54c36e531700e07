// Reductions in bins: the dimension that they make, what shares it, and what is refused.

#include "layout/test_config.h"

namespace pileus {
namespace {

using namespace planning_test;

struct Case {
  ConfigBuilder config;
  ModelBuilder model{2};

  Case() {
    model.dimension("z", 3).dimension("y", 4).dimension("x", 6);
    model.distributed("w", {"z", "y", "x"}).distributed("lat", {"y", "x"}).field("levels", {"z"});
    config.group("raw");
    config.field("w", "z,y,x", true);
    config.field("levels", "z").parts = config.text("same");
    FieldConfig& lat = config.field("lat", "y,x", true);
    lat.metadata.units.value = "degrees_north";
    lat.metadata.standard_name.value = "latitude";
    config.file("f.nc");
  }
  void write(const std::string& name, const std::string& expression) {
    config.diagnostic(name).expression = config.text(expression);
    config.include(name, "averaged");
  }
  Planned plan() const { return plan_of(config, model); }
};

std::string dimensions(const Plan& plan, const std::string& name) {
  std::string text;
  for (const DimensionId id : value_of(plan, name).dimensions) text += plan[id].name + " ";
  return text;
}

TEST(Bins, are_the_last_dimension_of_the_result_with_coordinates_and_bounds) {
  Case one;
  one.write("d", "mean[y,x](w, by=lat, edges=-90:90:60)");
  const Planned planned = one.plan();
  EXPECT_EQ(planned.findings.text(), "");
  const Plan& plan = planned.plan;

  EXPECT_EQ(dimensions(plan, "d"), "z lat_bin_3 ");
  const PlannedDimension& bins = plan[value_of(plan, "d").dimensions[1]];
  EXPECT_EQ(bins.size, 3);
  EXPECT_EQ(bins.coordinates, (std::vector<double>{-60, 0, 60}));
  EXPECT_EQ(bins.bounds, (std::vector<double>{-90, -30, -30, 30, 30, 90}));
  EXPECT_EQ(bins.units, "degrees_north");
  EXPECT_EQ(bins.standard_name, "latitude");
  EXPECT_TRUE(value_of(plan, "d").missing);
}

TEST(Bins, with_other_edges_have_another_name) {
  Case one;
  one.write("a", "mean[y,x](w, by=lat, edges=0:2:1)");
  one.write("b", "sum[z,y,x](w, by=lat, edges=[0, 1, 2] | w > 0)");
  one.write("c", "max[y,x](w, by=lat, edges=[0, 1, 3])");
  one.write("e", "count(w, by=lat*2, edges=[0, 1])");
  const Planned planned = one.plan();
  EXPECT_EQ(planned.findings.text(), "");
  EXPECT_EQ(dimensions(planned.plan, "a"), "z lat_bin_2 ");
  EXPECT_EQ(dimensions(planned.plan, "b"), "lat_bin_2 ");
  EXPECT_EQ(dimensions(planned.plan, "c"), "z lat_bin_2_2 ");
  EXPECT_EQ(dimensions(planned.plan, "e"), "computed_bin_1 ");
}

TEST(Bins, of_rules_are_those_of_expressions) {
  Case one;
  one.config.diagnostic("d");
  RuleConfig& rule = one.config.localreduce("mean", "w", "here", "y,x");
  rule.parameters["by"] = one.config.text("lat");
  rule.parameters["edges"] = one.config.text("0:2:1");
  one.config.reduction("mean", "here", "d");
  one.config.include("d", "averaged");
  one.write("e", "mean[y,x](w, by=lat, edges=0:2:1)");
  const Planned planned = one.plan();
  EXPECT_EQ(planned.findings.text(), "");
  EXPECT_EQ(value_of(planned.plan, "d").rule, value_of(planned.plan, "e").rule);
}

TEST(Bins, are_never_the_mean_of_a_sum_that_is_divided) {
  Case one;
  one.write("d", "sum[y,x](w, by=lat, edges=0:2:1)/24");
  const Plan plan = one.plan().plan;
  for (const Rule& rule : plan.rules) {
    const auto* reduce = std::get_if<LocalReduce>(&rule.action);
    EXPECT_TRUE(reduce == nullptr || reduce->reduction == Reduction::sum);
  }
}

TEST(Bins, that_a_value_has_already_are_refused) {
  Case one;
  one.write("d", "sum[y](sum[x](w, by=levels, edges=0:2:1), by=levels, edges=0:2:1)");
  EXPECT_NE(one.plan().findings.text().find("has bins by the same edges already"), std::string::npos)
      << one.plan().findings.text();
}

TEST(Bins, of_more_than_a_server_holds_are_refused) {
  Case one;
  one.write("d", "sum[x](w, by=lat, edges=0:16384:1)");  // 3 x 4 x 16384 values fit
  EXPECT_EQ(one.plan().findings.text(), "");
  Case other;
  other.model.dimension("t", 1000);
  other.model.distributed("large", {"t", "y", "x"});
  other.config.config.data_groups.back().fields.push_back(
      other.config.config.data_groups.back().fields.front());
  FieldConfig& large = other.config.config.data_groups.back().fields.back();
  large.name = other.config.text("large");
  large.size = {other.config.text("t"), other.config.text("y"), other.config.text("x")};
  other.write("d", "sum[y,x](large, by=lat, edges=0:1000:1)");
  EXPECT_NE(other.plan().findings.text().find("makes more than 262144 values"), std::string::npos)
      << other.plan().findings.text();
}

TEST(Bins, leave_averages_as_exact_wherever_values_lie) {
  for (const Index first : {3, 1}) {  // on rank 0, of three levels: the second layout divides them
    Case one;
    one.config.config.data_groups.back().fields.back().is_static = true;  // lat
    one.model.registered(0, "w").region = {{0, 0, 0}, {first, 4, 6}};
    one.model.registered(1, "w").region = {{first % 3, 0, 0}, {3 - first, 4, 6}};
    one.write("d", "mean[y,x](mean[z](w, weight=lat*lat), weight=lat)");
    one.write("e", "mean[y,x](mean[z](w), by=lat, edges=0:2:1)");
    const Planned planned = one.plan();
    EXPECT_EQ(planned.findings.text(), "");
    for (const Variable& variable : planned.plan.variables) EXPECT_TRUE(variable.is_exact) << variable.name;
  }
}

TEST(Bins, by_what_has_other_dimensions_are_refused) {
  Case one;
  one.write("d", "mean[y,x](lat, by=w, edges=0:2:1)");
  EXPECT_NE(one.plan().findings.text().find("field \"w\" has a dimension that field \"lat\" lacks"),
            std::string::npos);
}

TEST(Bins, with_wrong_edges_are_refused) {
  Case one;
  one.write("d", "mean[y,x](w, by=lat, edges=[0, 2, 1])");
  EXPECT_NE(one.plan().findings.text().find("edges: edges rise, and this one is not above"),
            std::string::npos)
      << one.plan().findings.text();
}

}  // namespace
}  // namespace pileus
