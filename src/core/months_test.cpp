#include "core/months.h"

#include <gtest/gtest.h>

#include "core/step.h"

namespace pileus {
namespace {

TEST(Months, are_written_in_months_seasons_and_years) {
  const auto parsed = [](const char* words) { return parse_months(words).value_or(Months{}); };

  EXPECT_EQ(parsed("1 month"), (Months{1, 0}));
  EXPECT_EQ(parsed("3months"), (Months{3, 0}));
  EXPECT_EQ(parsed("2 years"), (Months{24, 0}));
  EXPECT_EQ(parsed("1 season"), (Months{3, 3}));  // December and March begin one
  EXPECT_EQ(parsed("3 months from December"), parsed("1 season"));
  EXPECT_EQ(parsed("3 months from January"), (Months{3, 1}));
  EXPECT_EQ(parsed("1 year from October"), (Months{12, 10}));
  EXPECT_EQ(parsed("6 months from  October"), (Months{6, 4}));
  EXPECT_EQ(parsed("1 month from May"), (Months{1, 0}));  // each month begins one
}

TEST(Months, of_other_words_are_none_and_say_why) {
  EXPECT_EQ(months_problem("1 month"), "");
  EXPECT_EQ(months_problem("10 s"), "");
  EXPECT_EQ(months_problem("month"), "");
  for (const char* words : {"0 months", "1.5 seasons", "-1 year", "9999999 years"}) {
    EXPECT_FALSE(parse_months(words)) << words;
    EXPECT_NE(months_problem(words).find("only whole ones are counted"), std::string::npos) << words;
  }
  EXPECT_EQ(months_problem("1 year from Octobre"), "no month \"Octobre\"; did you mean \"October\"?");
  EXPECT_NE(months_problem("5 months from March").find("whole number of times into a year"),
            std::string::npos);
  EXPECT_NE(months_problem("3 seasons").find("whole number of times into a year"), std::string::npos);
  EXPECT_EQ(months_problem("1 season from May"),
            "seasons begin in December, March, June and September; write \"3 months from May\" for others");
  EXPECT_EQ(months_problem("30 d from May"),
            "only months and years begin with a month, such as \"3 months from March\"");
}

TEST(Months, go_into_others_that_begin_where_they_do) {
  const auto times = [](const char* part, const char* whole) {
    return times_in(parse_months(part).value_or(Months{}), parse_months(whole).value_or(Months{}));
  };

  EXPECT_EQ(times("1 month", "1 season"), 3);
  EXPECT_EQ(times("1 season", "1 year from December"), 4);
  EXPECT_EQ(times("1 season", "1 year from June"), 4);
  EXPECT_EQ(times("1 season", "1 year from January"), 0);
  EXPECT_EQ(times("1 season", "1 year"), 0);  // the date of model time 0 decides
  EXPECT_EQ(times("3 months", "1 year"), 4);
  EXPECT_EQ(times("2 months", "1 season"), 0);
  EXPECT_EQ(times("1 year from October", "2 years from October"), 2);
  EXPECT_EQ(times("1 year from October", "2 years from April"), 0);
}

TEST(Months, have_their_boundaries_where_they_begin) {
  const Date epoch = {2000, 2, 10, 6, 0, 0};
  const auto date_of = [&](const char* words, std::int64_t k) {
    const Frequency every(parse_months(words).value_or(Months{}), Calendar::day_360, epoch);
    const auto seconds = static_cast<std::int64_t>(Boundaries(every).at(k));
    return text(seconds_later(every.calendar, epoch, seconds));
  };

  EXPECT_EQ(date_of("1 season", 0), "1999-12-01 00:00:00");
  EXPECT_EQ(date_of("1 season", 1), "2000-03-01 00:00:00");
  EXPECT_EQ(date_of("1 year from October", 0), "1999-10-01 00:00:00");
  EXPECT_EQ(date_of("1 year from February", 0), "2000-02-01 00:00:00");
  EXPECT_EQ(date_of("1 year from March", 1), "2000-03-01 00:00:00");
  EXPECT_EQ(date_of("2 months from February", 0), "2000-02-01 00:00:00");
  EXPECT_EQ(date_of("2 months from January", 1), "2000-03-01 00:00:00");
  EXPECT_EQ(date_of("3 months", 1), "2000-05-01 00:00:00");
}

TEST(Months, are_told_apart_by_their_text) {
  const Date epoch = {2000, 2, 10};
  const auto written = [&](const char* words) {
    return text(Frequency(parse_months(words).value_or(Months{}), Calendar::noleap, epoch));
  };

  EXPECT_EQ(written("3 months"), "3 months from 2000-02-10 00:00:00 (noleap)");
  EXPECT_EQ(written("1 season"), "3 months from March, after 2000-02-10 00:00:00 (noleap)");
}

}  // namespace
}  // namespace pileus
