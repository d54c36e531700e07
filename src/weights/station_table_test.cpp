#include "weights/station_table.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace pileus {
namespace {

using Names = std::vector<std::string>;
using Numbers = std::vector<double>;

::testing::AssertionResult has(const std::string& text, const std::string& words) {
  if (text.find(words) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << '"' << text << '"';
}

std::string problem(std::string_view text) {
  try {
    read_station_table(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(StationTable, has_names_and_places) {
  const StationTable table =
      read_station_table("name,latitude,longitude\nKew,51.48,-0.29\nParis , 48.9,2.3\n");

  EXPECT_EQ(table.names, (Names{"Kew", "Paris"}));
  EXPECT_EQ(table.y, (Numbers{51.48, 48.9}));
  EXPECT_EQ(table.x, (Numbers{-0.29, 2.3}));
  EXPECT_TRUE(table.altitude.empty());
}

TEST(StationTable, takes_columns_in_any_order_with_others_between) {
  const StationTable table = read_station_table(
      "\xEF\xBB\xBF# of a service\n\nLON;who;Elevation;Lat;ID\r\n2.5;me;12;-1;\"a; \"\"b\"\"\"\r\n", "", "");

  EXPECT_EQ(table.names, (Names{"a; \"b\""}));
  EXPECT_EQ(table.y, (Numbers{-1}));
  EXPECT_EQ(table.x, (Numbers{2.5}));
  EXPECT_EQ(table.altitude, (Numbers{12}));
}

TEST(StationTable, takes_the_column_that_is_named_best) {
  const StationTable table = read_station_table("y,id,name,lat,lon\n7,3,Kew,51,0");

  EXPECT_EQ(table.names, (Names{"Kew"}));
  EXPECT_EQ(table.y, (Numbers{51}));
}

TEST(StationTable, knows_the_names_of_dimensions) {
  const StationTable table = read_station_table("station\tnorth\teast\nmast\t+3\t4", "north", "east");

  EXPECT_EQ(table.y, (Numbers{3}));
  EXPECT_EQ(table.x, (Numbers{4}));
}

TEST(StationTable, says_what_is_wrong_and_in_which_line) {
  EXPECT_TRUE(has(problem(""), "it is empty"));
  EXPECT_TRUE(has(problem("name,lat,lon\n"), "there is no station in it"));
  EXPECT_TRUE(has(problem("Kew,51.48,-0.29"), "line 1: no column is named \"name\""));
  EXPECT_TRUE(has(problem("name,lat\nKew,1"), "line 1: no column is named \"longitude\""));
  EXPECT_TRUE(has(problem("name,lat,lon\nKew,1"), "line 2: 2 columns, where the first line has 3"));
  EXPECT_TRUE(has(problem("name,lat,lon\n#\nKew,1x,2"), "line 3: lat \"1x\" is no number"));
  EXPECT_TRUE(has(problem("name,lat,lon\nKew,inf,2"), "line 2: lat \"inf\" is no number"));
  EXPECT_TRUE(has(problem("name,lat,lon\nKew,,2"), "line 2: lat \"\" is no number"));
  EXPECT_TRUE(has(problem("name,lat,lon\n,1,2"), "line 2: a station has no name"));
  EXPECT_TRUE(has(problem("name,lat,lon\nA,1,2\nA,3,4"), "line 3: \"A\" is there twice"));
  EXPECT_TRUE(has(problem("name,lat,lon\n\"A,1,2"), "line 2: a quote has no end"));
  EXPECT_TRUE(has(problem("name,lat,lon\n\"A\"b,1,2"), "line 2: text stands behind a quote's end"));
}

}  // namespace
}  // namespace pileus
