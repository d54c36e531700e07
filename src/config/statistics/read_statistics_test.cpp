#include "config/statistics/read_statistics.h"

#include <gtest/gtest.h>

#include "config/config_test_support.h"
#include "core/units_of_products.h"

namespace pileus::testing {
namespace {

/// The fields are on line 2, and `handling` begins on line 3.
std::string with(const std::string& handling, const std::string& after = "") {
  return "<io-configuration>\n<data-definition name=\"d\" frequency=\"1\"><field name=\"w\" size=\"z\" "
         "units=\"m s-1\"/><field name=\"theta\" size=\"z\" units=\"K\"/></data-definition>\n"
         "<data-handling>" +
         handling + "</data-handling>" + after + "</io-configuration>";
}

const std::string kCloud = "<condition name=\"cloud\" expression=\"theta &gt; 1\"/>";

std::string statistics(const std::string& more) {
  return kCloud + "\n<statistics name=\"s\" dimensions=\"y,x\" " + more + "/>";
}

const DiagnosticConfig& diagnostic(const Config& config, std::string_view name) {
  for (const DiagnosticConfig& one : config.diagnostics) {
    if (one.field.value == name) return one;
  }
  static const DiagnosticConfig kNone;
  return kNone;
}

TEST(ReadStatistics, a_condition_is_a_diagnostic_of_its_attribute_or_text) {
  const ReadResult result =
      read(with("<condition name=\"a\">w &gt; 0 and theta &lt; 300</condition>" + kCloud));

  EXPECT_EQ(result.text(), "");
  ASSERT_EQ(result.config.diagnostics.size(), 2U);
  EXPECT_EQ(result.config.diagnostics[0].expression.value, "w > 0 and theta < 300");
  EXPECT_EQ(result.config.diagnostics[0].metadata.units.value, "1");
  EXPECT_EQ(result.config.diagnostics[0].metadata.long_name.value, "1 where w > 0 and theta < 300");
  EXPECT_EQ(result.config.diagnostics[1].expression.value, "theta > 1");
}

TEST(ReadStatistics, a_condition_has_to_say_something) {
  EXPECT_EQ(read(with("<condition name=\"a\"/>")).text(),
            "io.xml:3:16: error: condition \"a\" says nothing; write it as text inside, or as expression=\"w "
            "> 0\"");
}

TEST(ReadStatistics, makes_a_diagnostic_for_each_field_and_condition_and_a_group_of_all) {
  const ReadResult result =
      read(with("<condition name=\"dry\">not cloud</condition>" +
                    statistics("fields=\"w,theta\" conditions=\"cloud,dry\" of=\"fraction,mean,variance\""),
                "<data-writing><file name=\"f.nc\" write_time_frequency=\"1\"><include group=\"s\" "
                "time_manipulation=\"none\"/></file>"
                "</data-writing>"));

  EXPECT_EQ(result.text(), "");
  ASSERT_EQ(result.config.groups.size(), 1U);
  EXPECT_EQ(result.config.groups[0].members.size(), 10U);
  const DiagnosticConfig& mean = diagnostic(result.config, "theta_in_dry");
  EXPECT_EQ(mean.expression.value, "mean[y,x](theta | dry)");
  EXPECT_EQ(mean.metadata.units.value, "K");
  EXPECT_EQ(mean.metadata.long_name.value, "mean of theta where dry");
  EXPECT_EQ(diagnostic(result.config, "cloud_fraction").expression.value, "mean[y,x]((cloud) != 0)");
  EXPECT_EQ(diagnostic(result.config, "w_variance_in_cloud").metadata.units.value, "m2 s-2");
}

TEST(ReadStatistics, weighs_and_makes_fluxes_of_all_but_the_carrier) {
  const ReadResult result = read(with(statistics(
      "fields=\"w,theta\" conditions=\"cloud\" of=\"flux,flux_within\" flux_by=\"w\" weight=\"rho+1\"")));

  EXPECT_EQ(result.text(), "");
  ASSERT_EQ(result.config.diagnostics.size(), 3U);
  EXPECT_EQ(diagnostic(result.config, "theta_flux").expression.value, "cov[y,x](w, theta, weight=(rho+1))");
  EXPECT_EQ(diagnostic(result.config, "theta_flux_within_cloud").expression.value,
            "where(mean[y,x]((cloud) != 0, weight=(rho+1)) > 0, mean[y,x]((cloud) != 0, weight=(rho+1)) * "
            "cov[y,x](w, "
            "theta, weight=(rho+1) | cloud), 0)");
  EXPECT_EQ(diagnostic(result.config, "theta_flux").metadata.units.value, "K m s-1");
}

TEST(ReadStatistics, looks_names_up_in_the_namespaces_around_it) {
  const std::string handling =
      "<data-handling namespace=\"a\"><condition name=\"cloud\">w &gt; 0</condition>"
      "<statistics name=\"s\" dimensions=\"x\" fields=\"w\" conditions=\"cloud\"/>"
      "</data-handling>";
  const ReadResult result = read(
      "<io-configuration><data-definition name=\"d\" frequency=\"1\">"
      "<field name=\"w\" size=\"x\"/></data-definition>" +
      handling + "</io-configuration>");

  EXPECT_EQ(result.text(), "");
  EXPECT_EQ(diagnostic(result.config, "w_in_cloud").scope, "a");
}

TEST(ReadStatistics, names_each_mistake_where_it_stands) {
  const auto findings = [](const std::string& more) { return read(with(statistics(more))).text(); };
  EXPECT_EQ(
      findings("fields=\"w,thata\" conditions=\"cloud\""),
      "io.xml:4:49: error: statistics \"s\": no field, diagnostic or condition \"thata\" for fields; did "
      "you mean \"theta\"?");
  EXPECT_EQ(findings("fields=\"w\" conditions=\"clowd\""),
            "io.xml:4:62: error: statistics \"s\": no field, diagnostic or condition \"clowd\" for "
            "conditions; did you mean \"cloud\"?");
  EXPECT_EQ(findings("fields=\"w\" conditions=\"cloud\" of=\"mean,varianse\""),
            "io.xml:4:78: error: statistics \"s\": no statistic \"varianse\"; did you mean \"variance\"?");
  EXPECT_EQ(findings("fields=\"w\" conditions=\"cloud\" of=\"flux\""),
            "io.xml:4:1: error: statistics \"s\": flux needs what carries the fields: flux_by=\"w\"");
  EXPECT_EQ(findings("fields=\"w\" conditions=\"cloud\" flux_by=\"w\""),
            "io.xml:4:78: error: statistics \"s\" has flux_by, but no flux: add flux, flux_within or "
            "flux_between to \"of\"");
  EXPECT_EQ(findings("conditions=\"cloud\""),
            "io.xml:4:1: error: statistics \"s\": mean needs fields: fields=\"w,theta\"");
}

TEST(ReadStatistics, refuses_more_than_anybody_wants) {
  std::string conditions, names;
  for (int i = 0; i < 101; ++i) {
    const std::string name = "c" + std::to_string(i);
    conditions += "<condition name=\"" + name + "\">w &gt; 1</condition>";
    names += (i > 0 ? "," : "") + name;
  }
  const std::string text = "<statistics name=\"s\" dimensions=\"x\" of=\"mean\" fields=\"" + names +
                           "\" conditions=\"" + names + "\"/>";

  const ReadResult result = read(with(conditions + "\n" + text));

  EXPECT_EQ(result.text(),
            "io.xml:4:1: error: statistics \"s\" makes 10201 diagnostics, and at most 10000 are made by one; "
            "divide it");
}

TEST(ReadStatistics, refuses_names_that_there_are) {
  EXPECT_EQ(read(with("<condition name=\"w\">theta &gt; 0</condition>")).text(),
            "io.xml:3:33: error: condition \"w\" makes \"w\", but there is one of that name, declared at "
            "io.xml:2:54; choose another name, or a namespace of data-handling");
  const std::string again = "<diagnostic field=\"w_in_cloud\" expression=\"w\"/>";
  EXPECT_EQ(read(with(again + statistics("fields=\"w\" conditions=\"cloud\" of=\"mean\""))).text(),
            "io.xml:4:47: error: statistics \"s\" makes \"w_in_cloud\", but there is one of that name, "
            "declared at io.xml:3:35; choose another name, or a namespace of data-handling");
}

TEST(UnitsOfProducts, add_powers_and_keep_what_they_do_not_understand) {
  EXPECT_EQ(units_of_product("K", "m s-1"), "K m s-1");
  EXPECT_EQ(units_of_product("m s-1", "m s-1"), "m2 s-2");
  EXPECT_EQ(units_of_product("kg kg-1", "m"), "m");
  EXPECT_EQ(units_of_product("m", "m-1"), "1");
  EXPECT_EQ(units_of_product("1", "1"), "1");
  EXPECT_EQ(units_of_product("W/m2", "m"), "(W/m2) (m)");
  EXPECT_EQ(units_of_product("", "m"), "");
}

}  // namespace
}  // namespace pileus::testing
