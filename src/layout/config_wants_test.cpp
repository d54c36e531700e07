#include "layout/config_wants.h"

#include "layout/test_config.h"

namespace pileus {
namespace {

using planning_test::ConfigBuilder;

Wants wants_of(const ConfigBuilder& built) {
  Findings findings;
  Wants wants = config_wants(built.config, findings);
  EXPECT_FALSE(findings.has_errors());
  return wants;
}

TEST(ConfigWants, have_definitions_with_their_fields) {
  ConfigBuilder built;
  built.group("state", 2);
  built.field("w", "z,y");
  built.field("dt", "");
  built.group("last", 0);
  built.field("h", "?");
  built.config.data_groups[1].scope = "a";
  built.config.data_groups[1].send_on_terminate = true;
  built.config.data_groups[1].fields[0].is_optional = true;

  const Wants wants = wants_of(built);

  EXPECT_EQ(wants.definitions, (std::vector<WantedDefinition>{{"state", "", 2, 0, false, 0, 2},
                                                              {"last", "a", 0, 0, true, 2, 1}}));
  ASSERT_EQ(wants.fields.size(), 3U);
  EXPECT_EQ(wants.fields[0].sizes, (std::vector<std::string>{"z", "y"}));
  EXPECT_TRUE(wants.fields[0].has_sizes);
  EXPECT_TRUE(wants.fields[1].sizes.empty());
  EXPECT_TRUE(wants.fields[1].has_sizes);
  EXPECT_EQ(wants.fields[2].name, "a::h");
  EXPECT_FALSE(wants.fields[2].has_sizes);
  EXPECT_TRUE(wants.fields[2].is_optional);
}

TEST(ConfigWants, say_how_often_files_have_what_is_made_of_a_field) {
  ConfigBuilder built;
  built.group("state");
  for (const char* name : {"u", "v", "unused"}) built.field(name, "x");
  built.diagnostic("speed");
  built.arithmetic("u*u+v*v", "speed");
  built.diagnostic("twice");
  built.arithmetic("2*speed", "twice");
  built.file("a.nc").include("twice", "averaged", 10);
  built.include("v", "instantaneous", 5);
  built.file("b.nc").include("speed", "averaged", 10);
  built.include("u", "none");
  built.include("v", "averaged", 0).output_frequency->months = 1;

  const Wants wants = wants_of(built);

  EXPECT_EQ(wants.fields[0].outputs, (std::vector<WantedOutput>{{0, 0}, {10, 0}}));
  EXPECT_EQ(wants.fields[1].outputs, (std::vector<WantedOutput>{{5, 0}, {0, 1}, {10, 0}}));
  EXPECT_TRUE(wants.fields[2].outputs.empty());
}

}  // namespace
}  // namespace pileus
