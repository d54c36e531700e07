#include "config/read_config.h"

#include <gtest/gtest.h>

#include <fstream>

#include "config/config_test_support.h"
#include "core/testing/temporary_directory.h"

namespace pileus::testing {
namespace {

// Listings 1 to 3 of Brown et al. (2018) with the line breaks as printed; the attributes of listing 1 are
// quoted.
constexpr const char* kListings = R"xml(<io-configuration>
<data-definition name="raw_fields" frequency="2">
  <field name="w" type="array" data_type=
    "double" size="z,y,x" collective=
    "true" optional="true"/>
  <field name="u" type="array" data_type=
    "double" size="z,y,x" collective=
    "true" optional="true"/>
  <field name="vwp_local" type="array"
    data_type="double" optional="true"/>
</data-definition>
<data-handling>
  <diagnostic field="VWP_mean" type="
    scalar" data_type="double" units="
    kg/m^2">
    <operator name="localreduce" operator
      ="sum" result="
      VWP_mean_loc_reduced" field="
      vwp_local"/>
    <communication name="reduction"
      operator="sum" result="VWP_mean_g"
      field="VWP_mean_loc_reduced" root
      ="auto"/>
    <operator name="arithmetic" result="
      VWP_mean" equation="VWP_mean_g/({
      x_size}*{y_size})"/>
  </diagnostic>
</data-handling>
<group name="3d_fields">
  <member name="w"/>
  <member name="u"/>
</group>
<data-writing>
  <file name="profile_ts.nc"
    write_time_frequency="100" title="
    Profile diagnostics">
  <include field="VWP_mean"
    time_manipulation="averaged"
    output_frequency="10.0"/>
  <include group="3d_fields"
    time_manipulation="instantaneous"
    output_frequency="5.0"/>
  </file>
</data-writing>
</io-configuration>
)xml";

const std::map<std::string, std::string> kSizes = {{"x_size", "64"}, {"y_size", "32"}};

TEST(ReadConfig, understands_the_data_definition_of_listing_1) {
  const ReadResult result = read(kListings, kSizes);

  ASSERT_EQ(result.text(), "");
  const DataGroupConfig& group = result.config.data_groups.at(0);
  EXPECT_EQ(group.name.value, "raw_fields");
  EXPECT_EQ(group.frequency, 2);
  EXPECT_EQ(group.where.text(), "io.xml:2:1");
  ASSERT_EQ(group.fields.size(), 3u);
  const FieldConfig& w = group.fields[0];
  EXPECT_EQ(w.name.value, "w");
  EXPECT_EQ(w.name.where.text(), "io.xml:3:16");
  EXPECT_EQ(w.type.value, "array");
  EXPECT_EQ(w.data_type.value, "double");
  ASSERT_EQ(w.size.size(), 3u);
  EXPECT_EQ(w.size[0].value, "z");
  EXPECT_EQ(w.size[2].value, "x");
  EXPECT_EQ(w.size[2].where.text(), "io.xml:4:24");
  EXPECT_TRUE(w.has_size && w.is_collective && w.is_optional);
  EXPECT_FALSE(group.fields[2].has_size);
  EXPECT_FALSE(group.fields[2].is_collective);
}

TEST(ReadConfig, understands_the_rules_of_listing_2) {
  const ReadResult result = read(kListings, kSizes);

  const DiagnosticConfig& diagnostic = result.config.diagnostics.at(0);
  EXPECT_EQ(diagnostic.field.value, "VWP_mean");
  EXPECT_EQ(diagnostic.type.value, "scalar");
  EXPECT_EQ(diagnostic.type.where.text(), "io.xml:14:5");
  EXPECT_EQ(diagnostic.metadata.units.value, "kg/m^2");
  EXPECT_FALSE(diagnostic.metadata.long_name.is_given());
  ASSERT_EQ(diagnostic.rules.size(), 3u);
  const RuleConfig& local = diagnostic.rules[0];
  EXPECT_FALSE(local.is_communication);
  EXPECT_EQ(local.name.value, "localreduce");
  EXPECT_EQ(local.result.value, "VWP_mean_loc_reduced");
  EXPECT_EQ(local.parameters.at("field").value, "vwp_local");
  EXPECT_EQ(local.parameters.at("operator").value, "sum");
  EXPECT_FALSE(local.parameters.at("dimensions").is_given());
  EXPECT_EQ(local.parameters.count("name") + local.parameters.count("result"), 0u);
  EXPECT_TRUE(diagnostic.rules[1].is_communication);
  EXPECT_EQ(diagnostic.rules[1].parameters.at("root").value, "auto");
  EXPECT_EQ(diagnostic.rules[2].parameters.at("equation").value, "VWP_mean_g/(64*32)");
}

TEST(ReadConfig, understands_the_files_of_listing_3) {
  const ReadResult result = read(kListings, kSizes);

  const GroupConfig& group = result.config.groups.at(0);
  EXPECT_EQ(group.name.value, "3d_fields");
  ASSERT_EQ(group.members.size(), 2u);
  EXPECT_EQ(group.members[1].value, "u");
  const FileConfig& file = result.config.files.at(0);
  EXPECT_EQ(file.name.value, "profile_ts.nc");
  EXPECT_EQ(file.write_time_frequency.seconds, 100.0);
  EXPECT_EQ(file.title.value, "Profile diagnostics");
  ASSERT_EQ(file.includes.size(), 2u);
  EXPECT_EQ(file.includes[0].field.value, "VWP_mean");
  EXPECT_FALSE(file.includes[0].group.is_given());
  EXPECT_EQ(file.includes[0].time_manipulation.value, "averaged");
  EXPECT_EQ(file.includes[0].output_frequency.value_or(Duration{}).seconds, 10.0);
  EXPECT_EQ(file.includes[1].group.value, "3d_fields");
}

TEST(ReadConfig, keeps_the_text_and_the_options) {
  const ReadResult result = read(kListings, kSizes);

  EXPECT_EQ(result.config.text, kListings);
  EXPECT_EQ(result.config.options, kSizes);
}

TEST(ReadConfig, reads_the_same_with_other_line_ends) {
  std::string crlf;
  for (const char* c = kListings; *c; ++c) crlf += *c == '\n' ? "\r\n" : std::string(1, *c);

  const ReadResult result = read(crlf, kSizes);

  ASSERT_EQ(result.text(), "");
  EXPECT_EQ(result.config.diagnostics.at(0).type.where.text(), "io.xml:14:5");
  EXPECT_EQ(result.config.diagnostics.at(0).rules.at(2).parameters.at("equation").value,
            "VWP_mean_g/(64*32)");
}

TEST(ReadConfig, finds_a_missing_option_at_its_brace_in_a_value_of_two_lines) {
  const ReadResult result = read(kListings, {{"xsize", "64"}, {"y_size", "32"}});

  EXPECT_EQ(result.text(),
            "io.xml: note: the options that it uses are x_size and y_size\n"
            "io.xml:25:39: error: no option \"x_size\"; did you mean \"xsize\"?");
}

TEST(ReadConfig, does_not_care_about_the_order_of_sections) {
  const ReadResult result = read(R"(<io-configuration>
    <data-writing><file name="a.nc" write_time_frequency="1 h">
      <include group="g" time_manipulation="none"/></file></data-writing>
    <group name="g"><member name="d"/></group>
    <data-handling><diagnostic field="d"><operator name="arithmetic" result="d" equation="a"/></diagnostic>
    </data-handling>
    <data-definition name="raw" frequency="1"><field name="a"/></data-definition>
    <server-configuration><memory budget="2 GiB"/><thread_pool number="4"/></server-configuration>
  </io-configuration>)");

  ASSERT_EQ(result.text(), "");
  EXPECT_EQ(result.config.threads, 4);
  EXPECT_EQ(result.config.memory_budget_bytes, 2147483648);
  EXPECT_EQ(result.config.files.at(0).write_time_frequency.seconds, 3600.0);
  EXPECT_FALSE(result.config.files.at(0).includes.at(0).output_frequency);
}

TEST(ReadConfig, takes_when_checkpoints_are_due_and_how_many_are_kept) {
  const ReadResult all = read(
      "<io-configuration><server-configuration><checkpoint keep='3' steps='100' frequency='6 h' "
      "wall_time='30 min' signals=' TERM\tUSR1 '/></server-configuration></io-configuration>");
  const ReadResult none = read("<io-configuration/>");

  ASSERT_EQ(all.text(), "");
  EXPECT_EQ(all.config.checkpoint.keep, 3);
  EXPECT_EQ(all.config.checkpoint.steps, 100);
  EXPECT_EQ(all.config.checkpoint.frequency.seconds, 21600.0);
  EXPECT_EQ(all.config.checkpoint.wall_time_s, 1800.0);
  EXPECT_EQ(all.config.checkpoint.signals, (std::vector<std::string>{"TERM", "USR1"}));
  EXPECT_EQ(none.config.checkpoint.keep, 2);
  EXPECT_EQ(none.config.checkpoint.steps, 0);
  EXPECT_FALSE(none.config.checkpoint.frequency.is_given());
  EXPECT_TRUE(none.config.checkpoint.signals.empty());
}

TEST(ReadConfig, takes_the_model_time_of_the_end) {
  const ReadResult with = read("<io-configuration><time end='2 d'/></io-configuration>");
  const ReadResult without = read("<io-configuration><time calendar='noleap'/></io-configuration>");
  const ReadResult months = read("<io-configuration><time end='2 month'/></io-configuration>");

  ASSERT_EQ(with.text(), "");
  EXPECT_EQ(with.config.time.end_s, 172800.0);
  EXPECT_EQ(without.config.time.end_s, 0.0);
  EXPECT_NE(months.text().find("end in months: how long they are depends on the date"), std::string::npos)
      << months.text();
}

TEST(ReadConfig, takes_a_file_that_is_written_with_checkpoints) {
  const ReadResult result = read(
      "<io-configuration><data-definition name='raw' frequency='1'><field name='w'/></data-definition>"
      "<data-writing><file name='dump.nc'><include state='io'/><include field='w'/></file></data-writing>"
      "</io-configuration>");

  ASSERT_EQ(result.text(), "");
  const FileConfig& file = result.config.files.at(0);
  EXPECT_TRUE(file.is_of_checkpoints);
  ASSERT_EQ(file.includes.size(), 1u);
  EXPECT_EQ(file.includes[0].time_manipulation.value, "none");
}

TEST(ReadConfig, takes_a_folder_for_what_servers_have_no_memory_for) {
  const auto config = [](const std::string& memory) {
    return read("<io-configuration><server-configuration><memory budget='1 GiB' spill_directory='/scratch'" +
                memory +
                "/></server-configuration>"
                "<data-definition name='raw' frequency='1'><field name='w'/></data-definition>"
                "<data-writing><file name='a.nc' write_time_frequency='1' when_memory_full='spill'>"
                "<include field='w' output_frequency='1'/></file></data-writing></io-configuration>");
  };
  const ReadResult usual = config(""), little = config(" spill_limit='3 KiB'");

  ASSERT_EQ(usual.text() + little.text(), "");
  EXPECT_EQ(usual.config.spill.value().directory.value, "/scratch");
  EXPECT_EQ(usual.config.spill->limit_bytes, std::int64_t{16} << 30);
  EXPECT_EQ(little.config.spill.value().limit_bytes, 3072);
  EXPECT_EQ(usual.config.files.at(0).when_memory_full, WhenMemoryFull::spill);
}

TEST(ReadConfig, accepts_an_empty_root) {
  const ReadResult result = read("<io-configuration/>");

  EXPECT_EQ(result.text(), "");
  EXPECT_EQ(result.config.threads, std::nullopt);
  EXPECT_EQ(result.config.memory_budget_bytes, std::nullopt);
}

TEST(ReadConfig, fills_in_defaults_that_have_no_place) {
  const ReadResult result = read(R"(<io-configuration><data-definition name="raw" frequency="1">
    <field name="a"/><field name="b" size="z"/><field name="c" size=""/>
    </data-definition></io-configuration>)");

  ASSERT_EQ(result.text(), "");
  const std::vector<FieldConfig>& fields = result.config.data_groups.at(0).fields;
  EXPECT_EQ(fields.at(0).data_type.value, "");  // it has the model's type
  EXPECT_FALSE(fields.at(0).data_type.is_given());
  EXPECT_EQ(fields.at(0).type.value, "");
  EXPECT_EQ(fields.at(1).type.value, "array");
  EXPECT_EQ(fields.at(2).type.value, "scalar");
  EXPECT_TRUE(fields.at(2).has_size);
}

TEST(ReadConfig, substitutes_in_numbers_names_and_words) {
  const ReadResult result = read(R"(<io-configuration><data-definition name="raw_{id}" frequency="{every}">
    <field name="a" collective="{parallel}" size="{dims}"/></data-definition></io-configuration>)",
                                 {{"id", "7"}, {"every", "3"}, {"parallel", "true"}, {"dims", "z,y"}});

