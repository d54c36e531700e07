// Runs that go on from a checkpoint with another configuration: what is defined as before goes on, the rest
// begins afresh and is named.

#include <gtest/gtest.h>

#include <fstream>

#include "server/testing/killed_runs.h"
#include "state/folder_lock.h"

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
    return std::ranges::find(result.figures.logged_warnings, text) != result.figures.logged_warnings.end();
  };
  EXPECT_TRUE(
      is_said("axis \"time\" of file \"slower.nc\" begins afresh: it was \"averaged every 2 steps each 15 s, "
              "a file every 30 s\" and is \"averaged every 2 steps each 30 s, a file every 30 s\""));
  EXPECT_TRUE(is_said("axis \"time\" of file \"new.nc\" is new: it begins afresh"));
  EXPECT_TRUE(is_said("axis \"time\" of file \"gone.nc\" is not continued"));
  EXPECT_TRUE(
      is_said("variable \"w_profile\" of file \"other.nc\" is made in another way: it begins afresh") ||
      is_said("axis \"time_averaged_15\" of file \"other.nc\" is new: it begins afresh"));
  for (const std::string& text : result.figures.logged_warnings)
    EXPECT_EQ(text.find("kept"), std::string::npos) << text;
}

/// Parameters of rules, each of another kind.
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
  Texts warnings = result.figures.logged_warnings;
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

/// One change of a configuration, by what stands there and what comes instead.
struct Change {
  const char* what;
  const char* from;
  const char* to;
  bool is_defined_otherwise = true;  ///< the file "series", so that it begins anew
  bool covers_other_times = false;
};

constexpr const char* kSeries = R"xml(<io-configuration>
  <data-definition name="raw_fields" frequency="1">
    <field name="w" type="array" data_type="double" size="z,y,x" collective="true" units="m s-1"/>
    <field name="dt" type="scalar" data_type="double" units="s"/>
  </data-definition>
  <data-writing>
    <file name="series.nc" title="one" write_time_frequency="15">
      <include field="w" time_manipulation="averaged" output_frequency="5"/>
      <include field="dt" time_manipulation="averaged" output_frequency="5"/>
    </file>
    <file name="other.nc" write_time_frequency="15">
      <include field="dt" time_manipulation="maximum" output_frequency="5"/>
    </file>
  </data-writing>
</io-configuration>
)xml";

constexpr Change kChanges[] = {
    {"nothing", "", "", false},
    {"an include is added", "<include field=\"w\"",
     "<include field=\"w\" time_manipulation=\"minimum\" output_frequency=\"5\"/><include field=\"w\""},
    {"an include is removed", "<include field=\"dt\" time_manipulation=\"averaged\" output_frequency=\"5\"/>",
     ""},
    {"two includes are swapped",
     R"xml(<include field="w" time_manipulation="averaged" output_frequency="5"/>
      <include field="dt" time_manipulation="averaged" output_frequency="5"/>)xml",
     R"xml(<include field="dt" time_manipulation="averaged" output_frequency="5"/>
      <include field="w" time_manipulation="averaged" output_frequency="5"/>)xml"},
    {"the title", "title=\"one\"", "title=\"two\"", false},
    {"an attribute", "units=\"m s-1\"", "units=\"cm s-1\""},
    {"an output frequency", "<include field=\"w\" time_manipulation=\"averaged\" output_frequency=\"5\"/>",
     "<include field=\"w\" time_manipulation=\"averaged\" output_frequency=\"3\"/>"},
    {"a manipulation", "<include field=\"w\" time_manipulation=\"averaged\"",
     "<include field=\"w\" time_manipulation=\"maximum\""},
    {"a file is added", "<file name=\"other.nc\"",
     R"xml(<file name="added.nc" write_time_frequency="15">
      <include field="w" time_manipulation="none"/>
    </file><file name="other.nc")xml",
     false},
    {"a file is removed", R"xml(<file name="other.nc" write_time_frequency="15">
      <include field="dt" time_manipulation="maximum" output_frequency="5"/>
    </file>)xml",
     "", false},
    {"a file is renamed", "name=\"other.nc\"", "name=\"renamed.nc\"", false},
    {"two files swap their names", "", ""},
    {"the precision", "title=\"one\"", "title=\"one\" precision=\"float\""},
    {"the compression", "title=\"one\"", "title=\"one\" deflate=\"1\""},
    {"a longer write frequency", "title=\"one\" write_time_frequency=\"15\"",
     "title=\"one\" write_time_frequency=\"30\"", true, true},
    {"a shorter write frequency", "title=\"one\" write_time_frequency=\"15\"",
     "title=\"one\" write_time_frequency=\"7.5\"", true, true},
};

