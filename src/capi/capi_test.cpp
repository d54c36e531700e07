// Wrong calls of pileus.h: they return a status and a text, and never throw or end the process.

#include <gtest/gtest.h>

#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>

#include "capi/testing/test_directory.h"
#include "pileus/pileus.h"

namespace {

using pileus::testing::TestDirectory;

constexpr const char* kConfiguration = R"(<io-configuration>
  <data-definition name="state" frequency="1">
    <field name="u" type="array" data_type="double" size="x" collective="true"/>
  </data-definition>
  <data-writing>
    <file name="u.nc" write_time_frequency="10">
      <include field="u" time_manipulation="averaged" output_frequency="10"/>
    </file>
  </data-writing>
</io-configuration>
)";

class CapiTest : public testing::Test {
 protected:
  void TearDown() override { pileus_free(run); }

  pileus_status start(const std::string& configuration) {
    pileus_settings settings = PILEUS_SETTINGS_INIT;
    settings.configuration = configuration.c_str();
    settings.directory = where.c_str();
    return pileus_start(&settings, &run, nullptr, nullptr);
  }
  std::string error() const { return pileus_error(run); }

  TestDirectory directory{kConfiguration};
  std::string where = directory.path();
  pileus_run* run = nullptr;
};

TEST_F(CapiTest, null_handles_are_a_usage_error) {
  double seconds = 0;
  int field = 0;

  EXPECT_EQ(pileus_start(nullptr, nullptr, nullptr, nullptr), PILEUS_ERROR_USAGE);
  EXPECT_EQ(pileus_option(nullptr, "a", "b"), PILEUS_ERROR_USAGE);
  EXPECT_EQ(pileus_continue(nullptr, 1), PILEUS_ERROR_USAGE);
  EXPECT_EQ(pileus_dimension(nullptr, "x", 1, nullptr, nullptr), PILEUS_ERROR_USAGE);
  EXPECT_EQ(pileus_field(nullptr, "u", PILEUS_DOUBLE, 0, nullptr, nullptr, nullptr, &field),
            PILEUS_ERROR_USAGE);
  EXPECT_EQ(pileus_commit(nullptr), PILEUS_ERROR_USAGE);
  EXPECT_EQ(pileus_begin(nullptr, 1, 1, 1, 0), PILEUS_ERROR_USAGE);
  EXPECT_EQ(pileus_wanted(nullptr, 0), 0);
  EXPECT_EQ(pileus_put(nullptr, 0, &seconds, nullptr), PILEUS_ERROR_USAGE);
  EXPECT_EQ(pileus_put_array(nullptr, 0, PILEUS_DOUBLE, 0, nullptr, &seconds, nullptr), PILEUS_ERROR_USAGE);
  EXPECT_EQ(pileus_text_field(nullptr, "u", 8, 0, nullptr, nullptr, nullptr, &field), PILEUS_ERROR_USAGE);
  EXPECT_EQ(pileus_map_field(nullptr, "u", 8, "x", &field), PILEUS_ERROR_USAGE);
  EXPECT_EQ(pileus_put_texts(nullptr, 0, 0, nullptr), PILEUS_ERROR_USAGE);
  EXPECT_EQ(pileus_put_map(nullptr, 0, 0, nullptr, nullptr), PILEUS_ERROR_USAGE);
  EXPECT_EQ(pileus_end(nullptr), PILEUS_ERROR_USAGE);
  EXPECT_EQ(pileus_finish(nullptr), PILEUS_ERROR_USAGE);
  EXPECT_EQ(pileus_time(nullptr, &seconds, &seconds), PILEUS_ERROR_USAGE);
  EXPECT_STREQ(pileus_error(nullptr), "the handle is NULL; pileus_start gives one");
  pileus_free(nullptr);
}

