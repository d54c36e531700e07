// Two distributed values, each with a dimension that the other lacks. They are refused in every layout,
// unless one of them is reduced and is therefore available as a whole.

#include "layout/test_config.h"

namespace pileus {
namespace {

using namespace planning_test;

/// Fields on the grids of a staggered model, and a plane at its western end.
ConfigBuilder with_fields() {
  ConfigBuilder config;
  config.group("raw");
  config.field("area", "y,x").parts = {"same", {}};
  config.field("volume", "z,y,x").parts = {"same", {}};
  config.field("qv", "z,y,x", true);
  config.field("u", "z,y,x_face", true);
  config.field("w", "z_face,y,x", true);
  config.field("p", "y,x", true);
  config.field("west", "z,y", true);
  config.field("levels", "z").parts = {"same", {}};
  config.field("faces", "x_face").parts = {"same", {}};
  config.field("count", "").parts = {"own", {}};
  config.field("unsized", "?").is_collective = true;
  return config;
}

/// The model on ranks along x, or along z.
ModelBuilder model(std::size_t ranks, bool is_along_z = false) {
  ModelBuilder model(ranks);
  model.dimension("z", 4).dimension("z_face", 4).dimension("y", 3).dimension("x", 4).dimension("x_face", 4);
  const auto field = [&](const std::string& name, const std::vector<std::string>& dimensions) {
    model.field(name, dimensions);
    const auto all = static_cast<Index>(ranks);
    const std::size_t along = is_along_z ? 0 : dimensions.size() - 1;
    for (Index rank = 0; rank < all; ++rank) {
      Region& region = model.registered(static_cast<std::size_t>(rank), name).region;
      region.start[along] = rank * region.count[along] / all;
      region.count[along] /= all;
    }
  };
  field("qv", {"z", "y", "x"});
  field("u", {"z", "y", "x_face"});
  field("w", {"z_face", "y", "x"});
  field("p", {"y", "x"});
  field("west", {"z", "y"});
  model.field("area", {"y", "x"}).field("volume", {"z", "y", "x"});
  model.field("levels", {"z"}).field("faces", {"x_face"}).field("count");
  field("unsized", {"z", "y", "x"});
  return model;
}

std::vector<ModelBuilder> layouts() { return {model(1), model(2), model(2, true)}; }

Location expression(ConfigBuilder& config, const std::string& text) {
  DiagnosticConfig& diagnostic = config.diagnostic("d");
  diagnostic.expression = config.text(text);
  config.file("f.nc").include("d", "averaged");
  return diagnostic.expression.where;
}

void expect_refused(const Findings& findings, const Location& where, const std::string& first,
                    const std::string& second) {
  expect_only_error(findings, where, first);
  EXPECT_NE(findings.text().find(second), std::string::npos) << findings.text();
  EXPECT_NE(findings.text().find("Bring one to the other's grid first"), std::string::npos);
}

TEST(Pairs, of_two_grids_are_refused_by_check_and_in_every_layout) {
  const std::tuple<const char*, const char*, const char*> cases[] = {
      {"qv + u", "\"qv\" has the dimension \"x\"", ", which \"u\" lacks, and that has \"x_face\""},
      {"qv > u", "\"qv\" has the dimension \"x\"", ", which \"u\" lacks, and that has \"x_face\""},
      {"where(qv > 0, u, 1)", "\"qv\" has the dimension \"x\"",
       ", which \"u\" lacks, and that has \"x_face\""},
      {"mean[y,x](qv | u > 0)", "\"u\" has the dimension \"x_face\"",
       ", which \"qv\" lacks, and that has \"x\""},
      {"mean(qv * u)", "\"qv\" has the dimension \"x\"", ", which \"u\" lacks, and that has \"x_face\""},
      {"cov[y](qv * 2, qv * u)", "\"qv\" has the dimension \"x\"",
       ", which \"u\" lacks, and that has \"x_face\""},
      {"qv + w", "\"qv\" has the dimension \"z\"", ", which \"w\" lacks, and that has \"z_face\""},
      {"p * west", "\"p\" has the dimension \"x\"", ", which \"west\" lacks, and that has \"z\""},
      {"qv * levels + u", "\"qv\" has the dimension \"x\"", ", which \"u\" lacks, and that has \"x_face\""},
  };
  for (const auto& [text, first, second] : cases) {
    ConfigBuilder config = with_fields();
    const Location where = expression(config, text);
    const auto is_there = [&](const Findings& findings) {
      ASSERT_TRUE(findings.has_errors()) << text;
      const auto error = std::ranges::find(findings.all(), Severity::error, &Finding::severity);
      EXPECT_EQ(error->where.line, where.line) << text;
      expect_refused(findings, error->where, first, second);
    };

    is_there(checked(config));
    for (const ModelBuilder& one : layouts()) is_there(plan_of(config, one).findings);
  }
}

TEST(Pairs, of_rules_are_refused_where_the_second_is_named) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  const Location where = config.arithmetic("qv - u", "d").parameters["equation"].where;
  config.file("f.nc").include("d", "averaged");