  ASSERT_EQ(result.text(), "");
  const DataGroupConfig& group = result.config.data_groups.at(0);
  EXPECT_EQ(group.name.value, "raw_7");
  EXPECT_EQ(group.frequency, 3);
  EXPECT_TRUE(group.fields.at(0).is_collective);
  ASSERT_EQ(group.fields.at(0).size.size(), 2u);
  EXPECT_EQ(group.fields.at(0).size[1].where.text(), "io.xml:2:51");
}

TEST(ReadConfig, leaves_missing_options_alone_where_that_is_allowed) {
  const ReadResult result = read(R"(<io-configuration>
    <data-definition name="{n}" frequency="{f}"><field name="a" type="{t}" collective="{c}" size="{s}"/>
    </data-definition>
    <data-handling><diagnostic field="{d}"><operator name="arithmetic" result="{r}" equation="{x}"/>
      <communication name="reduction" result="q" operator="{o}" field="a" root="{root}"/>
    </diagnostic></data-handling>
    <group name="{g}"><member name="{m}"/></group>
    <data-writing><file name="{file}" write_time_frequency="{w}">
      <include group="other" time_manipulation="{m}"/>
      <include field="a" output_frequency="{f}"/></file></data-writing>
    <server-configuration><memory budget="{b}"/><thread_pool number="{p}"/></server-configuration>
  </io-configuration>)",
                                 {}, true);

  EXPECT_EQ(result.text(), "");
  EXPECT_EQ(result.config.diagnostics.at(0).rules.at(0).parameters.at("equation").value, "{x}");
  EXPECT_EQ(result.config.data_groups.at(0).frequency, 1);
}

