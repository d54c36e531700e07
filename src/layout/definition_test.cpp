// What tells a checkpoint that a variable is made as before: of what, by what and with which parameters.

#include "layout/test_config.h"

namespace pileus {
namespace {

using namespace planning_test;

/// An operator "pick" on a field, with a word "which" that the result's shape does not show.
operators::Operator pick() {
  const auto prepare = [](const operators::Rule& rule) {
    operators::Prepared prepared;
    prepared.result = rule.input("field");
    prepared.compute = [](const auto&, const auto&) {};
    return prepared;
  };
  return {"pick",
          "",
          {{"field", ParameterKind::name, true}, {"which", ParameterKind::text, false, "1"}},
          prepare};
}

ConfigBuilder with_fields() {
  ConfigBuilder config;
  config.config.catalogue.operators.push_back(pick());
  config.group("raw");
  config.field("w", "z,y,x", true);
  config.field("u", "z,y,x", true);
  return config;
}

/// `ranks` divide x, of which there are 6.
ModelBuilder model(std::size_t ranks = 2, Index levels = 3) {
  ModelBuilder model(ranks);
  model.dimension("z", levels).dimension("y", 4).dimension("x", 6);
  model.distributed("w", {"z", "y", "x"}).distributed("u", {"z", "y", "x"});
  return model;
}

/// Of the one variable of a configuration.
std::string definition(ConfigBuilder config, const std::string& variable, const ModelBuilder& of = model()) {
  config.file("f.nc").include(variable, "averaged");
  const Planned planned = plan_of(config, of);
  EXPECT_FALSE(planned.findings.has_errors()) << planned.findings.text();
  return planned.plan.variables.at(0).definition;
}

/// An equation of the sum `g` over w.
std::string of_sum(const std::string& equation, const ModelBuilder& of = model()) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  config.localreduce("sum", "w", "l");
  config.reduction("sum", "l", "g");
  config.arithmetic(equation, "d");
  return definition(config, "d", of);
}

std::string of_picked(const std::string& which, const std::string& field = "w",
                      const std::string& name = "d") {
  ConfigBuilder config = with_fields();
  config.diagnostic(name);
  config.rule(false, "pick", name).parameters = {{"field", config.text(field)},
                                                 {"which", config.text(which)}};
  return definition(config, name);
}

TEST(Definitions, are_equal_for_what_any_ranks_make_alike) {
  EXPECT_EQ(of_sum("g/24", model(2)), of_sum("g/24", model(6)));
  EXPECT_EQ(of_picked("2", "w", "d"), of_picked("2", "w", "another_name"));
}

TEST(Definitions, tell_equations_apart) {
  EXPECT_NE(of_sum("g/24"), of_sum("g/25"));
  EXPECT_NE(of_sum("g/24"), of_sum("g^2"));
}

TEST(Definitions, tell_shapes_apart) { EXPECT_NE(of_sum("g/24", model(2, 3)), of_sum("g/24", model(2, 5))); }

TEST(Definitions, tell_fields_and_parameters_of_operators_apart) {
  EXPECT_NE(of_picked("2"), of_picked("3"));
  EXPECT_NE(of_picked("2", "w"), of_picked("2", "u"));
}

TEST(Definitions, are_of_one_length_however_much_is_behind_them) {
  EXPECT_EQ(of_sum("g/24").size(), of_sum("(g/24)^2 + 3*g - 17.5/(g + 1)").size());
  EXPECT_EQ(of_picked("1").size(), of_picked("a long parameter, which says more than others do").size());
}

}  // namespace
}  // namespace pileus