  expect_refused(checked(config), where, "\"qv\" has the dimension \"x\"",
                 ", which \"u\" lacks, and that has \"x_face\"");
  for (const ModelBuilder& one : layouts())
    expect_refused(plan_of(config, one).findings, where, "\"qv\" has the dimension \"x\"",
                   ", which \"u\" lacks, and that has \"x_face\"");
}

TEST(Pairs, are_made_where_one_value_has_all_dimensions_of_the_others) {
  for (const char* text : {"qv * p", "qv * levels", "qv * faces", "mean[y,x](qv | p > 0) + sum[y,x_face](u)",
                           "cov[y,x](qv, p)", "mean[x](qv) * mean[y](u)"}) {
    ConfigBuilder config = with_fields();
    expression(config, text);
    EXPECT_FALSE(checked(config).has_errors()) << text << checked(config).text();
    EXPECT_FALSE(plan_of(config, model(1)).findings.has_errors()) << text;
    EXPECT_FALSE(plan_of(config, model(2)).findings.has_errors()) << text;
  }
}

std::size_t broadcasts(const Plan& plan) {
  return static_cast<std::size_t>(std::ranges::count_if(
      plan.rules, [](const Rule& rule) { return std::holds_alternative<Broadcast>(rule.action); }));
}

TEST(Pairs, with_a_reduced_value_are_made_of_the_whole_of_it) {
  for (const char* text : {"qv * mean[z](u)", "qv - mean[z](qv) * mean[z](u)", "qv * mean[y](w)"}) {
    ConfigBuilder config = with_fields();
    expression(config, text);
    for (const ModelBuilder& one : layouts()) {
      const Planned made = plan_of(config, one);
      ASSERT_FALSE(made.findings.has_errors()) << text << made.findings.text();
      // A value on x_face or z_face, of which no rank holds what fits its part of qv.
      EXPECT_GE(broadcasts(made.plan), 1U) << text;
      EXPECT_EQ(value_of(made.plan, "d").dimensions.size(), 4U) << text;
    }
  }
}

TEST(Pairs, of_each_ranks_own_value_and_a_reduced_one_take_the_whole_of_that) {
  ConfigBuilder config = with_fields();
  expression(config, "sum[y](count * mean[z](qv))");

  for (const ModelBuilder& one : layouts()) {
    const Planned made = plan_of(config, one);
    ASSERT_FALSE(made.findings.has_errors()) << made.findings.text();
    EXPECT_EQ(broadcasts(made.plan), 1U);
  }
}

TEST(Pairs, with_a_field_of_unknown_shape_are_left_to_the_run) {
  for (const char* text :
       {"cov[z,x](unsized, p)", "cov[z,x](p, unsized)", "cov(unsized, p)", "unsized * u"}) {
    ConfigBuilder config = with_fields();
    expression(config, text);

    EXPECT_EQ(checked(config).text(), "") << text;
  }
  ConfigBuilder config = with_fields();
  expression(config, "unsized * u");
  const Findings findings = plan_of(config, model(1)).findings;
  ASSERT_TRUE(findings.has_errors());
  expect_refused(findings, findings.all().front().where, "\"unsized\" has the dimension \"x\"",
                 ", which \"u\" lacks, and that has \"x_face\"");
}

TEST(Pairs, of_a_covariance_are_those_of_the_values_that_ranks_hold_parts_of) {
  for (const char* text : {"cov[y,x](area, p)", "cov[y,x](p, area)", "cov[z,x](volume, qv)"}) {
    for (const ModelBuilder& of : layouts()) {
      ConfigBuilder config = with_fields();
      expression(config, text);
      const Planned planned = plan_of(config, of);
      ASSERT_FALSE(planned.findings.has_errors()) << planned.findings.text();

      const Rule& whole = planned.plan[value_of(planned.plan, "d").rule];
      const Rule& local = planned.plan[planned.plan[whole.inputs[0]].rule];
      EXPECT_EQ(planned.plan[local.inputs[0]].spread, Spread::distributed) << text;
      EXPECT_EQ(planned.plan[local.inputs[1]].spread, Spread::same) << text;
    }
  }
}

TEST(Pairs, of_which_every_rank_would_count_all_are_refused) {
  for (const ModelBuilder& of : layouts()) {
    ConfigBuilder config = with_fields();
    const Location where = expression(config, "cov[y,x](volume, p)");

    const Findings findings = plan_of(config, of).findings;

    ASSERT_TRUE(findings.has_errors());
    EXPECT_NE(findings.text().find("\"volume\" is whole on every model rank and has a dimension that"),
              std::string::npos)
        << findings.text() << where.text();
  }
}

TEST(Pairs, with_more_dimensions_together_than_there_may_be_are_an_error) {
  for (const bool is_too_many : {false, true}) {
    ConfigBuilder config;
    config.group("raw");
    config.field("p", "a,b,c").parts = {"same", {}};
    config.field("q", is_too_many ? "d,e,f,g" : "d,e,f").parts = {"same", {}};
    config.diagnostic("r");
    const Location where = config.arithmetic("p+q", "r").where;
    config.file("f.nc").include("r");
    ModelBuilder model(1);
    for (const char* name : {"a", "b", "c", "d", "e", "f", "g"}) model.dimension(name, 2);
    model.field("p", {"a", "b", "c"});
    model.field("q", is_too_many ? std::vector<std::string>{"d", "e", "f", "g"}
                                 : std::vector<std::string>{"d", "e", "f"});

    const auto findings = plan_of(config, model).findings;

    if (is_too_many) {
      expect_only_error(findings, where,
                        "what it is made of has 7 dimensions together; at most 6 are possible");
    } else {
      EXPECT_FALSE(findings.has_errors());
    }
  }
}

}  // namespace
}  // namespace pileus
