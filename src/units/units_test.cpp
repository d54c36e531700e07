#include "units/units.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace pileus {
namespace {

std::string problem(const std::string& from, const std::string& to) {
  try {
    change_of_units(from, to);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(ChangeOfUnits, has_a_factor_and_an_offset) {
  EXPECT_EQ(change_of_units("K", "degC"), (UnitChange{1, -273.15}));
  EXPECT_EQ(change_of_units("Pa", "hPa"), (UnitChange{0.01, 0}));
  EXPECT_EQ(change_of_units("kg kg-1", "g kg-1"), (UnitChange{1000, 0}));
  EXPECT_EQ(change_of_units("1", "%"), (UnitChange{100, 0}));
  EXPECT_EQ(change_of_units("m s-1", "km h-1"), (UnitChange{3.6, 0}));
  EXPECT_EQ(change_of_units("m", "m"), (UnitChange{1, 0}));
  EXPECT_EQ(change_of_units("s", "h"), (UnitChange{1.0 / 3600, 0}));
  EXPECT_EQ(change_of_units("s", "d"), (UnitChange{1.0 / 86400, 0}));
  EXPECT_EQ(change_of_units("K", "degF"), (UnitChange{1.8, -459.67}));
}

TEST(ChangeOfUnits, says_what_cannot_be) {
  EXPECT_EQ(problem("K", "m"), "\"K\" cannot become \"m\"");
  EXPECT_EQ(problem("K", "degrees_of_frost"), "UDUNITS does not know the units \"degrees_of_frost\"");
  EXPECT_EQ(problem("furlongs per", "m"), "UDUNITS does not know the units \"furlongs per\"");
  EXPECT_NE(problem("mm6 m-3", "dBZ").find("their scale is not straight"), std::string::npos);
}

}  // namespace
}  // namespace pileus
