#include "config/readings.h"

#include <gtest/gtest.h>

#include "config/read_config.h"

namespace pileus {
namespace {

std::string component(const std::string& name, const std::string& contents) {
  return "<component name=\"" + name + "\">" + contents + "</component>\n";
}

std::string model(const std::string& file) {
  return "<data-definition name=\"d\" frequency=\"1\"><field name=\"t\"/></data-definition><data-writing>"
         "<file name=\"" +
         file + "\" write_time_frequency=\"60\"><include field=\"t\" output_frequency=\"10\"/></file>" +
         "</data-writing>";
}

std::string reading(const std::string& of_component, const std::string& file, const std::string& more = "") {
  return "<data-definition name=\"" + of_component + "\" component=\"" + of_component + "\" file=\"" + file +
         "\" frequency=\"1\" " + more + "><field name=\"t\"/></data-definition>";
}

Config read(const std::string& contents, const std::string& of_component, Findings& findings,
            const std::map<std::string, std::string>& options = {}) {
  return read_config("<io-configuration>" + contents + "</io-configuration>", "run.xml", Catalogue{}, options,
                     findings, false, {}, {}, of_component);
}

const std::string kJob = component("air", model("{run}_air.nc")) + component("sea", model("sea.nc")) +
                         component("both", reading("air", "{run}_air.nc") + reading("sea", "sea.nc"));

TEST(Readings, have_the_component_for_a_namespace_unless_another_is_given) {
  Findings findings;

  const Config config = read(kJob, "both", findings, {{"run", "7"}});
  const Config other =
      read(component("air", model("a.nc")) + component("both", reading("air", "a.nc", "namespace=\"n\"")),
           "both", findings);

  EXPECT_TRUE(findings.all().empty()) << findings.text();
  ASSERT_EQ(config.data_groups.size(), 2);
  EXPECT_EQ(config.data_groups[0].scope, "air");
  EXPECT_EQ(config.data_groups[0].file.value, "7_air.nc");
  EXPECT_TRUE(config.data_groups[0].fields[0].is_collective);
  EXPECT_EQ(other.data_groups[0].scope, "n");
}

TEST(Readings, are_known_at_the_files_that_are_read) {
  Findings findings;

  const Config air = read(kJob, "air", findings, {{"run", "7"}});
  const Config both = read(kJob, "both", findings, {{"run", "7"}});

  ASSERT_EQ(air.files.size(), 1);
  EXPECT_EQ(air.files[0].readers, (std::vector<std::string>{"both"}));
  EXPECT_TRUE(both.files.empty());
}

TEST(Readings, that_never_meet_are_an_error) {
  Findings findings, others;
  const std::string odd = component("sea",
                                    "<data-definition name=\"d\" frequency=\"1\"><field name=\"t\"/>"
                                    "</data-definition><data-writing><file name=\"sea.nc\" "
                                    "write_time_frequency=\"60\"><include field=\"t\" "
                                    "output_frequency=\"10.000001\"/></file></data-writing>");
  const std::string end = "<time end=\"30 d\"/>";
  const std::string both = component("both", reading("air", "a.nc") + reading("sea", "sea.nc"));

  read(end + component("air", model("a.nc")) + odd + both, "both", findings);
  read(component("air", model("a.nc")) + odd + both, "both", others);

  EXPECT_NE(findings.text().find("have no time in common"), std::string::npos) << findings.text();
  EXPECT_TRUE(others.all().empty()) << others.text();
}

}  // namespace
}  // namespace pileus
