// The meaning of MONC's files: for each difference between MONC's language and strict XML, the strict form
// with the same meaning, and the finding about it.

#include <gtest/gtest.h>

#include <cstdlib>

#include "layout/test_config.h"
#include "monc/test_support.h"

namespace pileus {
namespace {

namespace fs = std::filesystem;
using testing::converted;
using testing::dump;
using testing::MoncResult;
using testing::read_monc;

std::string strict_of(const std::string& text, const Options& options = {}) {
  Findings findings;
  return dump(read_config("<io-configuration>" + text + "</io-configuration>", "io.xml", builtin_catalogue(),
                          options, findings, true));
}

void expect_means(const std::string& monc, const std::string& strict, const std::string& said,
                  const Options& options = {}) {
  const auto result = read_monc(monc, options);
  EXPECT_EQ(dump(result.config), strict_of(strict, options));
  EXPECT_EQ(result.said(), said.empty() ? "" : "io.xml:" + said);
}

std::string data(const std::string& fields, const std::string& more = "") {
  return "<data-definition name=\"d\" frequency=\"2\"" + more + ">" + fields + "</data-definition>\n";
}

std::string group(const std::string& name, const std::string& members, const std::string& more = "") {
  return "<group name=\"" + name + "\"" + more + ">" + members + "</group>\n";
}

std::string file(const std::string& includes, const std::string& more = "") {
  return "<data-writing><file name=\"f.nc\" write_time_frequency=\"6.\" title=\"t\"" + more + ">" + includes +
         "</file></data-writing>";
}

const std::string kMoncs = " naming=\"monc\"";
const std::string kWithNone = " time_manipulation=\"none\"/>";
const std::string kW = "<field name=\"w\" type=\"array\" data_type=\"double\" size=\"z\"/>";

TEST(MoncMeaning, of_truth_values_only_the_word_true_is_true) {
  expect_means(data("<field name=\"w\" type=\"array\" optional=.true./>"),
               data("<field name='w' type='array' optional='false'/>"),
               "1:79: warning: optional=\".true.\" is false: only the word true is true in MONC's "
               "files; did you mean \"true\"?");
}

TEST(MoncMeaning, a_scalar_has_neither_size_nor_parts) {
  expect_means(
      data("<field name=\"t\" type=scalar size=\"z\" collective=true/>"),
      data("<field name='t' type='scalar'/>"),
      "1:75: note: size has no meaning for a scalar\nio.xml:1:89: note: collective has no meaning for "
      "a scalar");
}

TEST(MoncMeaning, a_group_is_found_without_its_namespace) {
  expect_means(data(kW, " namespace=\"n\"") + group("g", "<member name=\"w\"/>", " namespace=\"n\"") +
                   file("<include group=\"g\"" + kWithNone),
               data(kW, " namespace='n'") + group("g", "<member name='w'/>", " namespace='n'") +
                   file("<include group='n::g'" + kWithNone, kMoncs),
               "");
}

TEST(MoncMeaning, a_group_that_is_not_there_is_left_out_with_a_warning) {
  expect_means(
      data(kW) + group("winds", "<member name=\"w\"/>") +
          file("<include group=\"wind\"" + kWithNone + "<include field=\"w\"" + kWithNone),
      data(kW) + group("winds", "<member name='w'/>") + file("<include field='w'" + kWithNone, kMoncs),
      "3:85: warning: no group \"wind\"; did you mean \"winds\"?; nothing is written for it, where MONC "
      "would stop");
}

TEST(MoncMeaning, what_is_declared_twice_counts_once) {
  expect_means(data(kW + "\n<field name=\"w\" type=\"scalar\"/>") + group("g", "<member name=\"w\"/>") +
                   group("g", "<member name=\"w\"/>"),
               data(kW) + group("g", "<member name='w'/>"),
               "2:14: warning: a second field \"w\" is not read; the first is at io.xml:1:54\nio.xml:4:14: "
               "warning: a second group \"g\" is not read; the first is at io.xml:3:14");
}

TEST(MoncMeaning, time_and_step_are_fields_of_every_group) {
  expect_means(
      data(kW) + group("g", "<member name=\"w\"/><member name=\"time\"/><member name=\"timestep\"/>"),
      data(kW + "<field name='time' type='scalar' data_type='double'/><field name='timestep' "
                "type='scalar' data_type='integer'/>") +
          group("g", "<member name='w'/><member name='time'/><member name='timestep'/>"),
      "");
}

TEST(MoncMeaning, coordinates_are_written_once) {
  expect_means(data("<field name=\"z\" type=\"array\" size=\"z\"/>" + kW) +
                   group("g", "<member name=\"z\"/><member name=\"w\"/>"),
               data("<field name='z' type='array' size='z'/>" + kW) + group("g", "<member name='w'/>"),
               "2:31: note: \"z\" is written as the coordinate of the dimension \"z\", as the model "
               "registers it, and not a "
               "second time");
}

TEST(MoncMeaning, a_file_has_a_title_moncs_names_and_no_folder) {
  const std::string include = "<include field=\"w\" time_manipulation=averaged output_frequency=1./>";
  expect_means(
      data(kW) + "<data-writing><file name=\"../out/f.nc\" write_time_frequency=6.>" + include +
          "</file></data-writing>",
      data(kW) +
          "<data-writing><file name='f.nc' write_time_frequency='6.' title='MONC diagnostics' "
          "naming='monc'><include field='w' time_manipulation='averaged' output_frequency='1.' "
          "counts_from='last_record'/></file></data-writing>",
      "2:27: note: the folder \"../out\" is left off: all files of a run are below the folder that is "
      "chosen where it is started");
}

/// What MONC's servers write into every file, where a bridge hands it over.
TEST(MoncMeaning, files_of_a_bridge_have_the_options_and_the_vertical_coordinates) {
  const std::string field =
      "<field name='options_database' type='map' data_type='string' size='number_options' parts='same' "
      "static='true' optional='true'/>";
  expect_means(data(kW) + file("<include field=\"w\"" + kWithNone),
               "<data-definition name='monc_texts' frequency='0' namespace='monc'>" + field +
                   "</data-definition>" + data(kW) +
                   file("<include field='w' time_manipulation='none'/><include "
                        "field='monc::options_database' time_manipulation='none'/>",
                        kMoncs + " dimensions='z,zn'"),
               "", {{"pileus_dialect", "monc-epcc"}});
}

TEST(MoncMeaning, files_of_a_bridge_have_what_goes_with_their_contents) {
  const auto fields_of = [](const std::string& declared, const std::string& include) {
    const auto result =
        read_monc(data(kW + declared) +
                      "<data-handling><diagnostic field=\"c\" type=\"array\" "
                      "size=\"zn,nc,nd\"><operator name=\"arithmetic\" result=\"c\" "
                      "equation=\"w\"/></diagnostic></data-handling>" +
                      group("g", "<member name=\"c\"/>") + file("<include field=\"w\"" + kWithNone + include),
                  {{"pileus_dialect", "monc-leeds"}});
    std::vector<std::string> names;
    for (const FileIncludeConfig& one : result.config.files.at(0).includes)
      names.push_back(one.field.value + one.group.value);
    return names;
  };
  using Names = std::vector<std::string>;

  EXPECT_EQ(fields_of("", ""), (Names{"w", "monc::options_database"}));
  EXPECT_EQ(fields_of("", "<include state=\"io\"/>"),
            (Names{"w", "monc::options_database", "monc::io_configuration"}));
  EXPECT_EQ(fields_of("", "<include group=\"g\"" + kWithNone),
            (Names{"w", "g", "monc::options_database", "monc::conditions_fields_short",
                   "monc::conditions_fields_long", "monc::diagnostics_fields_short",
                   "monc::diagnostics_fields_long"}));
  // A field that is declared is written as the files say.
  EXPECT_EQ(fields_of("<field name=\"options_database\" type=\"map\" data_type=\"string\"/>", ""),
            (Names{"w"}));
}

/// MONC names it by the step that it was written in, and continues from its only record.
TEST(MoncMeaning, a_file_of_a_bridge_for_the_end_of_a_job_is_written_with_checkpoints) {
  const auto file_of = [](const std::string& frequency, const Options& options) {
    return read_monc(data(kW) +
                         "<data-writing><file name=\"dump.nc\" title=\"t\" write_on_terminate=true "
                         "write_timestep_frequency=\"" +
                         frequency + "\"><include field=\"w\"" + kWithNone +
                         "<include state=\"io\"/></file></data-writing>",
                     options)
        .config.files.at(0);
  };
  const Options bridge = {{"pileus_dialect", "monc-epcc"}, {"every", "0"}};

  EXPECT_TRUE(file_of("0", bridge).is_of_checkpoints);
  EXPECT_TRUE(file_of("{every}", bridge).is_of_checkpoints);
  EXPECT_EQ(file_of("0", bridge).name.value, "dump_{time}.nc");
  EXPECT_FALSE(file_of("0", bridge).write_on_terminate);
  EXPECT_FALSE(file_of("5", bridge).is_of_checkpoints);
  EXPECT_FALSE(file_of("0", {}).is_of_checkpoints);
}

TEST(MoncMeaning, names_are_those_of_the_fork) {
  const auto naming = [](const std::string& dialect) {
    return read_monc({{"io.xml", data(kW) + file("<include field=\"w\"" + kWithNone)}}, "io.xml", {}, dialect)
        .config.files.at(0)
        .naming;
  };

  EXPECT_EQ(naming("monc-leeds"), Naming::monc_leeds);
  EXPECT_EQ(naming("monc-epcc"), Naming::monc);
}

TEST(MoncMeaning, a_folder_below_that_of_the_run_stays) {
  const auto name = [](const std::string& written, const Options& options = {}) {
    return read_monc(data(kW) + "<data-writing><file name=\"" + written +
                         "\" title=t write_time_frequency=6.><include field=\"w\"" + kWithNone +
                         "</file></data-writing>",
                     options)
        .config.files.at(0)
        .name.value;
  };

  EXPECT_EQ(name("out/f.nc"), "out/f.nc");
  EXPECT_EQ(name("./out//f.nc"), "out/f.nc");
  EXPECT_EQ(name("{f}", {{"f", "out/f.nc"}}), "out/f.nc");
}

TEST(MoncMeaning, a_state_of_what_is_none_is_an_error) {
  const auto result = read_monc(data(kW) + file("<include state=\"oi\"/>\n<include field=\"w\"" + kWithNone));

  EXPECT_NE(result.said().find("error: state=\"oi\": expected io"), std::string::npos) << result.said();
}

TEST(MoncMeaning, the_folder_of_an_option_is_left_off_too) {
  const auto result =
      read_monc(data(kW) + "<data-writing><file name=\"{f}\" write_time_frequency=6.><include field=\"w\"" +
                    kWithNone + "</file></data-writing>",
                {{"f", "../out/f.nc"}});

  ASSERT_EQ(result.config.files.size(), 1U);
  EXPECT_EQ(result.config.files[0].name.value, "f.nc");
}

TEST(MoncMeaning, the_state_of_servers_is_in_no_file) {
  expect_means(
      data(kW) + file("<include state=\"io\"/>\n<include field=\"w\"" + kWithNone, " store_state=false"),
      data(kW) + file("<include field='w'" + kWithNone, kMoncs),
      "2:103: note: the state of the servers is not in this file: Pileus keeps it in its own "
      "checkpoints, at the steps of which the model makes one");
}

TEST(MoncMeaning, with_none_an_output_frequency_has_no_effect) {
  expect_means(
      data(kW) + file("<include field=\"w\" time_manipulation=none output_frequency=5 />"),
      data(kW) + file("<include field='w'" + kWithNone, kMoncs),
      "2:128: note: output_frequency has no effect with time_manipulation=\"none\", which writes every "
      "value");
}

TEST(MoncMeaning, slices_are_counted_from_1) {
  const auto sliced = [](const std::string& index) {
    return data("<field name=\"u\" type=\"array\" size=\"z,y,x\" collective=\"true\"/>") +
           "<data-handling><diagnostic field=\"s\" type=\"array\" size=\"y,x\"><operator "
           "name=\"field_slicer\" "
           "result=\"s\" field=\"u\" dimension=\"z\" index=\"" +
           index + "\"/></diagnostic></data-handling>";
  };
  expect_means(sliced("3"), sliced("2"), "");
  EXPECT_EQ(read_monc(sliced("0")).said(),
            "io.xml:2:134: error: index=\"0\": expected a whole number, from 1 in MONC's files");
}

TEST(MoncMeaning, a_size_that_follows_from_the_operator_names_the_dimension) {
  const auto coarse = [](const std::string& before, const std::string& behind) {
    return data("<field name=\"u\" type=\"array\" size=\"y,x\" collective=\"true\"/>") +
           "<data-handling><diagnostic field=\"c\" type=\"array\"" + before +
           "><operator name=\"field_coarsener\" result=\"c\" field=\"u\" dimension=\"y,x\" period=\"2,2\"" +
           behind + "/></diagnostic></data-handling>";
  };
  expect_means(coarse(" size=\"y-auto,x-auto\" collective=true", ""), coarse("", " named_by=\"size\""), "");
  expect_means(coarse(" size=\"y_3,x_16\"", ""), coarse(" size='y_3,x_16'", " named_by=\"size\""), "");
  expect_means(coarse(" size=\"y_part,x\"", ""), coarse(" size='y_part,x'", ""), "");
}

TEST(MoncMeaning, a_size_of_auto_that_no_operator_makes_is_named) {
  const std::string fields = data("<field name=\"u\" type=\"array\" size=\"y,x\" collective=\"true\"/>");
  const std::string rules =
      "><operator name=\"arithmetic\" result=\"c\" equation=\"u+1.\"/></diagnostic></data-handling>";
  const std::string diagnostic = "<data-handling><diagnostic field=\"c\" type=\"array\"";

  expect_means(
      fields + diagnostic + " size=\"y,x-auto\"" + rules, fields + diagnostic + rules,
      "2:57: warning: size=\"y,x-auto\": no field_coarsener makes this diagnostic, so that MONC does "
      "not know the size of -auto; here the size follows from the rules");
}

TEST(MoncMeaning, notes_where_pileus_is_right) {
  const auto diagnostic = [](const std::string& rules) {
    return data("<field name=\"u\" type=\"array\" size=\"y,x\" collective=\"true\"/>") +
           "<data-handling><diagnostic field=\"m\" type=\"scalar\">\n" + rules +
           "</diagnostic></data-handling>";
  };
  const std::string mean =
      "<operator name=\"localreduce\" operator=\"sum\" field=\"u\" result=\"l\"/>\n<communication "
      "name=\"reduction\" "
      "operator=\"mean\" field=\"l\" result=\"m\" root=\"auto\"/>\n";
  expect_means(diagnostic(mean), diagnostic(mean),
               "4:43: note: the mean is weighted by the values that the parts stand for; MONC divides by the "
               "number of model ranks, which is wrong where they hold parts of different sizes");
  const std::string sum = "<operator name=\"arithmetic\" equation=\"u-u+(u+u)\" result=\"m\"/>\n";
  expect_means(diagnostic(sum), diagnostic(sum),
               "3:42: note: a - b + c is (a - b) + c here; MONC computes a - (b + c)");
  const std::string rest = "<operator name=\"arithmetic\" equation=\"u+u*u%2.\" result=\"m\"/>\n";
  expect_means(diagnostic(rest), diagnostic(rest),
               "3:44: note: a % b has the sign of b here; MONC computes mod(a, b), which has that of a\n"
               "io.xml:3:44: note: a * b % c is (a * b) % c here; MONC computes a * (b % c)");
  for (const std::string equation : {"u+u-u", "(u-u)+u", "1e-3+u", "u%2.*u", "u*(u%2.)", "u*u+u%2."}) {
    const std::string same = "<operator name=\"arithmetic\" equation=\"" + equation + "\" result=\"m\"/>";
    const std::size_t rest = equation.find('%');
    const std::string sign =
        "3:" + std::to_string(39 + rest) +
        ": note: a % b has the sign of b here; MONC computes mod(a, b), which has that of a";
    expect_means(diagnostic(same), diagnostic(same), rest == std::string::npos ? "" : sign);
  }
}

TEST(MoncMeaning, numbers_without_a_point_are_hundredths_in_monc) {
  const auto diagnostic = [](const std::string& equation) {
    return data("<field name=\"u2\" type=\"scalar\"/>") +
           "<data-handling><diagnostic field=\"m\" type=\"scalar\">\n<operator name=\"arithmetic\" "
           "equation=\"" +
           equation + "\" result=\"m\"/></diagnostic></data-handling>";
  };

  expect_means(diagnostic("u2*100"), diagnostic("u2*100"),
               "3:42: note: 100 is 100 here; MONC reads it as 1.00, because it has no point: write 100.0");
  expect_means(diagnostic("(2*u2)"), diagnostic("(2*u2)"),
               "3:40: note: 2 is 2 here; MONC reads it as 0.02, because it has no point: write 2.0");
  expect_means(diagnostic("u2*0+{n}*2.+1e-3"), diagnostic("u2*0+{n}*2.+1e-3"), "", {{"n", "32"}});
}

MoncResult read_newer(const std::string& text, const Options& options = {}) {
  return read_monc(testing::Texts{{"io.xml", text}}, "io.xml", options, "monc-epcc");
}

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
  const testing::Texts files = {
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
    const testing::Texts files = {
        {"io.xml", data(kW, n) + group("g", "<member name=\"w\"/>", n) +
                       "<data-writing><file name=\"f.nc\" write_timestep_frequency=\"" +
                       std::to_string(steps) + "\" write_on_terminate=true title=\"" + title +
                       "\"><include group=\"g\"" + kWithNone + "</file></data-writing>"}};
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

TEST(MoncMeaning, write_precision_is_single_for_the_word_float_alone) {
  const auto with = [](const std::string& word) {
    return data(kW) + file("<include field=\"w\"" + kWithNone, " write_precision=\"" + word + "\"");
  };

  EXPECT_EQ(dump(read_newer(with("fLOaT")).config),
            strict_of(data(kW) + file("<include field='w'" + kWithNone, kMoncs + " precision=\"float\"")));
  EXPECT_EQ(read_newer(with("Double")).said(), "");
  EXPECT_NE(read_newer(with("flaot")).said().find("did you mean \"float\"?"), std::string::npos);
  EXPECT_EQ(dump(read_newer(with("single")).config),
            strict_of(data(kW) + file("<include field='w'" + kWithNone, kMoncs)));
  EXPECT_NE(read_monc(testing::Texts{{"io.xml", with("float")}}, "io.xml", {}, "monc-leeds")
                .said()
                .find("only the newer fork of MONC has it"),
            std::string::npos);
}

TEST(MoncMeaning, the_time_is_before_the_last_dot_of_a_name_in_the_newer_fork) {
  const testing::Texts files = {
      {"io.xml", data(kW) +
                     "<data-writing><file name=\"d.ts.nc\" title=t write_time_frequency=6.>"
                     "<include field=\"w\"" +
                     kWithNone + "</file></data-writing>"}};
  const auto name = [&](const char* fork) {
    const auto result = read_monc(files, "io.xml", {}, fork);
    return result.findings.has_errors() ? result.said() : result.config.files.at(0).name.value;
  };

  EXPECT_EQ(name("monc-leeds"), "d.ts.nc");  // where naming="monc" makes it d_{time}.ts.nc
  EXPECT_EQ(name("monc-epcc"), "d.ts_{time}.nc");
  EXPECT_NE(name("monc").find("--dialect monc-epcc (the newer)"), std::string::npos);
}

TEST(MoncMeaning, a_size_that_differs_from_the_rules_by_the_name_of_the_vertical_alone_is_theirs) {
  const auto diagnostic = [](const std::string& size) {
    return data("<field name='p' type='array' size='zn,y,x'/>") +
           "<data-handling><diagnostic field='m' type='array' size='" + size +
           "'>\n<operator name='arithmetic' result='m' equation='p+1.'/></diagnostic></data-handling>";
  };

  expect_means(diagnostic("z,y,x"), diagnostic("zn,y,x"),
               "2:57: warning: its rules make values along \"zn\", which is read instead of \"z\": MONC "
               "compares lengths, and not names");
}

TEST(MoncMeaning, tracers_are_split_by_their_names) {
  const std::string fields = data("<field name='tracer' type='array' size='z,y,x,tfields'/>");
  const std::string written = file("<include field='tracer'" + kWithNone);

  const auto result = read_newer(fields + written, {{"tracer_names", "traj_x,rad1"}});

  ASSERT_EQ(result.config.files.size(), 1U);
  ASSERT_EQ(result.config.files[0].includes.size(), 2U);
  EXPECT_EQ(result.config.files[0].includes[1].field.value, "tracer_rad1");
  EXPECT_NE(read_newer(fields + written).said().find("for which the option tracer_names is needed"),
            std::string::npos);
}

TEST(MoncMeaning, a_field_with_q_fields_is_one_variable_for_each) {
  const Options options = {{"q_field_names", "vapour, rain_mass"}};
  const std::string q =
      "<field name=\"q\" type=\"array\" data_type=\"double\" size=\"z,y,x,qfields\" collective=\"true\"/>";
  const std::string n = " namespace=\"n\"";
  const auto slice = [](const std::string& name, int index) {
    return "<diagnostic field='" + name +
           "' size='z,y,x'><operator name='field_slicer' field='q' dimension='qfields' "
           "index='" +
           std::to_string(index) + "' result='" + name + "'/></diagnostic>";
  };
  expect_means(data(q, n) + group("g", "<member name=\"q\"/>", n) + file("<include group=\"g\"" + kWithNone),
               data(q, n) + group("g", "<member name='q_vapour'/><member name='q_rain_mass'/>", n) +
                   file("<include group='n::g'" + kWithNone, kMoncs) + "<data-handling namespace='n'>" +
                   slice("q_vapour", 0) + slice("q_rain_mass", 1) + "</data-handling>",
               "", options);
}

TEST(MoncMeaning, without_names_of_q_fields_they_are_written_together_and_a_note_says_so) {
  const std::string q = "<field name=\"q\" type=\"array\" size=\"z,y,x,qfields\" collective=\"true\"/>";
  expect_means(
      data(q), data(q),
      "1:41: note: \"q\" and other fields with the dimension qfields are written whole: MONC writes one "
      "variable for each q field, for which the option q_field_names is needed, such as "
      "\"vapour,cloud_liquid_mass\"");
}

TEST(MoncMeaning, the_last_server_configuration_counts) {
  const auto servers = [](int number) {
    return "<server-configuration><thread_pool number=\"" + std::to_string(number) +
           "\"/></server-configuration>";
  };
  expect_means(
      servers(100) + servers(10), servers(10),
      "1:73: note: this <server-configuration> counts, and not that of io.xml:1:1: the last one does in "
      "MONC");
}

/// The plan of a MONC file for two ranks that share y, with q fields.
Plan planned(const std::string& text) {
  auto result = read_monc(text, {{"q_field_names", "vapour,rain_mass"}, {"pileus_dialect", "monc-leeds"}});
  planning_test::ModelBuilder model(2);
  model.dimension("z", 3).dimension("y", 4).dimension("x", 7).dimension("qfields", 2);
  model.distributed("w", {"z", "y", "x"}).distributed("q", {"z", "y", "x", "qfields"});
  Plan plan = make_plan(result.config, model.model, 1, result.findings);
  EXPECT_FALSE(result.findings.has_errors()) << result.said();
  return plan;
}

TEST(MoncMeaning, names_of_files_axes_variables_and_dimensions_are_moncs) {
  const Plan plan = planned(
      data("<field name=\"w\" type=\"array\" size=\"z,y,x\" collective=true/>"
           "<field name=\"q\" type=\"array\" size=\"z,y,x,qfields\" collective=true optional=true/>") +
      "<data-handling><diagnostic field=\"c\" type=\"array\" data_type=\"double\" size=\"z,y,x-auto\" "
      "collective=true><operator name=\"field_coarsener\" result=\"c\" field=\"w\" dimension=\"x\" "
      "period=\"2\"/></diagnostic></data-handling>" +
      group("g", "<member name=\"q\"/><member name=\"c\"/>") +
      "<data-writing><file name=\"out/d.ts.nc\" write_time_frequency=600>"
      "<include group=\"g\" time_manipulation=averaged output_frequency=60 />"
      "<include field=\"w\" time_manipulation=averaged output_frequency=60 />"
      "<include field=\"w\" time_manipulation=instantaneous output_frequency=10 /></file></data-writing>");

  ASSERT_EQ(plan.files.size(), 1U);
  EXPECT_EQ(plan.files[0].name, "out/d_{time}.ts.nc");
  std::vector<std::string> variables, axes;
  for (const Variable& one : plan.variables) {
    variables.push_back(one.name + "(" + plan[one.schedule].dimension);
    for (const DimensionId id : one.dimensions) variables.back() += "," + plan.dimensions[id.index].name;
  }
  EXPECT_EQ(variables, (std::vector<std::string>{
                           "q_vapour(time_series_2_60.0,z,y,x", "q_rain_mass(time_series_2_60.0,z,y,x",
                           "c(time_series_2_60.0,z,y,x_4", "w_timeaveraged(time_series_2_60.0,z,y,x",
                           "w_instantaneous(time_series_2_10.0,z,y,x"}));
}

std::string located(const std::string& rule) {
  return data(
             "<field name=\"peak\" type=\"array\" size=\"z\"/><field name=\"at\" type=\"array\" "
             "size=\"z\"/>") +
         "<data-handling><diagnostic field=\"w_at\" type=\"array\" data_type=\"double\">"
         "<communication name=\"allreduction\" operator=\"max\" field=\"peak\" result=\"top\"/>" +
         rule + "</diagnostic></data-handling>";
}

TEST(MoncMeaning, a_location_is_that_of_the_rank_that_has_the_value_of_all) {
  expect_means(located("<operator name=\"reductionlocation\" input=\"at, top,peak\" result=\"w_at\"/>"),
               located("<operator name='arithmetic' equation='where(peak == top, at, -1)' result='w_at'/>"),
               "");
}

TEST(MoncMeaning, a_location_without_its_three_names_is_an_error) {
  for (const char* const input : {"at,top", "at,,peak", "at,top,peak,", ""}) {
    const auto result = read_monc(located("<operator name=\"reductionlocation\" input=\"" +
                                          std::string(input) + "\" result=\"w_at\"/>"));
    EXPECT_NE(result.said().find("error: input=\"" + std::string(input) +
                                 "\": expected three names between commas: the location on a rank, the value "
                                 "of all ranks, the value on a rank"),
              std::string::npos)
        << result.said();
  }
}

TEST(MoncConvert, keeps_comments_and_names_the_files_that_elements_came_from) {
  const testing::Texts files = {{"io.xml",
                                 "<io-configuration>\n<!-- - a > b - -->\n#include \"g.xml\"\n"
                                 "<group name=\"h\">\n<member name=\"a&b\"/>\n</group></io-configuration>"},
                                {"g.xml", "<group name=g><member name=w></group>"}};

  EXPECT_EQ(
      converted(files.at("io.xml"), "io.xml", {}, testing::among(files)),
      "<io-configuration>\n  <!-- a > b -->\n  <!-- g.xml -->\n  <group name=\"g\">\n    <member "
      "name=\"w\"/>\n  </group>\n  <!-- io.xml -->\n  <group name=\"h\">\n    <member name=\"a&amp;b\"/>\n  "
      "</group>\n</io-configuration>\n");
}

TEST(MoncConvert, says_what_is_wrong_instead) {
  EXPECT_EQ(converted("<group", "io.xml", {}, testing::among({})),
            "io.xml:1:1: error: the tag \"<group\" is not closed; it ends with > or />\nio.xml:1:1: error: "
            "<group> is not closed; it ends with </group>");
}

/// Options as a model would give them: a number for each missing key, and different names for all files.
Options with_options(const fs::path& path, const FindInclude& find) {
  Findings findings;
  read_config(read_text_file(path), path.string(), builtin_catalogue(), {}, findings, false, find,
              all_dialects("monc"));
  Options options;
  if (const char* const fork = std::getenv("PILEUS_MONC_DIALECT")) options["pileus_dialect"] = fork;
  for (const Finding& one : findings.all()) {
    if (!one.what.starts_with("no option \"")) continue;
    const std::size_t begin = one.what.find('"') + 1;
    const std::string key = one.what.substr(begin, one.what.find('"', begin) - begin);
    options[key] = key.find("file") != key.npos && key.find("profile") == key.npos ? key + ".nc" : "60";
  }
  return options;
}

/// The files that the MONC model ships are not part of this source. PILEUS_MONC_FILES names a copy of MONC's
/// root, and PILEUS_MONC_DIALECT its fork.
TEST(MoncConvert, gives_the_same_plan_for_every_file_that_monc_ships) {
  const char* const root = std::getenv("PILEUS_MONC_FILES");
  if (!root) GTEST_SKIP() << "PILEUS_MONC_FILES names no folder";
  const FindInclude find = includes_on_disk({}, {});
  int count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".xml") continue;
    const std::string name = entry.path().string();
    for (const char* names : {"vapour,cloud_liquid_mass", ""}) {
      Options options = with_options(entry.path(), find);
      if (*names) options["q_field_names"] = names;
      Findings findings, strict_findings;
      const Config config = read_config(read_text_file(entry.path()), name, builtin_catalogue(), options,
                                        findings, false, find, all_dialects("monc"));
      check_config(config, findings);
      if (findings.text().find("there is no file") != std::string::npos)
        continue;  // not there in MONC either
      EXPECT_FALSE(findings.has_errors()) << name << '\n' << findings.text();

      const std::string strict = converted(read_text_file(entry.path()), name, options, find);
      const Config again =
          read_config(strict, "strict.xml", builtin_catalogue(), options, strict_findings, false);
      check_config(again, strict_findings);
      EXPECT_FALSE(strict_findings.has_errors()) << name << '\n' << strict_findings.text();
      EXPECT_EQ(dump(config), dump(again)) << name;
      ++count;
    }
  }
  EXPECT_GT(count, 0);
}

}  // namespace
}  // namespace pileus
