#include "config/values.h"

#include <gtest/gtest.h>

#include <limits>

namespace pileus {
namespace {

TEST(Values, times_are_seconds_or_have_a_unit) {
  const auto parse_seconds = [](const char* text) {
    return parse_duration(text).value_or(Duration{}).seconds;
  };
  EXPECT_EQ(parse_seconds("100"), 100.0);
  EXPECT_EQ(parse_seconds("10.5"), 10.5);
  EXPECT_EQ(parse_seconds("1e3"), 1000.0);
  EXPECT_EQ(parse_seconds("10 s"), 10.0);
  EXPECT_EQ(parse_seconds("10 min"), 600.0);
  EXPECT_EQ(parse_seconds("6 h"), 21600.0);
  EXPECT_EQ(parse_seconds("1d"), 86400.0);
}

TEST(Values, times_that_are_not_positive_and_finite_are_refused) {
  for (const char* text : {"", "0", "-1", "0 h", "nan", "inf", "1e999", "1e308 d", "min", "10 m", "10 S",
                           "1 0", "1,5", "0x10", "10 min 5 s", "+1", "1e-400"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

TEST(Values, months_and_years_are_counted) {
  const auto months = [](const char* text) { return parse_duration(text).value_or(Duration{}).months; };
  EXPECT_EQ(months("1 month"), 1);
  EXPECT_EQ(months("12months"), 12);
  EXPECT_EQ(months("1 year"), 12);
  EXPECT_EQ(months("9999 years"), 119988);
  EXPECT_EQ(parse_duration("3 month")->seconds, 0);
  EXPECT_EQ(months("30 d"), 0);
}

TEST(Values, months_that_cannot_be_counted_are_refused) {
  for (const char* text : {"0 month", "1.5 month", "-1 month", "month", "1e3 months", "10000 years",
                           "119989 months", "99999999999999999999 months", "1 Month", "1 mon"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

TEST(Values, sizes_are_bytes_or_have_a_binary_unit) {
  EXPECT_EQ(parse_bytes("1"), 1);
  EXPECT_EQ(parse_bytes("4 KiB"), 4096);
  EXPECT_EQ(parse_bytes("512MiB"), 536870912);
  EXPECT_EQ(parse_bytes("2 GiB"), 2147483648);
  EXPECT_EQ(parse_bytes("8589934591 GiB"), 8589934591 * (std::int64_t{1} << 30));
}

TEST(Values, sizes_that_are_not_positive_or_do_not_fit_are_refused) {
  for (const char* text :
       {"", "0", "-1", "1.5 GiB", "2 GB", "2 kib", "8589934592 GiB", "9223372036854775808", "GiB"}) {
    EXPECT_EQ(parse_bytes(text), std::nullopt) << text;
  }
}

TEST(Values, integers_are_digits_alone) {
  EXPECT_EQ(parse_integer("9223372036854775807", 1), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(parse_integer("0", 0), 0);
  for (const char* text : {"", "0", "-1", "+1", "1.0", "1e3", "9223372036854775808", " 1", "0x1"}) {
    EXPECT_EQ(parse_integer(text, 1), std::nullopt) << text;
  }
}

TEST(Values, names_hold_letters_digits_and_three_signs) {
  EXPECT_EQ(name_problem("3d_fields-2.a"), "");
  EXPECT_EQ(name_problem(""), "a name must not be empty");
  EXPECT_EQ(name_problem("a b"), "a name is made of letters, digits, \"_\", \"-\" and \".\", not of \" \"");
  EXPECT_EQ(name_problem("θ"), "a name is made of letters, digits, \"_\", \"-\" and \".\", not of \"θ\"");
}

TEST(Values, file_names_have_no_folder) {
  EXPECT_EQ(file_name_problem("profile ts+1.nc"), "");
  for (const char* text : {"", "a/b.nc", "/a.nc", ".nc", "..", "a\nb"})
    EXPECT_NE(file_name_problem(text), "") << text;
}

TEST(Values, folders_before_a_files_name_lie_in_that_of_the_run) {
  for (const char* text : {"a.nc", "out/a.nc", "out/of/a_{time}.nc"}) EXPECT_EQ(file_path_problem(text), "");
  for (const char* text :
       {"", "/a.nc", "out/", "a//b", "../a.nc", "a/../b", "./a", "a/.b", "{time}/a", "a\n/b"})
    EXPECT_NE(file_path_problem(text), "") << text;
}

TEST(Values, lists_know_where_their_items_stand) {
  const auto items = split_list(" z, y ,,x");

  ASSERT_EQ(items.size(), 4u);
  EXPECT_EQ(items[0].text, "z");
  EXPECT_EQ(items[0].at, 1u);
  EXPECT_EQ(items[1].text, "y");
  EXPECT_EQ(items[1].at, 4u);
  EXPECT_EQ(items[2].text, "");
  EXPECT_EQ(items[3].at, 8u);
  EXPECT_TRUE(split_list("  ").empty());
  EXPECT_EQ(split_list("z,").size(), 2u);
}

}  // namespace
}  // namespace pileus