TEST(ReadConfig, returns_what_it_understood_of_a_broken_configuration) {
  const ReadResult result = read(R"(<io-configuration>
    <data-definition name="raw" frequency="often"><field name="a" data_type="flot"/><field/></data-definition>
    <data-handling><diagnostic field="d"><operator name="aritmetic" result="d" equation="a"/></diagnostic>
  </io-configuration>)");

  EXPECT_EQ(result.findings.all().size(), 5u) << result.text();
  ASSERT_EQ(result.config.data_groups.size(), 1u);
  ASSERT_EQ(result.config.data_groups[0].fields.size(), 1u);
  EXPECT_EQ(result.config.data_groups[0].fields[0].data_type.value, "");
  ASSERT_EQ(result.config.diagnostics.size(), 1u);
  EXPECT_TRUE(result.config.diagnostics[0].rules.empty());
}

TEST(ReadConfig, survives_deep_and_long_documents) {
  std::string deep = "<io-configuration>",
              many = "<io-configuration><data-definition name='d' frequency='1'>";
  for (int i = 0; i < 50000; ++i) deep += "<group name='g'>";
  for (int i = 0; i < 20000; ++i) many += "<field name='f" + std::to_string(i) + "'/>";

  EXPECT_TRUE(read(deep).findings.has_errors());
  EXPECT_EQ(read(many + "</data-definition></io-configuration>").config.data_groups.at(0).fields.size(),
            20000u);
}

