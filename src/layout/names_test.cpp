// What names mean, and the findings about names that mean nothing.

#include <algorithm>

#include "core/reduction.h"
#include "core/suggest.h"
#include "layout/test_config.h"

namespace pileus {
namespace {

using namespace planning_test;

ConfigBuilder with_fields() {
  ConfigBuilder config;
  config.group("raw");
  config.field("w", "z,y,x", true);
  config.field("theta", "z,y,x", true);
  config.field("vwp_local", "?");
  return config;
}

TEST(Names, an_unknown_field_of_a_rule_is_named_with_a_suggestion) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  const Location where = config.localreduce("sum", "vwp_locl", "l").parameters["field"].where;
  config.reduction("sum", "l", "d");
  config.file("f.nc");
  config.include("d");

  expect_only_error(
      checked(config), where,
      "diagnostic \"d\": no field, diagnostic or result \"vwp_locl\"; did you mean \"vwp_local\"?");
}

TEST(Names, an_unknown_name_in_an_equation_is_named_at_its_own_column) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  Text& equation = config.arithmetic("2*w + thet", "d").parameters["equation"];
  equation.where = {"io.xml", 2, 5};
  config.config.text = "first line\nsee=2*w + thet\n";
  config.file("f.nc");
  config.include("d");

  // The value begins in column 5, and the name six bytes later.
  expect_only_error(checked(config), {"io.xml", 2, 11}, "\"thet\"; did you mean \"theta\"?");
}

TEST(Names, the_column_in_an_equation_of_several_lines_is_that_of_its_line) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  Text& equation = config.arithmetic("2*w   + thet", "d").parameters["equation"];
  equation.where = {"io.xml", 1, 4};
  config.config.text = "e='2*w\n  + thet'";
  config.file("f.nc");
  config.include("d");

  expect_only_error(checked(config), {"io.xml", 2, 5}, "\"thet\"");
}

TEST(Names, the_column_in_an_equation_follows_characters_that_are_written_as_numbers) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  Text& equation = config.arithmetic("w + thet + 1", "d").parameters["equation"];
  equation.where = {"io.xml", 1, 4};
  config.config.text = "e='w &#43;&#x20;thet + 1'";
  config.file("f.nc");
  config.include("d");

  expect_only_error(checked(config), {"io.xml", 1, 17}, "\"thet\"");
}

TEST(Names, where_an_option_was_substituted_the_place_is_the_start_of_the_equation) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  Text& equation = config.arithmetic("w/64 + thet", "d").parameters["equation"];
  equation.where = {"io.xml", 1, 4};
  config.config.text = "e='w/{x_size} + thet'";
  config.file("f.nc");
  config.include("d");

  expect_only_error(checked(config), {"io.xml", 1, 4}, "\"thet\"");
}

TEST(Names, an_equation_that_does_not_parse_is_named_at_the_mistake) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  config.arithmetic("w + * 2", "d").parameters["equation"].where = {"io.xml", 1, 1};
  config.config.text = "w + * 2";
  config.file("f.nc");
  config.include("d");

  expect_only_error(checked(config), {"io.xml", 1, 5},
                    "equation: expected a number, a name or \"(\", found \"*\"");
}

TEST(Names, an_equation_without_a_field_is_an_error) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  const Location where = config.arithmetic("2*3", "d").parameters["equation"].where;

  expect_only_error(checked(config), where, "the equation uses no field");
}

TEST(Names, results_of_a_diagnostic_hide_fields_of_the_same_name) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  config.localreduce("sum", "vwp_local", "w");
  config.reduction("sum", "w", "d");
  config.file("f.nc");
  config.include("d");

  EXPECT_EQ(checked(config).text(), "");
}

TEST(Names, a_diagnostic_may_use_another_one_that_comes_later) {
  ConfigBuilder config = with_fields();
  config.diagnostic("double_flux");
  config.arithmetic("2*flux", "double_flux");
  config.diagnostic("flux");
  config.arithmetic("w*theta", "flux");
  config.file("f.nc");
  config.include("double_flux");

  EXPECT_EQ(checked(config).text(), "");
}

TEST(Names, results_of_other_diagnostics_are_not_known) {
  ConfigBuilder config = with_fields();
  config.diagnostic("a");
  config.arithmetic("2*w", "inner");
  config.arithmetic("inner+1", "a");
  config.diagnostic("b");
  const Location where = config.arithmetic("inner", "b").parameters["equation"].where;
  config.file("f.nc");
  config.include("a");
  config.include("b");

  expect_only_error(checked(config), where, "no field, diagnostic or result \"inner\"");
}

