// What a model learns of its configuration before it registers anything, by the calls of C and of C++.

#include <gtest/gtest.h>

#include <pileus/pileus.hpp>
#include <string>
#include <vector>

#include "capi/testing/test_directory.h"

namespace {

using pileus::testing::TestDirectory;

constexpr const char* kConfiguration = R"(<io-configuration>
  <data-definition name="state" frequency="{every}" namespace="model">
    <field name="w" type="array" data_type="float" size="x,z" collective="true"/>
    <field name="dt" type="scalar" data_type="double" optional="true"/>
    <field name="names" type="map"/>
  </data-definition>
  <data-definition name="last" frequency="0" send_on_terminate="true">
    <field name="h" type="array"/>
  </data-definition>
  <data-writing>
    <file name="w.nc" write_time_frequency="20">
      <include field="model::w" time_manipulation="averaged" output_frequency="10"/>
      <include field="model::w" time_manipulation="instantaneous" output_frequency="5" name="w_now"/>
    </file>
  </data-writing>
</io-configuration>
)";

pileus::Settings settings_for(const TestDirectory& directory) {
  return {directory.configuration_path(), std::nullopt, directory.path()};
}

TEST(Wants, are_read_in_cpp_before_anything_is_registered) {
  const TestDirectory directory(kConfiguration);
  pileus::Run run(settings_for(directory));
  run.option("every", "3");

  const pileus::Wants wants = run.wants();

  ASSERT_EQ(wants.definitions.size(), 2U);
  EXPECT_EQ(wants.definitions[0].name, "state");
  EXPECT_EQ(wants.definitions[0].name_space, "model");
  EXPECT_EQ(wants.definitions[0].frequency, 3);
  EXPECT_TRUE(wants.definitions[1].is_sent_at_end);
  ASSERT_EQ(wants.fields.size(), 4U);
  EXPECT_EQ(wants.fields[0].name, "model::w");
  EXPECT_EQ(wants.fields[0].kind, PILEUS_KIND_ARRAY);
  EXPECT_EQ(wants.fields[0].type, PILEUS_FLOAT);
  EXPECT_EQ(wants.fields[0].dimensions, (std::vector<std::string>{"x", "z"}));
  EXPECT_TRUE(wants.fields[0].is_collective);
  EXPECT_EQ(wants.fields[0].output_s, (std::vector<double>{10, 5}));
  EXPECT_EQ(wants.fields[1].kind, PILEUS_KIND_SCALAR);
  EXPECT_TRUE(wants.fields[1].is_optional);
  EXPECT_TRUE(wants.fields[1].output_s.empty());
  EXPECT_EQ(wants.fields[2].kind, PILEUS_KIND_MAP);
  EXPECT_FALSE(wants.fields[3].dimensions);
  EXPECT_EQ(wants.fields[3].definition, 1);
}

TEST(Wants, may_be_asked_again_after_other_options_and_before_a_whole_run) {
  const TestDirectory directory(kConfiguration);
  pileus::Run run(settings_for(directory));

  try {
    run.wants();
    ADD_FAILURE() << "the option is missing";
  } catch (const pileus::Error& error) {
    EXPECT_EQ(error.status(), PILEUS_ERROR_CONFIG);
    EXPECT_NE(std::string(error.what()).find("every"), std::string::npos) << error.what();
  }
  run.option("every", "1");
  EXPECT_EQ(run.wants().definitions[0].frequency, 1);
  run.dimension("x", 2);
  run.dimension("z", 3);
  const auto w = run.field<float>("w", {{"x", 0, 2}, {"z", 0, 3}});
  run.commit();
  run.begin(1, 20, 20, PILEUS_FINAL);
  run.put(w, std::vector<float>(6, 1));
  run.end();
  run.finish();

  EXPECT_EQ(directory.count_files(".nc"), 1);
}

class WantsOfC : public testing::Test {
 protected:
  void SetUp() override {
    pileus_settings settings = PILEUS_SETTINGS_INIT;
    const std::string configuration = directory.configuration_path();
    settings.configuration = configuration.c_str();
    ASSERT_EQ(pileus_start(&settings, &run, nullptr, nullptr), PILEUS_OK);
    ASSERT_EQ(pileus_option(run, "every", "1"), PILEUS_OK);
  }
  void TearDown() override { pileus_free(run); }

  TestDirectory directory{kConfiguration};
  pileus_run* run = nullptr;
};

TEST_F(WantsOfC, are_described_by_number) {
  int definitions = 0, fields = 0;
  pileus_definition definition{};
  pileus_wanted_field field{};
  definition.size = sizeof definition;
  field.size = sizeof field;

  ASSERT_EQ(pileus_wants(run, &definitions, &fields), PILEUS_OK) << pileus_error(run);

  EXPECT_EQ(definitions, 2);
  EXPECT_EQ(fields, 4);
  ASSERT_EQ(pileus_wants_definition(run, 1, &definition), PILEUS_OK);
  EXPECT_STREQ(definition.name, "last");
  EXPECT_STREQ(definition.name_space, "");
  EXPECT_EQ(definition.frequency, 0);
  EXPECT_EQ(definition.first_field, 3);
  EXPECT_EQ(definition.fields, 1);
  ASSERT_EQ(pileus_wants_field(run, 0, &field), PILEUS_OK);
  EXPECT_STREQ(field.name, "model::w");
  EXPECT_EQ(field.rank, 2);
  EXPECT_STREQ(field.dimensions[1], "z");
  EXPECT_EQ(field.outputs, 2);
  EXPECT_EQ(field.output_s[1], 5);
  EXPECT_EQ(field.output_months[1], 0);
  ASSERT_EQ(pileus_wants_field(run, 3, &field), PILEUS_OK);
  EXPECT_EQ(field.rank, -1);
  EXPECT_EQ(field.type, -1);
  EXPECT_EQ(field.outputs, 0);
}

TEST_F(WantsOfC, are_refused_where_a_call_makes_no_sense) {
  pileus_definition definition{};
  pileus_wanted_field field{};
  definition.size = sizeof definition;
  field.size = sizeof field;

  EXPECT_EQ(pileus_wants(nullptr, nullptr, nullptr), PILEUS_ERROR_USAGE);
  EXPECT_EQ(pileus_wants_field(run, 0, &field), PILEUS_ERROR_USAGE);
  EXPECT_STREQ(pileus_error(run),
               "pileus_wants_field was called before pileus_wants, which asks the configuration");
  ASSERT_EQ(pileus_wants(run, nullptr, nullptr), PILEUS_OK);
  EXPECT_EQ(pileus_wants_field(run, 4, &field), PILEUS_ERROR_USAGE);
  EXPECT_STREQ(pileus_error(run),
               "pileus_wants_field: there is no field 4; pileus_wants says how many there "
               "are, and they are numbered from 0");
  EXPECT_EQ(pileus_wants_definition(run, -1, &definition), PILEUS_ERROR_USAGE);
  EXPECT_EQ(pileus_wants_definition(run, 0, nullptr), PILEUS_ERROR_USAGE);
  definition.size = 0;
  EXPECT_EQ(pileus_wants_definition(run, 0, &definition), PILEUS_ERROR_USAGE);
  EXPECT_STREQ(pileus_error(run),
               "pileus_wants_definition: the structure has a size of 0 bytes; set it to its "
               "sizeof before the call");
}

}  // namespace