TEST_F(CapiTest, null_arguments_are_named) {
  ASSERT_EQ(start(directory.configuration_path()), PILEUS_OK) << error();
  const std::int64_t count[] = {4};
  const char* unnamed[] = {nullptr};
  int field = 0;

  EXPECT_EQ(pileus_option(run, nullptr, "b"), PILEUS_ERROR_USAGE);
  EXPECT_EQ(error(), "pileus_option: the key is NULL");
  EXPECT_EQ(pileus_option(run, "a", nullptr), PILEUS_ERROR_USAGE);
  EXPECT_EQ(pileus_dimension(run, nullptr, 4, nullptr, nullptr), PILEUS_ERROR_USAGE);
  EXPECT_EQ(error(), "pileus_dimension: the name is NULL");
  EXPECT_EQ(pileus_field(run, nullptr, PILEUS_DOUBLE, 1, nullptr, nullptr, count, &field),
            PILEUS_ERROR_USAGE);
  EXPECT_EQ(pileus_field(run, "u", PILEUS_DOUBLE, 1, nullptr, nullptr, nullptr, &field), PILEUS_ERROR_USAGE);
  EXPECT_EQ(error(), "pileus_field: count is NULL");
  EXPECT_EQ(pileus_field(run, "u", PILEUS_DOUBLE, 1, unnamed, nullptr, count, &field), PILEUS_ERROR_USAGE);
  EXPECT_EQ(pileus_field(run, "u", PILEUS_DOUBLE, 1, nullptr, nullptr, count, nullptr), PILEUS_ERROR_USAGE);
  EXPECT_EQ(error(), "pileus_field: the place for the field's number is NULL");
}

TEST_F(CapiTest, null_arguments_for_texts_and_maps_are_named) {
  ASSERT_EQ(start(directory.configuration_path()), PILEUS_OK) << error();
  const char* list[] = {"a", nullptr};
  int field = 0;

  EXPECT_EQ(pileus_field(run, "t", PILEUS_TEXT, 0, nullptr, nullptr, nullptr, &field), PILEUS_ERROR_USAGE);
  EXPECT_EQ(error(), "pileus_field: texts have a length: register them with pileus_text_field");
  EXPECT_EQ(pileus_text_field(run, nullptr, 8, 0, nullptr, nullptr, nullptr, &field), PILEUS_ERROR_USAGE);
  EXPECT_EQ(error(), "pileus_text_field: the name is NULL");
  EXPECT_EQ(pileus_text_field(run, "t", 8, 0, nullptr, nullptr, nullptr, nullptr), PILEUS_ERROR_USAGE);
  EXPECT_EQ(pileus_map_field(run, nullptr, 8, "x", &field), PILEUS_ERROR_USAGE);
  EXPECT_EQ(pileus_map_field(run, "m", 8, nullptr, &field), PILEUS_ERROR_USAGE);
  EXPECT_EQ(error(), "pileus_map_field: the name of the dimension is NULL");
  EXPECT_EQ(pileus_put_texts(run, 0, 1, nullptr), PILEUS_ERROR_USAGE);
  EXPECT_EQ(error(), "pileus_put_texts: the list is NULL");
  EXPECT_EQ(pileus_put_map(run, 0, 2, list, list), PILEUS_ERROR_USAGE);
  EXPECT_EQ(error(), "pileus_put_map: text 1 is NULL");
  EXPECT_EQ(pileus_put_texts(run, 0, -1, list), PILEUS_ERROR_USAGE);
  EXPECT_EQ(error(), "pileus_put_texts: there are -1 of them");
}

TEST_F(CapiTest, ranks_types_and_flags_that_are_not_there_are_named) {
  ASSERT_EQ(start(directory.configuration_path()), PILEUS_OK) << error();
  const std::int64_t count[] = {4};
  int field = 0;

  EXPECT_EQ(pileus_field(run, "u", PILEUS_DOUBLE, -1, nullptr, nullptr, count, &field), PILEUS_ERROR_USAGE);
  EXPECT_EQ(error(), "pileus_field: the rank is -1; it may be 0 to 6");
  EXPECT_EQ(pileus_field(run, "u", PILEUS_DOUBLE, 7, nullptr, nullptr, count, &field), PILEUS_ERROR_USAGE);
  EXPECT_EQ(pileus_field(run, "u", 9, 1, nullptr, nullptr, count, &field), PILEUS_ERROR_USAGE);
  EXPECT_EQ(error(),
            "pileus_field: there is no type 9; it is PILEUS_DOUBLE, _FLOAT, _INT32, _INT64, _BOOL or _TEXT");
  EXPECT_EQ(pileus_begin(run, 1, 1, 1, 8), PILEUS_ERROR_USAGE);
  EXPECT_EQ(error(),
            "pileus_begin: unknown flags 8; there are PILEUS_FINAL, PILEUS_CHECKPOINT "
            "and PILEUS_THREADS");
}

TEST_F(CapiTest, calls_in_the_wrong_order_say_the_call_and_the_state) {
  ASSERT_EQ(start(directory.configuration_path()), PILEUS_OK) << error();

  EXPECT_EQ(pileus_begin(run, 1, 1, 1, 0), PILEUS_ERROR_USAGE);
  EXPECT_EQ(error().find("pileus_begin was called before pileus_commit; "), 0U) << error();
  EXPECT_EQ(pileus_finish(run), PILEUS_ERROR_USAGE);
  EXPECT_EQ(error().find("pileus_finish was called before pileus_commit; "), 0U) << error();
}