TEST(ReadConfig, reads_what_files_say_of_dimensions_time_and_storage) {
  const ReadResult result = read(R"(<io-configuration>
    <time calendar="gregorian" epoch="1850-01-01"/>
    <dimension name="z" axis="Z" positive="up" bounds="true" units="km" standard_name="height"/>
    <data-definition name="raw" frequency="1">
      <field name="w" significant_bits="10" units_metadata="temperature: difference"/>
    </data-definition>
    <data-writing>
      <file name="f_{index}.nc" write_time_frequency="1" overwrite="true" order="time,z,y,x" deflate="4">
        <include field="w" time_manipulation="none" deflate="0" shuffle="false" precision="float"/>
      </file>
    </data-writing>
  </io-configuration>)");

  ASSERT_EQ(result.text(), "");
  const Config& config = result.config;
  EXPECT_EQ(config.time.calendar.value, "gregorian");
  EXPECT_EQ(config.time.epoch.value, "1850-01-01");
  ASSERT_EQ(config.dimensions.size(), 1u);
  EXPECT_EQ(config.dimensions[0].axis.value, "Z");
  EXPECT_EQ(config.dimensions[0].positive.value, "up");
  EXPECT_TRUE(config.dimensions[0].has_bounds);
  EXPECT_EQ(config.data_groups[0].fields[0].storage.significant_bits, 10);
  EXPECT_EQ(config.data_groups[0].fields[0].metadata.units_metadata.value, "temperature: difference");
  const FileConfig& file = config.files.at(0);
  EXPECT_EQ(file.name.value, "f_{index}.nc");
  EXPECT_TRUE(file.may_overwrite);
  ASSERT_EQ(file.storage.order.size(), 4u);
  EXPECT_EQ(file.storage.order[1].value, "z");
  EXPECT_EQ(file.storage.codec.value().codec, &codecs::deflate());
  EXPECT_EQ(file.storage.codec.value().level, 4);
  EXPECT_FALSE(file.storage.shuffle.is_given());
  const StorageConfig& of_include = file.includes.at(0).storage;
  EXPECT_EQ(of_include.codec.value().codec, nullptr);
  EXPECT_EQ(of_include.shuffle.value, "false");
  EXPECT_EQ(of_include.precision.value, "float");
  EXPECT_TRUE(of_include.order.empty());
}

