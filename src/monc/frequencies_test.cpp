// The meaning of frequencies and times in MONC's files.

#include "monc/test_meaning.h"

namespace pileus::testing {
namespace {

TEST(MoncMeaning, with_time_basis_the_newer_fork_counts_seconds) {
  const std::string rest = "<include field=\"w\" time_manipulation=instantaneous output_frequency=6. />";
  const std::string steps = "<data-writing><file name=\"f.nc\" title=t write_timestep_frequency={n}>" + rest +
                            "</file></data-writing>";
  const std::string moncs = "<data-definition name=d frequency=\"{n}\">" + kW + "</data-definition>" + steps;
  const std::string seconds =
      "<data-definition name='d' frequency='30 s'>" + kW +
      "</data-definition><data-writing><file name='f.nc' naming='monc' title='t' write_time_frequency='30'>"
      "<include field='w' output_frequency='6.'/></file></data-writing>";

  const auto result = read_newer(moncs, {{"n", "30"}, {"time_basis", ".true."}});

  EXPECT_EQ(dump(result.config), strict_of(seconds));
  EXPECT_NE(result.said().find("1:1: note: with the option time_basis"), std::string::npos);
  EXPECT_EQ(read_newer(moncs, {{"n", "30"}, {"time_basis", ".false."}}).config.data_groups[0].frequency.steps,
            30);
  const Options never = {{"n", "0"}, {"time_basis", "true"}};
  EXPECT_TRUE(read_newer(moncs, never).config.data_groups[0].frequency.is_final_only());
}

TEST(MoncMeaning, records_count_from_the_last_one_unless_the_newer_fork_steps_onto_their_times) {
  const Texts files = {
      {"io.xml", data(kW) + file("<include field=\"w\" time_manipulation=instantaneous output_frequency=6. />"
                                 "<include field=\"w\" time_manipulation=none output_frequency=60 />")}};
  const auto counts_from_last = [&](const char* fork, const Options& options) {
    const auto result = read_monc(files, "io.xml", options, fork);
    EXPECT_FALSE(result.config.files.at(0).includes.at(1).is_from_last);
    return result.config.files[0].includes[0].is_from_last;
  };

  EXPECT_TRUE(counts_from_last("monc", {}));
  EXPECT_TRUE(counts_from_last("monc-leeds", {{"time_basis", ".true."}}));
  EXPECT_TRUE(counts_from_last("monc-epcc", {{"time_basis", ".false."}}));
  EXPECT_FALSE(counts_from_last("monc-epcc", {{"time_basis", ".true."}}));
  EXPECT_FALSE(counts_from_last("monc-epcc", {{"force_output_on_interval", "true"}}));
}

TEST(MoncMeaning, files_with_the_title_checkpoint_that_get_several_records_are_noted) {
  const auto said = [](const std::string& title, int steps, const std::string& fork) {
    const std::string n = " namespace=\"n\"";
    const Texts files = {{"io.xml", data(kW, n) + group("g", "<member name=\"w\"/>", n) +
                                        "<data-writing><file name=\"f.nc\" write_timestep_frequency=\"" +
                                        std::to_string(steps) + "\" write_on_terminate=true title=\"" +
                                        title + "\"><include group=\"g\"" + kWithNone +
                                        "</file></data-writing>"}};
    return read_monc(files, "io.xml", {}, fork).said();
  };

  EXPECT_EQ(
      said("checkPOINT", 10, "monc-epcc"),
      "io.xml:3:94: note: each of these files has all values of \"n::w\" since the one before, or of the "
      "run; the newer fork of MONC writes the last value alone into a file with this title");
  EXPECT_EQ(said("Checkpoint", 2, "monc-epcc"), "");
  EXPECT_EQ(said("Checkpoint", 10, "monc-leeds").find("each of these files"), std::string::npos);
  EXPECT_EQ(said("Checkpoints", 10, "monc-epcc"), "");
}

std::string written(const std::string& attributes, const std::string& output) {
  return data(kW) + "<data-writing><file name=\"f.nc\" title=t " + attributes +
         "><include field=\"w\" output_frequency=\"" + output + "\"/></file></data-writing>";
}

TEST(MoncMeaning, times_without_a_point_are_noted) {
  const std::string said = read_monc(written("write_time_frequency=600", "5")).said();

  EXPECT_EQ(
      said,
      "io.xml:2:62: note: write_time_frequency=\"600\" is 600 s here; MONC reads it as 6.00, because it "
      "has no point: write 600.0\nio.xml:2:103: note: output_frequency=\"5\" is 5 s here; MONC reads it as "
      "0.05, because it has no point: write 5.0");
  EXPECT_EQ(read_monc(written("write_time_frequency={t}", "{t}"), {{"t", "600"}}).said(), "");
}

TEST(MoncMeaning, times_may_have_exponents_as_fortran_writes_them) {
  const auto result = read_monc(written("write_time_frequency=6.0d2", "0.5D+1"));

  EXPECT_EQ(result.said(), "");
  EXPECT_EQ(result.config.files.at(0).write_time_frequency.seconds, 600);
  EXPECT_EQ(result.config.files[0].includes.at(0).output_frequency->seconds, 5);
}

TEST(MoncMeaning, steps_between_files_are_noted_in_the_older_fork) {
  const auto said = [](const std::string& dialect) {
    return read_monc({{"io.xml", written("write_timestep_frequency={n}", "5.")}}, "io.xml", {{"n", "250"}},
                     dialect)
        .said();
  };

  EXPECT_EQ(
      said("monc-leeds"),
      "io.xml:2:66: note: write_timestep_frequency=\"250\" is 250 steps here; the older fork of MONC reads "
      "it as 2, because it takes the last two digits for decimals");
  EXPECT_EQ(said("monc-epcc"), "");
}

TEST(MoncMeaning, of_two_frequencies_of_a_file_that_in_time_counts) {
  const auto result = read_monc(written("write_time_frequency=60. write_timestep_frequency=10", "5."));

  EXPECT_EQ(result.config.files.at(0).write_timestep_frequency, 0);
  EXPECT_NE(result.said().find("warning: write_timestep_frequency is not read"), std::string::npos);
}

TEST(MoncMeaning, a_file_that_is_never_written_is_left_out) {
  const auto result = read_monc(written("write_timestep_frequency={n}", "5."), {{"n", "0"}});

  EXPECT_TRUE(result.config.files.empty());
  EXPECT_EQ(result.said(),
            "io.xml:2:66: warning: file \"f.nc\" is never written, in MONC neither: its frequency is 0; "
            "write_on_terminate=\"true\" writes it at the end");
  EXPECT_EQ(
      read_monc(written("write_timestep_frequency=0 write_on_terminate=true", "5.")).config.files.size(), 1U);
}

TEST(MoncMeaning, a_second_frequency_of_a_field_is_noted) {
  const auto file_of = [](const char* name, const std::string& include) {
    return "<file name=\"" + std::string(name) + "\" title=t write_time_frequency=600.>" + include +
           "</file>";
  };
  const auto include = [](const char* what, const char* manipulation, const char* often) {
    return "<include " + std::string(what) + " time_manipulation=" + manipulation +
           " output_frequency=" + often + " />";
  };
  const std::string text =
      data(kW) + group("g", "<member name=w/>") + "<data-writing>" +
      file_of("a.nc", include("group=g", "instantaneous", "60.") + include("field=w", "averaged", "30.")) +
      "\n" +
      file_of("b.nc", include("field=w", "averaged", "30.") + include("field=w", "instantaneous", "30.")) +
      "</data-writing>";

  const std::string said = read_monc(text).said();

  EXPECT_EQ(said.substr(said.find(':', 9)),
            ": note: \"w\" has a record every 30. s here; MONC makes one every 60. s, as for file \"a.nc\", "
            "because "
            "it makes the records of a field once for all files");
  EXPECT_TRUE(said.starts_with("io.xml:4:")) << said;
}

}  // namespace
}  // namespace pileus::testing
