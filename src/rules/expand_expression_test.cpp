// Expressions become the rules that a scientist would write out, in any layout of the ranks; what is wrong in
// them is said at its column.

#include <array>

#include "layout/test_config.h"

namespace pileus {
namespace {

using namespace planning_test;

ConfigBuilder with_fields() {
  ConfigBuilder config;
  config.group("raw");
  config.field("w", "z,y,x", true);
  config.field("theta", "z,y,x", true);
  config.field("p", "y,x", true);
  config.field("local", "?").parts = {"own", {}};
  config.field("profile", "z").parts = {"same", {}};
  return config;
}

/// On ranks along x: z and y are not divided.
ModelBuilder model(std::size_t ranks = 2) {
  ModelBuilder model(ranks);
  model.dimension("z", 3).dimension("y", 4).dimension("x", 12);
  model.distributed("w", {"z", "y", "x"}).distributed("theta", {"z", "y", "x"}).distributed("p", {"y", "x"});
  model.nameless("local", std::vector<Index>(ranks, 5)).field("profile", {"z"});
  return model;
}

/// On ranks along z.
ModelBuilder divided_along_z() {
  ModelBuilder model(3);
  model.dimension("y", 4).dimension("x", 12).dimension("z", 3);
  model.distributed("w", {"z", "y", "x"}).distributed("theta", {"z", "y", "x"}).distributed("p", {"y", "x"});
  for (Index rank = 0; rank < 3; ++rank) {
    for (const char* name : {"w", "theta"})
      model.registered(static_cast<std::size_t>(rank), name).region = {{rank, 0, 0}, {1, 4, 12}};
  }
  model.nameless("local", {5, 5, 5}).field("profile", {"z"});
  return model;
}

Location expression(ConfigBuilder& config, const std::string& name, const std::string& text) {
  DiagnosticConfig& diagnostic = config.diagnostic(name);
  diagnostic.expression = config.text(text);
  return diagnostic.expression.where;
}

void write(ConfigBuilder& config, const std::vector<std::string>& names) {
  config.file("f.nc");
  for (const std::string& name : names) config.include(name, "averaged");
}

ConfigBuilder with(const std::string& text) {
  ConfigBuilder config = with_fields();
  expression(config, "d", text);
  write(config, {"d"});
  return config;
}

/// The rules in a word each, in their order.
std::string words(const Plan& plan) {
  std::string text;
  for (const Rule& rule : plan.rules) {
    constexpr std::array kWords = {"localreduce", "arithmetic", "scale",    "apply",
                                   "locate",      "reduction",  "broadcast"};
    text += (text.empty() ? "" : " ") + std::string(kWords[rule.action.index()]);
  }
  return text;
}

Planned planned(const std::string& text, const ModelBuilder& of = model()) {
  Planned made = plan_of(with(text), of);
  EXPECT_EQ(made.findings.text(), "") << text;
  return made;
}

std::string dimensions(const Plan& plan, const std::string& variable) {
  std::string text;
  for (DimensionId id : value_of(plan, variable).dimensions) text += plan[id].name;
  return text;
}

TEST(Expressions, a_mean_over_dimensions_is_a_local_mean_and_a_reduction) {
  const Plan plan = planned("mean[y,x](w)").plan;

  EXPECT_EQ(words(plan), "localreduce reduction");
  EXPECT_EQ(dimensions(plan, "d"), "z");
  EXPECT_EQ(value_of(plan, "d").spread, Spread::rooted);
}

TEST(Expressions, without_dimensions_a_reduction_goes_over_all_of_them) {
  EXPECT_EQ(dimensions(planned("max(w)").plan, "d"), "");
  EXPECT_EQ(words(planned("sum(local)").plan), "localreduce reduction");
}

TEST(Expressions, the_mean_of_a_product_is_one_of_the_rules_that_are_written_out) {
  ConfigBuilder config = with_fields();
  expression(config, "a", "mean[y,x](w * theta)");
  config.diagnostic("b");
  config.arithmetic("theta*w", "flux");
  config.localreduce("mean", "flux", "local_flux", "x,y");
  config.reduction("mean", "local_flux", "b");
  write(config, {"a", "b"});

  const Planned made = plan_of(config, model());

  EXPECT_EQ(made.findings.text(), "");
  EXPECT_EQ(value_of(made.plan, "a").rule, value_of(made.plan, "b").rule);
}

TEST(Expressions, a_mean_is_a_sum_that_is_divided_by_the_number_of_values) {
  ConfigBuilder config = with_fields();
  expression(config, "a", "mean(local)");
  expression(config, "c", "mean[y,x](w)");
  config.diagnostic("b");
  config.localreduce("sum", "local", "local_sum");
  config.reduction("sum", "local_sum", "global_sum");
  config.arithmetic("global_sum/10", "b");
  config.diagnostic("e");
  config.localreduce("sum", "w", "w_local", "y,x");
  config.reduction("sum", "w_local", "w_sum");
  config.arithmetic("w_sum/(4*12)", "e");
  config.diagnostic("other");
  config.localreduce("sum", "w", "w_local", "y,x");
  config.reduction("sum", "w_local", "w_sum");
  config.arithmetic("w_sum/49", "other");
  write(config, {"a", "b", "c", "e", "other"});

  const Planned made = plan_of(config, model());

  EXPECT_EQ(made.findings.text(), "");
  EXPECT_EQ(value_of(made.plan, "a").rule, value_of(made.plan, "b").rule);
  EXPECT_EQ(value_of(made.plan, "c").rule, value_of(made.plan, "e").rule);
  EXPECT_NE(value_of(made.plan, "c").rule, value_of(made.plan, "other").rule);
}

TEST(Expressions, a_field_whose_parts_have_shapes_of_their_own_is_reduced_over_the_models_dimensions) {
  ModelBuilder two = model();
  for (std::size_t rank = 0; rank < 2; ++rank) {
    two.registered(rank, "local").dimensions = {"y", "x"};
    two.registered(rank, "local").region = {{0, 0}, {2, 3}};
  }
  EXPECT_EQ(words(planned("mean[y,x](local)", two).plan), "localreduce reduction");
  EXPECT_TRUE(plan_of(with("mean[x](local)"), two).findings.has_errors());
}

TEST(Expressions, what_the_ranks_hold_whole_is_reduced_there) {
  const Plan plan = planned("mean[y,x](any[z](w > 1))").plan;

  // any of the comparison in place, its numbers, the local mean, the reduction: nothing else travels.
  EXPECT_EQ(words(plan), "localreduce arithmetic localreduce reduction");
  EXPECT_EQ(value_of(plan, "d").spread, Spread::rooted);
  EXPECT_EQ(plan.trees.size(), 1U);
}

TEST(Expressions, what_is_divided_is_brought_together_first) {
  const Plan plan = planned("mean[y,x](any[z](w > 1))", divided_along_z()).plan;

  EXPECT_EQ(words(plan), "localreduce reduction arithmetic localreduce");
  EXPECT_EQ(value_of(plan, "d").spread, Spread::rooted);
}

TEST(Expressions, a_reduced_value_goes_to_where_the_others_are) {
  EXPECT_EQ(words(planned("w - mean[y,x](w)").plan), "localreduce reduction broadcast arithmetic");
  EXPECT_EQ(words(planned("p - max[z](w)").plan), "localreduce arithmetic arithmetic");
  EXPECT_EQ(words(planned("p - max[z](w)", divided_along_z()).plan),
            "localreduce reduction broadcast arithmetic");
  EXPECT_EQ(value_of(planned("p - max[z](w)").plan, "d").spread, Spread::distributed);
}

TEST(Expressions, reduced_values_meet_on_one_server) {
  const Plan plan = planned("mean[y,x](w * theta) - mean[y,x](w) * mean[y,x](theta)").plan;

  EXPECT_EQ(value_of(plan, "d").spread, Spread::rooted);
  EXPECT_EQ(plan.distributions.size(), 0U);
}

TEST(Expressions, what_is_the_same_everywhere_or_reduced_already_is_reduced_where_it_is) {
  EXPECT_EQ(words(planned("max(profile)").plan), "localreduce");
  EXPECT_EQ(value_of(planned("max(profile)").plan, "d").spread, Spread::same);
  EXPECT_EQ(words(planned("max[z](mean[y,x](w))").plan), "localreduce reduction arithmetic localreduce");
}

TEST(Expressions, a_condition_filters_what_is_reduced) {
  const Plan plan = planned("mean[y,x](w | theta > 1 and w > 0)").plan;

  EXPECT_EQ(words(plan), "localreduce reduction");
  EXPECT_TRUE(value_of(plan, "d").missing.has_value());
}

TEST(Expressions, units_and_cell_methods_follow_from_what_is_reduced) {
  const std::vector<std::array<const char*, 3>> cases = {
      {"mean[y,x](w)", "m s-1", "area: mean time: mean"},
      {"max(w)", "m s-1", "area: maximum (over z) time: mean"},
      {"sum[y,x](w | theta > 1)", "m s-1", "area: sum (where a condition holds) time: mean"},
      {"max(w | theta > 1)", "m s-1", "area: maximum (over z, where a condition holds) time: mean"},
      {"mean[y,x](w > 0)", "1", "area: mean time: mean"},
      {"count[y,x](w > 0 and not theta > 0)", "1", "time: mean"},
      {"any(w > 0)", "1", "time: mean"},
      {"mean[y,x](w * theta)", "(none)", "area: mean time: mean"}};
  for (const auto& [text, units, methods] : cases) {
    ConfigBuilder config = with(text);
    config.config.data_groups[0].fields[0].metadata.units = config.text("m s-1");

    const Planned made = plan_of(config, model());

    ASSERT_FALSE(made.findings.has_errors()) << made.findings.text();
    EXPECT_EQ(attribute(made.plan.variables[0].attributes, "units"), units) << text;
    EXPECT_EQ(attribute(made.plan.variables[0].attributes, "cell_methods"), methods) << text;
  }
}

TEST(Expressions, a_field_that_may_be_the_same_everywhere_is_not_added_up_without_a_word) {
  for (const char* parts : {"", "own", "same"}) {
    ConfigBuilder config = with_fields();
    config.field("dt", "").parts = {parts, {}};
    const Location where = expression(config, "d", "2 * sum(dt)");
    write(config, {"d"});

    const Findings findings = checked(config);

    EXPECT_FALSE(findings.has_errors()) << findings.text();
    const bool is_warned = findings.text().find("as if each model rank had its own") != std::string::npos;
    EXPECT_EQ(is_warned, std::string(parts).empty()) << parts << where.text() << findings.text();
  }
}

TEST(Expressions, an_expression_may_be_one_name_and_use_another_expression) {
  ConfigBuilder config = with_fields();
  expression(config, "a", "mean[y,x](w)");
  expression(config, "b", "2 * a");
  expression(config, "c", "profile");
  write(config, {"a", "b", "c"});

  const Planned made = plan_of(config, model());

  EXPECT_EQ(made.findings.text(), "");
  EXPECT_EQ(value_of(made.plan, "b").spread, Spread::rooted);
}

TEST(Expressions, an_equation_may_use_what_an_expression_has_reduced) {
  ConfigBuilder config = with_fields();
  expression(config, "a", "max[z](w)");
  config.diagnostic("b");
  config.arithmetic("p * a", "b");
  write(config, {"b"});

  for (const ModelBuilder& one : {model(), divided_along_z()}) {
    const Planned made = plan_of(config, one);
    EXPECT_EQ(made.findings.text(), "");
    EXPECT_EQ(value_of(made.plan, "b").spread, Spread::distributed);
  }
}

TEST(Expressions, are_defined_alike_however_the_model_is_spread) {
  for (const char* text : {"mean[y,x](any[z](w > 1))", "p - max[z](w)", "w - mean[y,x](w)", "max[z](w)",
                           "mean(w - max[z](w))", "sum[x](p * min[z](theta | w > 0))"}) {
    const auto definition = [&](const ModelBuilder& of) {
      return planned(text, of).plan.variables[0].definition;
    };
    EXPECT_EQ(definition(model(1)), definition(model(4))) << text;
    EXPECT_EQ(definition(model()), definition(divided_along_z())) << text;
  }
}

TEST(Expressions, are_checked_without_a_model) {
  for (const char* text : {"mean[y,x](any[z](w > 1))", "p - max[z](w)", "w - mean[y,x](w)", "mean(local)",
                           "max(profile)", "sqrt(abs(w)) % 2"}) {
    EXPECT_EQ(checked(with(text)).text(), "") << text;
  }
}

TEST(Expressions, pairs_are_reduced_wherever_they_lie) {
  EXPECT_EQ(words(planned("cov[y,x](w, theta)").plan), "localreduce reduction");
  EXPECT_EQ(words(planned("var[y,x](w)").plan), "localreduce reduction");
  EXPECT_EQ(words(planned("cov[x](p, max[z](w))").plan), "localreduce arithmetic localreduce reduction");
  EXPECT_EQ(value_of(planned("cov(profile, mean[y,x](w))").plan, "d").spread, Spread::rooted);
  EXPECT_EQ(value_of(planned("cov(profile, profile)").plan, "d").spread, Spread::same);
}

struct Mistake {
  const char* text;
  int column;  ///< of the mistake, from 0
  const char* part;
};

TEST(Expressions, a_mistake_is_said_at_its_column) {
  const Mistake mistakes[] = {
      {"mean[y,x](thota)", 10, "no field, diagnostic or result \"thota\"; did you mean \"theta\"?"},
      {"mean[y,xx](w)", 7, "has no dimension \"xx\"; did you mean \"x\"?"},
      {"mean[y,x,y](w)", 9, "dimension \"y\" is named twice"},
      {"meen[y,x](w)", 0, "no function \"meen\"; did you mean \"mean\"?"},
      {"w + ", 4, "found the end of the expression"},
      {"1 + 2", 0, "the expression uses no field"},
      {"w + mean[y,x](3)", 14, "\"3\" is a constant"},
      {"d + 1", 0, "\"d\" is made from itself"},
  };
  for (const Mistake& mistake : mistakes) {
    ConfigBuilder config = with_fields();
    const Location where = expression(config, "d", mistake.text);
    write(config, {"d"});
    // The place inside follows the text of the file.
    config.config.text = std::string(static_cast<std::size_t>(where.line) - 1, '\n') +
                         std::string(static_cast<std::size_t>(where.column) - 1, ' ') + mistake.text;

    Location place = where;
    place.column += mistake.column;
    expect_only_error(checked(config), place, mistake.part);
  }
}

TEST(Expressions, a_mistake_behind_options_and_entities_is_said_where_it_is_written) {
  const std::pair<const char*, const char*> texts[] = {
      {"{k}*mean[y,x](thota)", "(-2)*mean[y,x](thota)"},
      {"{k: -2 }*{k:3}*mean[y,x](thota)", "(-2)*(-2)*mean[y,x](thota)"},
      {"where({l:w &lt; 3}, w, 1) + mean[y,x](thota)", "where((w < 3), w, 1) + mean[y,x](thota)"},
      {"{l:7}+{l:}w+mean[y,x](thota)", "7+w+mean[y,x](thota)"},
      {"mean[y,x](w | w &gt; 0) &#42; mean[y,\n  x](thota)", "mean[y,x](w | w > 0) * mean[y,   x](thota)"},
  };
  for (const auto& [written, value] : texts) {
    ConfigBuilder config = with_fields();
    const Location where = expression(config, "d", value);
    write(config, {"d"});
    config.config.options["k"] = "-2";
    config.config.text = std::string(static_cast<std::size_t>(where.line) - 1, '\n') +
                         std::string(static_cast<std::size_t>(where.column) - 1, ' ') + written;

    const std::string_view all = written;
    const std::size_t at = all.find("thota"), line_end = all.find('\n');
    Location place = where;
    place.column += static_cast<int>(at);
    if (line_end != all.npos) place = {where.file, where.line + 1, static_cast<int>(at - line_end)};
    expect_only_error(checked(config), place, "\"thota\"; did you mean \"theta\"?");
  }
}

}  // namespace
}  // namespace pileus