TEST(ReadConfig, reads_grids_and_which_fields_lie_on_them) {
  const ReadResult result = read(R"(<io-configuration>
    <data-definition name="raw" frequency="1"><field name="t" size="z,y,x" grid="t"/></data-definition>
    <grid name="t" dimensions="y, x" latitude="nav_lat" longitude="nav_lon"
      latitude_bounds="lat_corners" longitude_bounds="lon_corners" area="e1e2t" mask="tmask"/>
    <grid name="u" dimensions="y,x" area="e1e2u"/>
  </io-configuration>)");

  ASSERT_EQ(result.text(), "");
  EXPECT_EQ(result.config.data_groups[0].fields[0].grid.value, "t");
  ASSERT_EQ(result.config.grids.size(), 2u);
  const GridConfig& grid = result.config.grids[0];
  EXPECT_EQ(grid.name.where.text(), "io.xml:3:17");
  ASSERT_EQ(grid.dimensions.size(), 2u);
  EXPECT_EQ(grid.dimensions[1].value, "x");
  EXPECT_EQ(grid.latitude.value + " " + grid.longitude.value, "nav_lat nav_lon");
  EXPECT_EQ(grid.latitude_bounds.value + " " + grid.longitude_bounds.value, "lat_corners lon_corners");
  EXPECT_EQ(grid.area.value + " " + grid.mask.value, "e1e2t tmask");
  EXPECT_FALSE(result.config.grids[1].latitude.is_given());
}

TEST(ReadTextFile, reads_every_byte) {
  const testing::TemporaryDirectory directory;
  const std::string path = directory.path("io.xml");
  const std::string bytes = std::string("<a>\r\n\0</a>", 11) + std::string(100000, 'x');
  std::ofstream(path, std::ios::binary) << bytes;

  EXPECT_EQ(read_text_file(path), bytes);
}

TEST(ReadTextFile, names_the_file_and_the_reason) {
  try {
    read_text_file("/nowhere/io.xml");
    FAIL() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(), "/nowhere/io.xml: error: cannot be read: No such file or directory");
  }
  EXPECT_THROW(read_text_file("/"), ConfigError);
}

}  // namespace
}  // namespace pileus::testing
