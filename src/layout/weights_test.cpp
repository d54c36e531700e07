// Reductions with weights: what becomes one rule, units, what CF calls them, and what is refused.

#include "layout/test_config.h"
#include "rules/graph.h"

namespace pileus {
namespace {

using namespace planning_test;

struct Case {
  ConfigBuilder config;
  ModelBuilder model{2};

  Case() {
    model.dimension("z", 3).dimension("y", 4).dimension("x", 6);
    for (const char* name : {"w", "h"}) model.distributed(name, {"z", "y", "x"});
    for (const char* name : {"area", "p"}) model.distributed(name, {"y", "x"});
    model.field("levels", {"z"});
    config.group("raw");
    config.field("w", "z,y,x", true).metadata.units.value = "m s-1";
    config.field("h", "z,y,x", true).metadata.units.value = "m";
    config.field("p", "y,x", true);
    config.field("levels", "z").parts = config.text("same");
    config.group("constants", 0);
    FieldConfig& area = config.field("area", "y,x", true);
    area.is_static = true;
    area.metadata.units.value = "m2";
    config.file("f.nc");
  }
  void write(const std::string& name, const std::string& expression) {
    config.diagnostic(name).expression = config.text(expression);
    config.include(name, "averaged");
  }
  Planned plan() const { return plan_of(config, model); }
};

const Variable& variable(const Plan& plan, const std::string& name) {
  for (const Variable& one : plan.variables)
    if (one.name == name) return one;
  throw std::runtime_error("no variable " + name);
}
std::string methods(const Plan& plan, const std::string& name) {
  return attribute(variable(plan, name).attributes, "cell_methods");
}
std::string units(const Plan& plan, const std::string& name) {
  return attribute(variable(plan, name).attributes, "units");
}

void expect_error(const Case& one, const std::string& part) {
  const Findings findings = one.plan().findings;
  const auto is_it = [&](const Finding& finding) {
    return finding.severity == Severity::error && finding.what.find(part) != std::string::npos;
  };
  EXPECT_EQ(std::ranges::count_if(findings.all(), is_it), 1) << findings.text();
}

TEST(Weights, are_the_last_input_of_one_rule) {
  Case one;
  one.write("m", "mean[y,x](w, weight=area)");
  one.write("same", "mean[x,y](w,weight=area)");
  const Plan plan = one.plan().plan;

  std::size_t reductions = 0;
  for (const Rule& rule : plan.rules) {
    const auto* reduce = std::get_if<LocalReduce>(&rule.action);
    if (reduce == nullptr) continue;
    ++reductions;
    EXPECT_EQ(reduce->reduction, Reduction::weighted_mean);
    ASSERT_EQ(rule.inputs.size(), 2U);
    EXPECT_EQ(plan[plan[rule.inputs[0]].field].name, "w");
    EXPECT_EQ(plan[plan[rule.inputs[1]].field].name, "area");
    EXPECT_EQ(plan[rule.output].form, Form::partials);
    EXPECT_TRUE(plan[rule.output].missing);  // they may be zero together
  }
  EXPECT_EQ(reductions, 1U);
}

TEST(Weights, units_are_those_of_what_they_make) {
  Case one;
  one.write("mean_w", "mean[y,x](w, weight=area)");
  one.write("total", "sum[y,x](w, weight=area)");
  one.write("variance", "var[y,x](w, weight=area)");
  one.write("deviation", "std[y,x](w, weight=area)");
  one.write("flux", "cov[y,x](w, h, weight=area)");
  one.write("extent", "sum[y,x](w > 0, weight=area)");
  one.write("share", "mean[y,x](w > 0, weight=area)");
  const Plan plan = one.plan().plan;

  EXPECT_EQ(units(plan, "mean_w"), "m s-1");
  EXPECT_EQ(units(plan, "total"), "(m s-1) (m2)");
  EXPECT_EQ(units(plan, "variance"), "(m s-1)2");
  EXPECT_EQ(units(plan, "deviation"), "m s-1");
  EXPECT_EQ(units(plan, "flux"), "(m s-1) (m)");
  EXPECT_EQ(units(plan, "extent"), "m2");
  EXPECT_EQ(units(plan, "share"), "1");
}

TEST(Weights, are_named_unless_they_are_the_areas_of_the_grid) {
  for (const bool has_grid : {false, true}) {
    Case one;
    if (has_grid) {
      GridConfig grid;
      grid.name = one.config.text("t");
      grid.dimensions = {one.config.text("y"), one.config.text("x")};
      grid.latitude = grid.longitude = one.config.text("p");
      grid.area = one.config.text("area");
      one.config.config.grids.push_back(grid);
      for (FieldConfig& field : one.config.config.data_groups[0].fields) {
        if (field.name.value == "w") field.grid = one.config.text("t");
        if (field.name.value == "p") field.is_static = true;
      }
    }
    one.write("by_area", "mean[y,x](w, weight=area)");
    one.write("by_height", "mean[y,x](w, weight=h)");
    one.write("by_both", "mean[z,y,x](w, weight=h*area | w > 0)");
    one.write("alike", "mean[y,x](w)");
    one.write("of_mean", "mean[y,x](mean[z](w))");
    one.write("total", "sum[y,x](w, weight=area)");
    one.write("share", "mean[y,x](w > 0, weight=area)");
    one.write("largest", "max[y,x](w)");
    const Plan plan = one.plan().plan;

    EXPECT_EQ(methods(plan, "by_area"),
              has_grid ? "area: mean time: mean" : "area: mean (weighted by area) time: mean");
    EXPECT_EQ(methods(plan, "by_height"), "area: mean (weighted by h) time: mean");
    EXPECT_EQ(methods(plan, "by_both"),
              "area: mean (over z, weighted by an expression, where a condition holds) time: mean");
    EXPECT_EQ(methods(plan, "alike"), has_grid ? "time: mean" : "area: mean time: mean");
    EXPECT_EQ(methods(plan, "of_mean"), has_grid ? "time: mean" : "area: mean time: mean");
    EXPECT_EQ(methods(plan, "total"), "area: sum (weighted by area) time: mean");
    EXPECT_EQ(methods(plan, "share"), methods(plan, "by_area"));
    EXPECT_EQ(methods(plan, "largest"), "area: maximum time: mean");
  }
}

TEST(Weights, that_vary_have_their_means_rounded_in_each_step) {
  Case one;
  one.write("fixed", "mean[y,x](w, weight=area)");
  one.write("fixed_too", "var[y,x](w, weight=2*area)");
  one.write("varying", "mean[y,x](w, weight=h)");
  one.write("masked", "mean[y,x](w, weight=area | w > 0)");
  one.write("conditional", "mean[y,x](w | w > 0)");
  one.write("sums", "sum[y,x](w, weight=h | w > 0)");
  one.write("of_sums", "mean[z](sum[y,x](w, weight=area))");
  const Plan plan = one.plan().plan;

  for (const char* name : {"fixed", "fixed_too", "sums", "of_sums"})
    EXPECT_TRUE(variable(plan, name).is_exact) << name;
  for (const char* name : {"varying", "masked", "conditional"})
    EXPECT_FALSE(variable(plan, name).is_exact) << name;
}

TEST(Weights, of_rules_are_named_by_an_attribute) {
  Case one;
  one.config.diagnostic("d");
  RuleConfig& rule = one.config.localreduce("mean", "w", "here", "y,x");
  rule.parameters["weight"] = one.config.text("area");
  one.config.reduction("mean", "here", "d");
  one.config.include("d", "averaged");
  one.write("e", "mean[y,x](w, weight=area)");
  const Plan plan = one.plan().plan;

  EXPECT_EQ(variable(plan, "d").value, variable(plan, "e").value);
}

TEST(Weights, with_a_dimension_that_the_value_lacks_are_refused) {
  Case one;
  one.write("d", "mean[y,x](p, weight=h)");
  expect_error(one,
               "field \"h\" has a dimension that field \"p\" lacks: a value has all dimensions of its "
               "weights");
}

TEST(Weights, in_parts_of_what_is_whole_are_refused) {
  Case one;
  one.write("d", "mean[z](levels, weight=w)");
  expect_error(one, "lacks");
}

TEST(Weights, meet_values_that_are_whole_on_all_ranks) {
  Case one;
  one.write("d", "mean[y,x](mean[z](w), weight=area)");
  EXPECT_EQ(one.plan().findings.text(), "");
  for (Index z = 1; z < 3; ++z) {
    // Ranks divide z, of which the mean goes to all of them.
    one.model.registered(0, "w").region = {{0, 0, 0}, {z, 4, 6}};
    one.model.registered(1, "w").region = {{z, 0, 0}, {3 - z, 4, 6}};
    EXPECT_EQ(one.plan().findings.text(), "") << z;
    EXPECT_EQ(methods(one.plan().plan, "d"), "area: mean (weighted by area) time: mean");
  }
}

TEST(Weights, that_vary_take_exactness_away_with_a_warning) {
  Case one;
  one.write("d", "mean[y,x](w, weight=h)");
  one.config.config.diagnostics.back().is_exact = true;
  const Planned planned = one.plan();
  EXPECT_NE(planned.findings.text().find("\"d\" is divided by another count or weight in each step"),
            std::string::npos);
  EXPECT_FALSE(variable(planned.plan, "d").is_exact);
}

TEST(Weights, of_a_reduction_of_pairs_need_both) {
  Case one;
  one.config.diagnostic("d");
  RuleConfig& rule = one.config.reduction("covariance", "w", "d");
  rule.parameters["weight"] = one.config.text("area");
  one.config.include("d", "averaged");
  expect_error(one, "reduction needs the attribute \"with\"");
}

TEST(Weights, of_extremes_are_refused) {
  Case one;
  one.config.diagnostic("d");
  RuleConfig& rule = one.config.localreduce("max", "w", "here", "y,x");
  rule.parameters["weight"] = one.config.text("area");
  one.config.reduction("max", "here", "d");
  one.config.include("d", "averaged");
  expect_error(one, "the operator \"max\" takes no weight");
}

}  // namespace
}  // namespace pileus