TEST_F(CapiTest, settings_without_size_or_from_a_newer_header_are_refused) {
  struct {
    pileus_settings known = PILEUS_SETTINGS_INIT;
    const char* later = nullptr;
  } newer;
  newer.known.size = sizeof newer;
  newer.known.configuration = "nowhere.xml";
  pileus_settings settings = {};

  EXPECT_EQ(pileus_start(&settings, &run, nullptr, nullptr), PILEUS_ERROR_USAGE);
  EXPECT_EQ(error(),
            "pileus_start: the settings have a size of 0 bytes; initialise them with PILEUS_SETTINGS_INIT");
  pileus_free(run);
  newer.later = "something";
  EXPECT_EQ(pileus_start(&newer.known, &run, nullptr, nullptr), PILEUS_ERROR_USAGE);
  EXPECT_NE(error().find("does not know; use a newer one"), std::string::npos) << error();
  pileus_free(run);
  EXPECT_EQ(pileus_start(nullptr, &run, nullptr, nullptr), PILEUS_ERROR_USAGE);
  EXPECT_EQ(error(), "pileus_start: settings is NULL");
}

TEST_F(CapiTest, settings_of_the_first_version_are_understood) {
  const std::string configuration = directory.configuration_path();
  pileus_settings settings = PILEUS_SETTINGS_INIT;
  settings.size = offsetof(pileus_settings, servers_ratio);
  settings.configuration = configuration.c_str();
  settings.servers_ratio = settings.servers_total = 77;  // lies behind the given size, so it is not read

  EXPECT_EQ(pileus_start(&settings, &run, nullptr, nullptr), PILEUS_OK) << error();
}

TEST_F(CapiTest, the_model_is_described_where_the_settings_ask_for_it) {
  const std::string configuration = directory.configuration_path(), path = where + "/model.json";
  const char* const dimensions[] = {"x"};
  const std::int64_t count[] = {4};
  int field = 0;
  pileus_settings settings = PILEUS_SETTINGS_INIT;
  settings.configuration = configuration.c_str();
  settings.directory = where.c_str();
  settings.describe_model = path.c_str();

  ASSERT_EQ(pileus_start(&settings, &run, nullptr, nullptr), PILEUS_OK) << error();
  ASSERT_EQ(pileus_dimension(run, "x", 4, nullptr, nullptr), PILEUS_OK) << error();
  ASSERT_EQ(pileus_field(run, "u", PILEUS_DOUBLE, 1, dimensions, nullptr, count, &field), PILEUS_OK);
  ASSERT_EQ(pileus_commit(run), PILEUS_OK) << error();
  std::ifstream in(path);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  EXPECT_NE(text.find(R"({"name":"u","type":"double","dimensions":["x"]})"), std::string::npos) << text;
}

TEST_F(CapiTest, settings_from_before_models_were_described_are_understood) {
  const std::string configuration = directory.configuration_path();
  pileus_settings settings = PILEUS_SETTINGS_INIT;
  settings.size = offsetof(pileus_settings, describe_model);
  settings.configuration = configuration.c_str();
  settings.describe_model = "/nowhere/at/all.json";  // lies behind the given size, so it is not read

  ASSERT_EQ(pileus_start(&settings, &run, nullptr, nullptr), PILEUS_OK) << error();
  ASSERT_EQ(pileus_commit(run), PILEUS_ERROR_CONFIG);
  EXPECT_EQ(error().find("nowhere"), std::string::npos) << error();
}

TEST_F(CapiTest, one_process_serves_itself_whatever_servers_are_asked_for) {
  const std::string configuration = directory.configuration_path();
  pileus_settings settings = PILEUS_SETTINGS_INIT;
  settings.configuration = configuration.c_str();
  settings.servers_total = 2;
  pileus_role role = PILEUS_SERVER;

  EXPECT_EQ(pileus_start(&settings, &run, nullptr, &role), PILEUS_OK) << error();
  EXPECT_EQ(role, PILEUS_MODEL);
}

TEST_F(CapiTest, two_ways_to_ask_for_servers_are_one_too_many) {
  pileus_settings settings = PILEUS_SETTINGS_INIT;
  settings.servers_total = 2;
  settings.servers_per_node = 1;

  EXPECT_EQ(pileus_start(&settings, &run, nullptr, nullptr), PILEUS_ERROR_USAGE);
  EXPECT_NE(error().find("set one and leave the others 0"), std::string::npos) << error();
}