std::string changed(const Change& change) {
  std::string text = kSeries;
  if (change.what == std::string("two files swap their names")) {
    text.replace(text.find("series.nc"), 9, "OTHER.nc");
    text.replace(text.find("other.nc"), 8, "series.nc");
    return text.replace(text.find("OTHER.nc"), 8, "other.nc");
  }
  const std::string from = change.from;
  EXPECT_NE(text.find(from), std::string::npos) << change.what;
  return text.replace(text.find(from), from.size(), change.to);
}

/// A whole run, of which the state after a step is kept by when some files are published: in the end all are.
SimulatedResult whole_run(const RunOf& run, std::int64_t cut, const std::vector<std::string>& published) {
  SimulatedRun simulated = run.in_layout(3, 2, 5);
  std::function<void()> rest;
  std::string directory;
  simulated.rest = &rest;
  simulated.prepare_directory = [&](const std::string& made) { directory = made; };
  SmallModel small = run.model(3, 5);
  small.checkpoints = {cut};
  simulated.model = [&](Client& client, ClientRank rank) {
    SmallModel own = small;
    if (rank == 0) {
      own.before_step = [&](const Step& step) {
        for (const std::string& name : published)
          while (step.index == cut && !std::filesystem::exists(directory + "/" + name)) rest();
      };
    }
    own(client, rank);
  };
  return simulate(simulated);
}

const std::vector<std::string> kComplete = {"series_15.nc", "series_30.nc", "other_15.nc", "other_30.nc"};

/// After step 9, at 35.75 s, the files of 15 s and 30 s are complete, that of 45 s is under way, that of 60 s
/// lies ahead.
TEST_F(ChangedRun, goes_on_whatever_changes_though_files_were_published_after_the_checkpoint) {
  const RunOf before{kSeries};
  for (const Change& change : kChanges) {
    SCOPED_TRACE(change.what);
    const RunOf after{changed(change)};
    const std::map<std::string, std::string> right = after.uninterrupted_files();
    const SimulatedResult whole = whole_run(before, 9, kComplete);
    ASSERT_TRUE(whole.files.contains("series_60.nc"));

    const SimulatedResult result = after.continued_after(9, whole.directory, 7);

    EXPECT_EQ(result.errors, "");
    for (const std::string& error : result.model_errors) EXPECT_EQ(error, "");
    for (const std::string& name : kComplete)
      EXPECT_TRUE(whole.files.contains(name) && result.files.contains(name) &&
                  result.files.at(name) == whole.files.at(name))
          << name << " was complete before";
    for (const auto& [name, bytes] : right) {
      if (!name.ends_with("_60.nc")) continue;
      ASSERT_TRUE(result.files.contains(name)) << name;
      EXPECT_TRUE(result.files.at(name) == bytes || change.covers_other_times) << name;
    }
    EXPECT_EQ(result.files.contains("series_45.nc.until-step-9"),
              change.is_defined_otherwise && right.contains("series_45.nc"));
    std::filesystem::remove_all(result.directory);
  }
}

/// A run goes on after step 9 with a change, is killed after the checkpoint of step `cut`, and goes on again.
/// The file of 45 s began anew, and is under way again. The files are those of a run that goes on only once.
void expect_second_continuation(const Change& change, std::int64_t cut) {
  const RunOf before{kSeries}, after{changed(change)};
  const SimulatedResult whole = whole_run(before, 9, kComplete);
  const SimulatedResult once = after.continued_after(9, whole.directory, 7);
  const SimulatedResult first = whole_run(before, 9, kComplete);
  const SimulatedResult killed = after.killed_after({cut}, 4, {9, first.directory});

  const SimulatedResult twice = after.continued_after(cut, killed.directory, 7);

  expect_same_files(once.files, twice);
  for (const SimulatedResult* result : {&once, &twice}) std::filesystem::remove_all(result->directory);
}