TEST(Names, a_cycle_inside_a_diagnostic_is_refused_and_its_chain_named) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  config.arithmetic("w+b", "d");
  const Location where = config.arithmetic("d*2", "b").parameters["equation"].where;
  config.file("f.nc");
  config.include("d");

  expect_only_error(checked(config), where, "these results need each other: \"d\" needs \"b\" needs \"d\"");
}

TEST(Names, a_cycle_across_diagnostics_is_refused) {
  ConfigBuilder config = with_fields();
  config.diagnostic("a");
  config.arithmetic("w+b", "a");
  config.diagnostic("b");
  config.arithmetic("w+c", "b");
  config.diagnostic("c");
  const Location where = config.arithmetic("w+a", "c").parameters["equation"].where;

  expect_only_error(checked(config), where, "\"a\" needs \"b\" needs \"c\" needs \"a\"");
}

TEST(Names, a_result_that_needs_itself_is_refused) {
  ConfigBuilder config = with_fields();
  config.diagnostic("a");
  const Location where = config.arithmetic("a+w", "a").parameters["equation"].where;

  expect_only_error(checked(config), where, "\"a\" is made from itself");
}

TEST(Names, a_chain_of_many_thousand_rules_is_put_in_order) {
  ConfigBuilder config = with_fields();
  config.diagnostic("r0");
  for (int i = 0; i < 20000; ++i)
    config.arithmetic("r" + std::to_string(i + 1) + "+1", "r" + std::to_string(i));
  config.arithmetic("w", "r20000");
  config.file("f.nc");
  config.include("r0");

  EXPECT_EQ(checked(config).text(), "");
}

/// Misspells each of `count` fields in a group, and returns how many get a suggestion.
std::ptrdiff_t advised(int count, const std::string& tail) {
  ConfigBuilder config = with_fields();
  std::vector<std::string> wrong;
  for (int i = 0; i < count; ++i) {
    config.field("field_" + std::to_string(10000 + i) + tail);
    wrong.push_back("feild_" + std::to_string(10000 + i) + tail);
  }
  config.members("g", wrong);
  config.file("f.nc");
  config.include_group("g", "instantaneous", 5);

  const Findings findings = checked(config);

  EXPECT_EQ(findings.all().size(), static_cast<std::size_t>(count));
  return std::ranges::count_if(findings.all(), [&](const Finding& one) {
    const std::size_t name = one.what.find('"') + 1;
    const std::string meant = "field_" + one.what.substr(name + 6, 5) + tail;  // messages cut long names
    return suggested_in(one.what) == meant;
  });
}

TEST(Names, of_thousands_that_are_not_known_each_gets_its_suggestion) { EXPECT_EQ(advised(2000, ""), 2000); }

TEST(Names, of_hundreds_of_hundreds_of_letters_the_first_get_a_suggestion) {
  const std::string letters(180, 'a');
  // Comparing two words of 191 letters takes 191 times 191 steps and one more. With 300 fields the limit of
  // 200 000 000 steps is passed at the 19th word.
  EXPECT_EQ(advised(300, letters), 19);
}

TEST(Names, a_member_of_a_group_that_is_not_known_is_an_error_at_the_member) {
  ConfigBuilder config = with_fields();
  config.members("3d", {"w", "teta"});
  config.file("f.nc");
  config.include_group("3d", "instantaneous", 5);

  expect_only_error(checked(config), config.config.groups[0].members[1].where,
                    "\"teta\"; did you mean \"theta\"?");
}

TEST(Names, a_member_that_is_not_known_of_a_group_that_no_file_includes_is_a_warning) {
  ConfigBuilder config = with_fields();
  config.members("3d", {"w", "teta"});
  config.file("f.nc");
  config.include("w");

  expect_finding(
      checked(config), Severity::warning, config.config.groups[0].members[1].where,
      "group \"3d\", which no file includes: no field or diagnostic \"teta\"; did you mean \"theta\"?");
}

TEST(Names, with_an_operator_in_them_are_named_where_an_expression_takes_them_apart) {
  ConfigBuilder config = with_fields();
  config.field("lapse-rate");
  config.diagnostic("d");
  config.arithmetic("2*lapse-rate", "d");

  const Findings findings = checked(config);

  EXPECT_NE(
      findings.text().find("no field, diagnostic or result \"lapse\"; \"lapse-rate\" cannot stand in an "
                           "expression, which would take \"-\" for an operator"),
      std::string::npos)
      << findings.text();
}

