#include "core/degrees.h"

#include <gtest/gtest.h>

namespace pileus {
namespace {

TEST(Degrees, have_the_directions_of_all_spellings_of_cf) {
  for (const char* units :
       {"degrees_north", "degree_north", "degree_N", "degrees_N", "degreeN", "degreesN"}) {
    EXPECT_TRUE(are_degrees_north(units)) << units;
    EXPECT_FALSE(are_degrees_east(units)) << units;
  }
  for (const char* units :
       {"degrees_east", "degree_east", "degree_E", "degrees_E", "degreeE", "Degrees_East"}) {
    EXPECT_TRUE(are_degrees_east(units)) << units;
    EXPECT_FALSE(are_degrees_north(units)) << units;
  }
}

TEST(Degrees, of_no_or_another_direction_and_other_units_are_told_apart) {
  EXPECT_EQ(direction_of_degrees("degrees"), "");
  EXPECT_EQ(direction_of_degrees("deg"), "");
  EXPECT_EQ(direction_of_degrees("degrees_west"), "west");
  EXPECT_EQ(direction_of_degrees("degreesouth"), "south");
  for (const char* units : {"", "K", "degC", "radian", "m"})
    EXPECT_FALSE(direction_of_degrees(units)) << units;
}

}  // namespace
}  // namespace pileus
