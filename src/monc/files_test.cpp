// The meaning of the files of MONC's configuration: names, folders, titles, state and precision.

#include "layout/test_config.h"
#include "monc/test_meaning.h"

namespace pileus::testing {
namespace {

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
  EXPECT_NE(read_monc(Texts{{"io.xml", with("float")}}, "io.xml", {}, "monc-leeds")
                .said()
                .find("only the newer fork of MONC has it"),
            std::string::npos);
}

TEST(MoncMeaning, the_time_is_before_the_last_dot_of_a_name_in_the_newer_fork) {
  const Texts files = {{"io.xml", data(kW) +
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

}  // namespace
}  // namespace pileus::testing