TEST(Names, an_unknown_group_is_an_error) {
  ConfigBuilder config = with_fields();
  config.members("fields_3d", {"w"});
  config.file("f.nc");
  const Location where = config.include_group("field_3d", "instantaneous", 5).group.where;

  expect_finding(checked(config), Severity::error, where,
                 "no group \"field_3d\"; did you mean \"fields_3d\"?");
}

TEST(Names, an_unknown_field_of_a_file_is_an_error) {
  ConfigBuilder config = with_fields();
  config.file("f.nc");
  const Location where = config.include("W2").field.where;

  expect_only_error(checked(config), where, "no field or diagnostic \"W2\"; did you mean \"w\"?");
}

TEST(Names, a_name_that_is_given_twice_is_an_error_at_the_second) {
  ConfigBuilder config = with_fields();
  const Location where = config.diagnostic("w").field.where;
  config.arithmetic("theta", "w");

  expect_only_error(checked(config), where, "the name \"w\" is given twice");
}

TEST(Names, a_diagnostic_without_a_rule_that_gives_it_is_an_error) {
  ConfigBuilder config = with_fields();
  const Location where = config.diagnostic("flux").field.where;
  config.arithmetic("w*theta", "flx");

  expect_only_error(checked(config), where, "no rule has the result \"flux\"; did you mean \"flx\"?");
}

/// "a, b or c"
std::string one_of(const std::vector<std::string>& words) {
  std::string text = words.front();
  for (std::size_t i = 1; i < words.size(); ++i) text += (i + 1 < words.size() ? ", " : " or ") + words[i];
  return text;
}

TEST(Names, words_of_operators_are_checked) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  const Location word = config.localreduce("summ", "vwp_local", "l").parameters["operator"].where;
  RuleConfig& reduction = config.reduction("sum", "l", "g", "first");
  const Location root = reduction.parameters["root"].where;
  RuleConfig& unknown = config.arithmetic("g", "d");
  unknown.name.value = "arithmetics";
  const Location name = unknown.name.where;

  const Findings findings = checked(config);
  expect_finding(findings, Severity::error, word,
                 "operator is " + one_of(reduction_words()) + ", not \"summ\"; did you mean \"sum\"?");
  expect_finding(findings, Severity::error, root,
                 "root is \"auto\" or the number of a server, not \"first\"");
  expect_finding(findings, Severity::error, name,
                 "no operator \"arithmetics\"; did you mean \"arithmetic\"?");
}

TEST(Names, a_rule_without_its_parameter_is_an_error) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  RuleConfig& rule = config.reduction("sum", "vwp_local", "d");
  rule.parameters.erase("field");

  expect_only_error(checked(config), rule.where, "reduction needs the attribute \"field\"");
}

TEST(Names, a_scalar_cannot_be_collective) {
  ConfigBuilder config = with_fields();
  const Location where = config.field("dt", "", true).type.where;

  expect_only_error(checked(config), where, "field \"dt\" is collective");
}

TEST(Names, all_mistakes_are_found_at_once) {
  ConfigBuilder config = with_fields();
  config.diagnostic("a");
  config.arithmetic("nowhere1", "a");
  config.diagnostic("b");
  config.arithmetic("w*(2", "b");
  config.file("f.nc");
  config.include("nowhere2");
  config.include("vwp_local", "averaged");

  Findings findings = checked(config);
  std::size_t errors = 0;
  for (const Finding& finding : findings.all()) errors += finding.severity == Severity::error;
  EXPECT_EQ(errors, 3U) << findings.text();
}

TEST(Names, a_mistake_that_was_reported_at_a_place_is_not_reported_there_again) {
  ConfigBuilder config = with_fields();
  config.file("f.nc");
  const Location where = config.include("nowhere").field.where;
  Findings findings;
  findings.error(where, "said before");

  check_config(config.config, findings);

  expect_only_error(findings, where, "said before");
}

TEST(Names, a_diagnostic_that_nothing_uses_is_noted) {
  ConfigBuilder config = with_fields();
  const Location where = config.diagnostic("d").field.where;
  config.arithmetic("w*theta", "d");

  expect_finding(checked(config), Severity::note, where,
                 "diagnostic \"d\" is not computed: no file needs it");
}

TEST(Names, options_that_are_not_known_yet_are_no_mistakes) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  config.localreduce("{how}", "w", "l", "{over}");
  config.reduction("sum", "l", "g", "{root}");
  config.arithmetic("g/({x_size}*{y_size})", "d");
  config.file("f.nc");
  config.include("d");

  EXPECT_EQ(checked(config).text(), "");
}

