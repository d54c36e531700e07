#include "layout/test_config.h"

namespace pileus {
namespace {

using namespace planning_test;
using operators::Prepared;
using operators::Region;

/// Operators that do what the tests need: "first" drops the last dimension, "same" keeps all.
operators::Operator an_operator(const std::string& name,
                                std::function<Prepared(const operators::Rule&)> prepare) {
  return {name,
          "",
          {{"field", ParameterKind::name, true}, {"how", ParameterKind::text, false, "well"}},
          std::move(prepare)};
}

Prepared same(const operators::Rule& rule) {
  Prepared prepared;
  prepared.result = rule.input("field");
  prepared.compute = [](const auto&, const auto&) {};
  return prepared;
}

Prepared without_last_dimension(const operators::Rule& rule) {
  Prepared prepared = same(rule);
  prepared.result.dimensions.pop_back();
  return prepared;
}

class Fixture {
 public:
  Fixture() : model(2) {
    model.dimension("z", 4).dimension("y", 6).field("level", {"z"}).field("dt").distributed("w", {"z", "y"});
    model.distributed("theta", {"z", "y"});
    config.group("g");
    config.field("w", "z,y", true);
    config.field("theta", "z,y", true);
    config.field("level", "z");
    config.field("dt");
    config.config.catalogue.operators.push_back(an_operator("same", same));
    config.config.catalogue.operators.push_back(an_operator("first", without_last_dimension));
  }

  /// A diagnostic that applies an operator, which is written.
  RuleConfig& apply(const std::string& name, const std::string& field, const std::string& result,
                    const std::string& how = "well") {
    config.diagnostic(result);
    RuleConfig& rule = config.rule(false, name, result);
    rule.parameters = {{"field", config.text(field)}, {"how", config.text(how)}};
    if (config.config.files.empty()) config.file("f.nc");
    config.include(result);
    return rule;
  }