TEST_F(ChangedRun, is_continued_once_more_with_what_began_anew) {
  for (const Change& change : kChanges) {
    if (!change.is_defined_otherwise || change.covers_other_times) continue;
    SCOPED_TRACE(change.what);
    for (const std::int64_t cut : {10, 11}) expect_second_continuation(change, cut);
  }
}

/// Each of two continuations changes the definition; the last may go back to the first. The file of 45 s
/// begins anew twice.
TEST_F(ChangedRun, begins_files_anew_twice) {
  const RunOf before{kSeries};
  for (const std::size_t second : {std::size_t{0}, std::size_t{4}, std::size_t{5}}) {
    SCOPED_TRACE(kChanges[second].what);
    const SimulatedResult first = whole_run(before, 9, kComplete);
    const SimulatedResult killed = RunOf{changed(kChanges[3])}.killed_after({11}, 4, {9, first.directory});

    const SimulatedResult result = RunOf{changed(kChanges[second])}.continued_after(11, killed.directory, 7);

    EXPECT_EQ(result.errors, "");
    for (const std::string& error : result.model_errors) EXPECT_EQ(error, "");
    EXPECT_TRUE(result.files.contains("series_45.nc"));
    EXPECT_TRUE(result.files.contains("series_60.nc"));
    std::filesystem::remove_all(result.directory);
  }
}

/// The texts with which all model ranks were refused.
std::string refusal(const SimulatedResult& result) {
  return result.model_errors.empty() ? "" : result.model_errors.front();
}

void overwrite(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

TEST_F(ChangedRun, never_touches_a_file_that_the_run_did_not_publish) {
  const RunOf before{kSeries};
  for (const Change& change : {kChanges[0], kChanges[3], kChanges[4]}) {
    SCOPED_TRACE(change.what);
    const SimulatedResult whole = whole_run(before, 9, kComplete);
    overwrite(whole.directory + "/series_60.nc", "of somebody else");

    const SimulatedResult result = RunOf{changed(change)}.continued_after(9, whole.directory, 7);

    EXPECT_NE(refusal(result).find("series_60.nc exists already"), std::string::npos) << refusal(result);
    EXPECT_EQ(result.files.at("series_60.nc"), "of somebody else");
    std::filesystem::remove_all(result.directory);
  }
}

TEST_F(ChangedRun, does_not_write_over_what_was_published_before_the_checkpoint) {
  std::string by_index = kSeries;
  by_index.replace(by_index.find("series.nc"), 9, "series_{index}.nc");
  std::string slower = by_index;
  slower.replace(slower.find("\"15\""), 4, "\"30\"");  // the second file of which is under way
  const SimulatedResult whole = whole_run({by_index}, 9, {"series_0002.nc"});

  const SimulatedResult result = RunOf{slower}.continued_after(9, whole.directory, 7);

  EXPECT_NE(refusal(result).find("series_0002.nc exists already"), std::string::npos) << refusal(result);
  EXPECT_TRUE(result.files.at("series_0002.nc") == whole.files.at("series_0002.nc"));
}

TEST_F(ChangedRun, is_refused_where_the_configuration_is_the_same_and_something_would_begin_afresh) {
  const RunOf run{kSeries};
  const SimulatedResult killed = run.killed_after({9}, 3, {});
  SimulatedRun simulated = run.in_layout(2, 1, 1);
  simulated.directory = killed.directory;
  SmallModel small = run.model(2, 1);
  small.continue_after = 9;
  small.held_x = kNx - 1;  // which the file says
  simulated.model = small;

  const SimulatedResult result = simulate(simulated);

  EXPECT_NE(refusal(result).find("the configuration is the same, but the model has changed"),
            std::string::npos)
      << refusal(result);
}

TEST_F(ChangedRun, is_refused_while_another_one_is_alive_in_its_folder) {
  const RunOf run{kSeries};
  const SimulatedResult killed = run.killed_after({9}, 3, {});
  FolderLock other;
  other.take(killed.directory, "abc");

  const SimulatedResult result = run.continued_after(9, killed.directory, 4);

  EXPECT_NE(refusal(result).find("run abc, process"), std::string::npos) << refusal(result);
}

}  // namespace
}  // namespace pileus::testing
