// Runs that go on from a checkpoint with another configuration: what is defined as before goes on, the rest
// begins afresh and is named.

#include <gtest/gtest.h>

#include "server/testing/killed_runs.h"

namespace pileus::testing {
namespace {

using ChangedRun = ContinuedRun;

TEST_F(ChangedRun, says_what_is_not_continued_and_goes_on_with_the_rest) {
  const std::string kept =
      file("kept", "write_time_frequency=\"15\" overwrite=\"true\"", "w vwp", "averaged", "15");
  const RunOf before{configuration(
      kept + file("slower", "write_time_frequency=\"30\" overwrite=\"true\"", "w", "averaged", "15") +
      file("other", "write_time_frequency=\"15\" overwrite=\"true\"", "w_profile dt", "averaged", "15") +
      file("gone", "write_time_frequency=\"15\"", "dt", "maximum", "15"))};
  const RunOf after{configuration(
      kept + file("slower", "write_time_frequency=\"30\" overwrite=\"true\"", "w", "averaged", "30") +
          file("other", "write_time_frequency=\"15\" overwrite=\"true\"", "w_profile dt w_anomaly",
               "averaged", "15") +
          file("new", "write_time_frequency=\"15\"", "dt", "minimum", "15"),
      "w_anomaly")};
  // No file was complete after step 5, so that all of them name the configuration of now.
  const std::map<std::string, std::string> right = after.uninterrupted_files();
  const SimulatedResult killed = before.killed_after({5}, 3, {});
  const SimulatedResult result = after.continued_after(5, killed.directory, 4);

  EXPECT_EQ(result.errors, "");
  for (const std::string name : {"kept_15.nc", "kept_30.nc", "kept_45.nc"}) {
    ASSERT_TRUE(right.contains(name) && result.files.contains(name)) << name;
    EXPECT_TRUE(result.files.at(name) == right.at(name)) << name;
  }
  const auto is_said = [&](const std::string& text) {
    return std::ranges::find(result.figures.warnings, text) != result.figures.warnings.end();
  };
  EXPECT_TRUE(
      is_said("axis \"time\" of file \"slower.nc\" begins afresh: it was \"averaged every 2 steps each 15 s, "
              "a file every 30 s\" and is \"averaged every 2 steps each 30 s, a file every 30 s\""));
  EXPECT_TRUE(is_said("axis \"time\" of file \"new.nc\" is new: it begins afresh"));
  EXPECT_TRUE(is_said("axis \"time\" of file \"gone.nc\" is not continued"));
  EXPECT_TRUE(
      is_said("variable \"w_profile\" of file \"other.nc\" is made in another way: it begins afresh") ||
      is_said("axis \"time_averaged_15\" of file \"other.nc\" is new: it begins afresh"));
  for (const std::string& text : result.figures.warnings)
    EXPECT_EQ(text.find("kept"), std::string::npos) << text;
}

/// What rules are told: each is a parameter of another kind.
struct Parameters {
  std::string equation = "2*w", index = "1", condition = "w gt 0";
};

/// A file of a diagnostic of each kind, and one of what no parameter changes.
RunOf with(const Parameters& parameters) {
  const std::string files =
      file("changing", "write_time_frequency=\"30\"", "scaled level upward", "averaged", "15") +
      file("kept", "write_time_frequency=\"30\"", "plain w", "averaged", "15");
  return {R"xml(<io-configuration>
  <data-definition name="raw_fields" frequency="1">
    <field name="w" type="array" data_type="double" size="z,y,x" collective="true"/>
  </data-definition>
  <data-handling>
    <diagnostic field="scaled">
      <operator name="arithmetic" equation=")xml" +
          parameters.equation + R"xml(" result="scaled"/>
    </diagnostic>
    <diagnostic field="level">
      <operator name="field_slicer" field="w" dimension="z" index=")xml" +
          parameters.index +
          R"xml(" result="level"/>
    </diagnostic>
    <diagnostic field="upward">
      <operator name="filter" field="w" condition=")xml" +
          parameters.condition + R"xml(" result="upward"/>
    </diagnostic>
    <diagnostic field="plain">
      <operator name="arithmetic" equation="w + 1" result="plain"/>
    </diagnostic>
  </data-handling>
  <data-writing>)xml" +
          files + R"xml(</data-writing>
</io-configuration>
)xml"};
}

/// Killed in the middle of the first window, and continued.
Texts warnings_after(const RunOf& before, const RunOf& after) {
  const SimulatedResult killed = before.killed_after({3}, 3, {});
  const SimulatedResult result = after.continued_after(3, killed.directory, 4);
  EXPECT_EQ(result.errors, "");
  const std::map<std::string, std::string> right = after.uninterrupted_files();
  EXPECT_EQ(result.files.size(), right.size());
  for (const auto& [name, bytes] : right) {
    const bool is_right = result.files.at(name) == bytes;
    EXPECT_TRUE(is_right || !name.starts_with("kept")) << name;
  }
  Texts warnings = result.figures.warnings;
  std::ranges::sort(warnings);
  std::filesystem::remove_all(result.directory);
  return warnings;
}

std::string begins_afresh(const std::string& variable) {
  return "variable \"" + variable + "\" of file \"changing.nc\" is made in another way: it begins afresh";
}

TEST_F(ChangedRun, begins_afresh_what_is_made_with_another_parameter_and_nothing_else) {
  EXPECT_EQ(warnings_after(with({}), with({})), Texts());
  EXPECT_EQ(warnings_after(with({}), with({.equation = "3*w"})), Texts{begins_afresh("scaled")});
  EXPECT_EQ(warnings_after(with({}), with({.index = "2"})), Texts{begins_afresh("level")});
  EXPECT_EQ(warnings_after(with({}), with({.condition = "w gt 1"})), Texts{begins_afresh("upward")});
}

}  // namespace
}  // namespace pileus::testing