/// A field w in the global namespace, in n and in n::m.
ConfigBuilder with_namespaces() {
  ConfigBuilder config;
  for (const char* scope : {"", "n", "n::m"}) {
    config.group(std::string("raw") + scope);
    config.config.data_groups.back().scope = scope;
    config.field("w");
    config.field("only" + std::to_string(config.config.data_groups.size()));
  }
  return config;
}

TEST(Namespaces, are_searched_from_the_inside_out) {
  ConfigBuilder config = with_namespaces();
  config.diagnostic("d").scope = "n::m";
  config.arithmetic("w + n::w + only1 + only2 + only3 + n::m::only3", "d");
  config.file("f.nc");
  config.include("n::m::d");
  ModelBuilder model(1);
  for (const char* name : {"w", "n::w", "only1", "only2", "only3"}) model.field(name);
  model.field("n::m::w");

  const Planned planned = plan_of(config, model);

  EXPECT_EQ(planned.findings.text(), "");
  std::vector<std::string> names;
  for (ValueId input : planned.plan.rules.back().inputs) names.push_back(planned.plan[input].name);
  EXPECT_EQ(names, (std::vector<std::string>{"only1", "n::w", "n::only2", "n::m::w", "n::m::only3"}));
  EXPECT_EQ(attribute(planned.plan.variables[0].attributes, "long_name"), "d");
}

TEST(Namespaces, of_others_are_only_reached_by_their_names) {
  ConfigBuilder config = with_namespaces();
  config.diagnostic("d");
  const Location where = config.arithmetic("only2 + 1", "d").parameters["equation"].where;
  config.file("f.nc");
  config.include("d");
  const Location written = config.include("only3").field.where;

  const Findings findings = checked(config);

  expect_finding(findings, Severity::error, where, "result \"only2\"; did you mean \"n::only2\"?");
  expect_finding(findings, Severity::error, written,
                 "no field or diagnostic \"only3\"; did you mean \"n::m::only3\"?");
}

TEST(Namespaces, of_groups_and_includes_are_where_their_names_are_looked_up) {
  ConfigBuilder config = with_namespaces();
  config.members("g", {"w"}).members("g", {"w", "only1"});
  config.config.groups[0].scope = "n";
  config.config.groups[1].scope = "m";
  config.file("f.nc");
  config.include_group("g", "instantaneous", 10).scope = "n";
  config.file("g.nc");
  config.include_group("g", "instantaneous", 10).scope = "m";
  config.file("h.nc");
  config.include("w").scope = "n::m";
  ModelBuilder model(1);

  const Planned planned = plan_of(config, model.field("w").field("only1"));

  EXPECT_EQ(planned.findings.text().find("error"), std::string::npos) << planned.findings.text();
  std::vector<std::string> values;
  for (const Variable& variable : planned.plan.variables) values.push_back(planned.plan[variable.value].name);
  EXPECT_EQ(values, (std::vector<std::string>{"n::w", "w", "only1", "n::m::w"}));
}

TEST(Namespaces, stand_before_the_names_of_variables_that_meet_in_a_file) {
  ConfigBuilder config = with_namespaces();
  config.file("f.nc");
  for (const char* name : {"w", "n::w", "n::m::w", "n::only2"}) config.include(name);
  config.include("n::w", "averaged");
  config.include("n::w", "averaged", 5);
  ModelBuilder model(1);

  const Planned planned = plan_of(config, model.field("w").field("only2"));

  std::vector<std::string> names;
  for (const Variable& variable : planned.plan.variables) names.push_back(variable.name);
  EXPECT_EQ(names, (std::vector<std::string>{"w", "n_w_instantaneous", "n_m_w", "only2", "n_w_averaged_10",
                                             "n_w_averaged_5"}));
}

TEST(Namespaces, need_no_registration_of_their_own) {
  ConfigBuilder config = with_namespaces();
  config.file("f.nc");
  config.include("w");
  config.include("n::w");
  config.include("n::m::w");
  ModelBuilder model(1);

  const Plan plan = plan_of(config, model.field("w").field("n::w")).plan;

  const Demand demand = plan.demand(0, 1);
  ASSERT_EQ(demand.groups.size(), 3U);
  EXPECT_EQ(demand.groups[0].fields[0].name, "w");
  EXPECT_EQ(demand.groups[1].fields[0].name, "n::w");
  EXPECT_EQ(demand.groups[2].fields[0].name, "n::w");
}

}  // namespace
}  // namespace pileus