TEST_F(CapiTest, an_attached_run_needs_a_configuration) {
  pileus_settings settings = PILEUS_SETTINGS_INIT;

  EXPECT_EQ(pileus_start(&settings, &run, nullptr, nullptr), PILEUS_ERROR_USAGE);
  EXPECT_NE(error().find("path of the configuration"), std::string::npos) << error();
  EXPECT_EQ(pileus_commit(run), PILEUS_ERROR_USAGE);
  EXPECT_EQ(error().find("pileus_commit was called although pileus_start had failed:\n"), 0U) << error();
  EXPECT_EQ(pileus_commit(run), PILEUS_ERROR_USAGE);
  EXPECT_EQ(pileus_wanted(run, 0), 0);
}

TEST_F(CapiTest, a_configuration_that_is_not_there_is_a_configuration_error) {
  pileus_status status = start(where + "/no.xml");
  if (status == PILEUS_OK) status = pileus_commit(run);

  EXPECT_EQ(status, PILEUS_ERROR_CONFIG);
  EXPECT_NE(error().find("no.xml"), std::string::npos) << error();
}

TEST_F(CapiTest, what_does_not_fit_the_configuration_is_a_configuration_error_with_its_place) {
  ASSERT_EQ(start(directory.configuration_path()), PILEUS_OK) << error();
  ASSERT_EQ(pileus_dimension(run, "x", 4, nullptr, nullptr), PILEUS_OK);

  EXPECT_EQ(pileus_commit(run), PILEUS_ERROR_CONFIG);  // no field "u"
  EXPECT_NE(error().find("run.xml:3:"), std::string::npos) << error();
  EXPECT_EQ(pileus_begin(run, 1, 1, 1, 0), PILEUS_ERROR_USAGE);
  EXPECT_EQ(error().find("pileus_begin was called after pileus_commit failed; "), 0U) << error();
}

TEST_F(CapiTest, has_the_version_of_the_project) {
  const std::string of_header = std::to_string(PILEUS_VERSION_MAJOR) + "." +
                                std::to_string(PILEUS_VERSION_MINOR) + "." +
                                std::to_string(PILEUS_VERSION_PATCH);

  EXPECT_EQ(pileus_version(), of_header);  // the version in CMakeLists.txt
  EXPECT_EQ(PILEUS_VERSION_NUMBER, 100);
}

TEST_F(CapiTest, local_sums_are_exact_and_refuse_what_makes_no_sense) {
  ASSERT_EQ(start(directory.configuration_path()), PILEUS_OK) << error();
  const double values[] = {1e16, 1, -1e16, 2};  // two rows of two
  const int64_t count[] = {2, 2};
  const int rows_stay[] = {0, 1};
  double sums[4] = {};

  EXPECT_EQ(pileus_local_sum(run, PILEUS_DOUBLE, 2, count, values, nullptr, nullptr, 1, sums), PILEUS_OK);
  EXPECT_EQ(sums[0], 3);
  EXPECT_EQ(pileus_local_sum(run, PILEUS_DOUBLE, 2, count, values, nullptr, rows_stay, 2, sums), PILEUS_OK);
  // 1e16 + 1 is half way between two doubles; -1e16 + 2 is a double.
  EXPECT_EQ(sums[0], 1e16);
  EXPECT_EQ(sums[1], 1);
  EXPECT_EQ(sums[2], -9999999999999998);
  EXPECT_EQ(sums[3], 0);

  EXPECT_EQ(pileus_local_sum(nullptr, PILEUS_DOUBLE, 2, count, values, nullptr, nullptr, 1, sums),
            PILEUS_ERROR_USAGE);
  EXPECT_EQ(pileus_local_sum(run, PILEUS_TEXT, 2, count, values, nullptr, nullptr, 1, sums),
            PILEUS_ERROR_USAGE);
  EXPECT_EQ(pileus_local_sum(run, PILEUS_DOUBLE, 2, count, nullptr, nullptr, nullptr, 1, sums),
            PILEUS_ERROR_USAGE);
  EXPECT_EQ(pileus_local_sum(run, PILEUS_DOUBLE, 2, count, values, nullptr, nullptr, 0, sums),
            PILEUS_ERROR_USAGE);
  EXPECT_EQ(pileus_local_sum(run, PILEUS_DOUBLE, 2, count, values, nullptr, rows_stay, 1, sums),
            PILEUS_ERROR_USAGE);
  EXPECT_NE(error().find("needs 2 parts"), std::string::npos) << error();
}

}  // namespace
