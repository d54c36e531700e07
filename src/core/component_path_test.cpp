#include "core/component_path.h"

#include <gtest/gtest.h>

namespace pileus {
namespace {

TEST(ComponentPath, has_the_name_before_the_ending) {
  EXPECT_EQ(path_of_component("out.d/report.json", "ocean"), "out.d/report.ocean.json");
  EXPECT_EQ(path_of_component("out.d/report", "ocean"), "out.d/report.ocean");
  EXPECT_EQ(path_of_component(".hidden", "ocean"), ".hidden.ocean");
}

TEST(ComponentPath, is_the_path_without_a_component) {
  EXPECT_EQ(path_of_component("report.json", ""), "report.json");
  EXPECT_EQ(path_of_component("", "ocean"), "");
}

}  // namespace
}  // namespace pileus