  ConfigBuilder config;
  ModelBuilder model;
};

TEST(Application, a_result_lies_where_its_input_does) {
  Fixture fixture;
  fixture.apply("same", "w", "a");
  fixture.apply("same", "level", "b");

  const Planned planned = plan_of(fixture.config, fixture.model);

  EXPECT_EQ(planned.findings.text(), "");
  EXPECT_EQ(value_of(planned.plan, "a").spread, Spread::distributed);
  EXPECT_EQ(value_of(planned.plan, "a").dimensions.size(), 2U);
  EXPECT_EQ(value_of(planned.plan, "b").spread, Spread::same);
  const Rule& rule = planned.plan[value_of(planned.plan, "a").rule];
  EXPECT_TRUE(std::holds_alternative<Apply>(rule.action));
}

TEST(Application, equal_applications_are_one_rule) {
  Fixture fixture;
  fixture.apply("same", "w", "a");
  fixture.apply("same", "w", "b");
  fixture.apply("same", "w", "c", "otherwise");
  fixture.apply("same", "theta", "d");

  const Planned planned = plan_of(fixture.config, fixture.model);

  EXPECT_EQ(planned.findings.text(), "");
  EXPECT_EQ(value_of(planned.plan, "a").rule, value_of(planned.plan, "b").rule);
  EXPECT_EQ(planned.plan.rules.size(), 3U);
}

TEST(Application, a_result_that_two_ranks_would_make_is_an_error) {
  Fixture fixture;
  const Location where = fixture.apply("first", "w", "a").where;

  const Planned planned = plan_of(fixture.config, fixture.model);

  expect_only_error(planned.findings, where,
                    "needs the whole of a dimension on each model rank: ranks 0 and 1 would both make");
}

TEST(Application, what_an_operator_throws_is_an_error_at_its_rule) {
  Fixture fixture;
  fixture.config.config.catalogue.operators.push_back(an_operator(
      "moody", [](const operators::Rule&) -> Prepared { throw std::runtime_error("not today"); }));
  const Location where = fixture.apply("moody", "w", "a").where;

  expect_only_error(plan_of(fixture.config, fixture.model).findings, where, "moody: not today");
}

TEST(Application, a_parameter_error_points_at_the_parameter) {
  Fixture fixture;
  fixture.config.config.catalogue.operators.push_back(
      an_operator("picky", [](const operators::Rule& rule) -> Prepared {
        throw operators::ParameterError("how", "\"" + rule.text("how") + "\" is not how");
      }));
  const Location where = fixture.apply("picky", "w", "a", "anyhow").parameters.at("how").where;

  expect_only_error(plan_of(fixture.config, fixture.model).findings, where, "how: \"anyhow\" is not how");
}

TEST(Application, a_dimension_of_a_known_name_and_another_size_is_refused) {
  Fixture fixture;
  fixture.config.config.catalogue.operators.push_back(an_operator("longer", [](const operators::Rule& rule) {
    Prepared prepared = same(rule);
    prepared.result.dimensions[0].size = 9;
    return prepared;
  }));
  const RuleConfig& rule = fixture.apply("longer", "w", "a");

  expect_only_error(
      plan_of(fixture.config, fixture.model).findings, rule.where,
      "longer: its dimension \"z\" would have the size 9, but there is another of that name, of "
      "size 4");
}

/// Errors of an operator whose declaration `spoil` has changed.
Findings nonsense(const std::function<void(Prepared&)>& spoil) {
  Fixture fixture;
  fixture.config.config.catalogue.operators.push_back(an_operator("mad", [&](const operators::Rule& rule) {
    Prepared prepared = same(rule);
    spoil(prepared);
    return prepared;
  }));
  const Location where = fixture.apply("mad", "w", "a").name.where;
  const Findings findings = plan_of(fixture.config, fixture.model).findings;
  expect_finding(findings, Severity::error, where, "operator \"mad\" declares nonsense: ");
  return findings;
}

std::string text_of(const Findings& findings) { return findings.text(); }

TEST(Application, nonsense_that_an_operator_declares_is_an_error) {
  const auto expect = [](const std::string& part, const std::function<void(Prepared&)>& spoil) {
    EXPECT_NE(text_of(nonsense(spoil)).find(part), std::string::npos) << part;
  };

  expect("it computes nothing", [](Prepared& one) { one.compute = nullptr; });
  expect("dimension \"y\" of its result is there twice",
         [](Prepared& one) { one.result.dimensions[0] = one.result.dimensions[1]; });
  expect("dimension \"k\" of its result has the size 0", [](Prepared& one) {
    one.result.dimensions[0] = {"k", 0};
  });
  expect("dimension \"k\" of its result has 1 coordinates for 2 elements", [](Prepared& one) {
    one.result.dimensions[0] = {"k", 2, {7}};
  });
  expect("model rank 0 would make [0:4, 5:7] of the result [0:4, 0:6]", [](Prepared& one) {
    one.region = [](const auto&) { return Region{{0, 5}, {4, 2}}; };
  });
}

TEST(Application, a_part_of_what_every_rank_has_is_nonsense) {
  Fixture fixture;
  fixture.config.config.catalogue.operators.push_back(an_operator("mad", [](const operators::Rule& rule) {
    Prepared prepared = same(rule);
    prepared.region = [](const auto&) { return Region{{3}, {4}}; };
    return prepared;
  }));
  const Location where = fixture.apply("mad", "level", "a").name.where;

  expect_only_error(plan_of(fixture.config, fixture.model).findings, where,
                    "of inputs that are whole it would make [3:7] of the result [0:4]");
}

TEST(Application, an_operator_may_refuse_a_part_of_a_dimension) {
  Fixture fixture;
  fixture.config.config.catalogue.operators.push_back(an_operator("smooth", [](const operators::Rule& rule) {
    Prepared prepared = same(rule);
    prepared.region = [](const std::vector<Region>& inputs) {
      if (inputs[0].count[1] < 6) throw std::invalid_argument("y is shared between ranks");
      return inputs[0];
    };
    return prepared;
  }));
  const Location where = fixture.apply("smooth", "w", "a").where;

  expect_only_error(plan_of(fixture.config, fixture.model).findings, where,
                    "smooth: y is shared between ranks");
}

TEST(Application, an_optional_operand_is_not_taken_for_another) {
  Fixture fixture;
  fixture.config.config.catalogue.operators.push_back(
      operators::Operator{"choose",
                          "",
                          {{"field", ParameterKind::name, true},
                           {"low", ParameterKind::name, false},
                           {"high", ParameterKind::name, false}},
                          same});
  fixture.apply("choose", "w", "a").parameters = {{"field", fixture.config.text("w")},
                                                  {"low", fixture.config.text("theta")}};
  fixture.apply("choose", "w", "b").parameters = {{"field", fixture.config.text("w")},
                                                  {"high", fixture.config.text("theta")}};

  const Planned planned = plan_of(fixture.config, fixture.model);

  EXPECT_EQ(planned.findings.text(), "");
  EXPECT_NE(value_of(planned.plan, "a").rule, value_of(planned.plan, "b").rule);
}

TEST(Application, a_dimension_that_two_operators_bring_is_one) {
  Fixture fixture;
  fixture.config.config.catalogue.operators.push_back(an_operator("coarse", [](const operators::Rule& rule) {
    Prepared prepared = same(rule);
    prepared.result.dimensions[0] = {"k", 2, {1, 2}, "m"};
    prepared.region = [](const std::vector<Region>& inputs) {
      return Region{{0, inputs[0].start[1]}, {2, inputs[0].count[1]}};
    };
    return prepared;
  }));
  fixture.apply("coarse", "w", "a");
  fixture.apply("coarse", "theta", "b");
  fixture.config.diagnostic("c");
  fixture.config.arithmetic("a*b", "c");
  fixture.config.include("c");

  const Planned planned = plan_of(fixture.config, fixture.model);

  EXPECT_EQ(planned.findings.text(), "");
  EXPECT_EQ(value_of(planned.plan, "a").dimensions, value_of(planned.plan, "b").dimensions);
  EXPECT_EQ(value_of(planned.plan, "a").dimensions, value_of(planned.plan, "c").dimensions);
  EXPECT_EQ(planned.plan[value_of(planned.plan, "a").dimensions[0]].coordinates, (std::vector<double>{1, 2}));
}

TEST(Application, without_a_model_sizes_are_unknown) {
  Fixture fixture;
  operators::Index seen = 0;
  fixture.config.config.catalogue.operators.push_back(an_operator("look", [&](const operators::Rule& rule) {
    seen = rule.input("field").dimensions[0].size;
    return same(rule);
  }));
  fixture.apply("look", "w", "a");

  EXPECT_EQ(checked(fixture.config).text(), "");
  EXPECT_EQ(seen, operators::kUnknownSize);
}

TEST(Application, a_parameter_that_is_not_there_is_an_error) {
  Fixture fixture;
  RuleConfig& rule = fixture.apply("same", "w", "a");
  rule.parameters.erase("field");

  expect_only_error(checked(fixture.config), rule.where, "same needs the attribute \"field\"");
}

TEST(Application, of_an_expression_is_that_of_a_rule) {
  Fixture fixture;
  fixture.apply("same", "w", "ruled");
  const auto write = [&](const std::string& name, const std::string& text) {
    fixture.config.diagnostic(name).expression = fixture.config.text(text);
    fixture.config.include(name);
  };
  write("written", "same(w, how=well)");
  write("of_computed", "2 * same(w*theta, how=well)");
  write("named", "same(field=w, how='well')");

  const Planned planned = plan_of(fixture.config, fixture.model);

  EXPECT_EQ(planned.findings.text(), "");
  const auto variable = [&](const std::string& name) { return value_of(planned.plan, name).rule; };
  EXPECT_EQ(variable("written"), variable("ruled"));
  EXPECT_EQ(variable("named"), variable("ruled"));
  EXPECT_EQ(value_of(planned.plan, "of_computed").spread, Spread::distributed);
}

TEST(Application, of_an_expression_says_what_it_lacks_and_what_is_wrong) {
  const auto expect_error = [](const std::string& text, const std::string& part) {
    Fixture fixture;
    const Text written = fixture.config.text(text);
    fixture.config.diagnostic("d").expression = written;
    fixture.config.file("f.nc");
    fixture.config.include("d");
    const Planned planned = plan_of(fixture.config, fixture.model);
    EXPECT_NE(planned.findings.text().find(part), std::string::npos)
        << text << ": " << planned.findings.text();
  };
  expect_error("same(how=well)", "operator \"same\" needs \"field=...\"");
  expect_error("same[z](w, how=well)", "\"same\" takes no dimensions in brackets");
  expect_error("same(nowhere, how=well)", "no field, diagnostic or result \"nowhere\"");
}

}  // namespace
}  // namespace pileus
