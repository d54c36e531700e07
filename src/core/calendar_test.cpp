#include "core/calendar.h"

#include <gtest/gtest.h>

namespace pileus {
namespace {

Date date(const std::string& text) { return parse_date(text).value(); }

std::string later(Calendar calendar, const std::string& from, std::int64_t seconds) {
  return text(seconds_later(calendar, date(from), seconds));
}

constexpr std::int64_t kDay = 86400;

TEST(Calendar, knows_its_words_and_their_synonyms) {
  EXPECT_EQ(parse_calendar("gregorian"), Calendar::standard);
  EXPECT_EQ(parse_calendar("365_day"), Calendar::noleap);
  EXPECT_EQ(parse_calendar("Gregorian"), std::nullopt);
  for (const std::string& word : calendar_words()) EXPECT_TRUE(parse_calendar(word)) << word;
  EXPECT_EQ(name(Calendar::day_360), "360_day");
  EXPECT_EQ(name(Calendar::standard), "standard");
}

TEST(Calendar, goes_from_the_julian_to_the_gregorian_calendar_in_october_1582) {
  EXPECT_EQ(later(Calendar::standard, "1582-10-04 12:00:00", kDay), "1582-10-15 12:00:00");
  EXPECT_EQ(later(Calendar::standard, "1582-10-15", -1), "1582-10-04 23:59:59");
  EXPECT_EQ(later(Calendar::proleptic_gregorian, "1582-10-04", kDay), "1582-10-05 00:00:00");
  EXPECT_EQ(later(Calendar::julian, "1582-10-04", kDay), "1582-10-05 00:00:00");
  EXPECT_EQ(days_in_month(Calendar::standard, 1582, 10), 21);
}

TEST(Calendar, has_the_leap_days_of_each_calendar) {
  EXPECT_EQ(later(Calendar::standard, "1900-02-28", kDay), "1900-03-01 00:00:00");
  EXPECT_EQ(later(Calendar::standard, "2000-02-28", kDay), "2000-02-29 00:00:00");
  EXPECT_EQ(later(Calendar::standard, "1500-02-28", kDay), "1500-02-29 00:00:00");
  EXPECT_EQ(later(Calendar::proleptic_gregorian, "1500-02-28", kDay), "1500-03-01 00:00:00");
  EXPECT_EQ(later(Calendar::julian, "1900-02-28", kDay), "1900-02-29 00:00:00");
  EXPECT_EQ(later(Calendar::noleap, "2000-02-28", kDay), "2000-03-01 00:00:00");
  EXPECT_EQ(later(Calendar::all_leap, "2001-02-28", kDay), "2001-02-29 00:00:00");
  EXPECT_EQ(later(Calendar::day_360, "2001-02-28", 2 * kDay), "2001-02-30 00:00:00");
}

TEST(Calendar, says_why_a_date_does_not_exist) {
  EXPECT_EQ(date_problem(Calendar::standard, date("2000-02-29")), "");
  EXPECT_EQ(date_problem(Calendar::noleap, date("2000-02-29")),
            "2000-02-29 does not exist in the calendar \"noleap\"");
  EXPECT_EQ(date_problem(Calendar::standard, date("1582-10-10")),
            "1582-10-10 does not exist in the calendar \"standard\"");
  EXPECT_EQ(date_problem(Calendar::proleptic_gregorian, date("1582-10-10")), "");
  EXPECT_EQ(date_problem(Calendar::day_360, date("2000-01-31")),
            "2000-01-31 does not exist in the calendar \"360_day\"");
  EXPECT_EQ(date_problem(Calendar::day_360, date("2000-02-30")), "");
  EXPECT_EQ(date_problem(Calendar::standard, date("0000-01-01")),
            "there is no year 0 in the calendar \"standard\"");
  EXPECT_EQ(date_problem(Calendar::noleap, date("0000-01-01")), "");
  EXPECT_EQ(date_problem(Calendar::noleap, date("2000-13-01")), "there is no month 13");
  EXPECT_NE(date_problem(Calendar::noleap, date("2000-12-01 24:00:00")), "");
}

TEST(Calendar, reads_dates_in_the_forms_that_people_write) {
  EXPECT_EQ(text(date("2000-01-02")), "2000-01-02 00:00:00");
  EXPECT_EQ(text(date("2000-01-02T03:04")), "2000-01-02 03:04:00");
  EXPECT_EQ(text(date("2000-01-02 03:04:05Z")), "2000-01-02 03:04:05");
  EXPECT_EQ(compact_text(date("2000-01-02 03:04:05")), "20000102T030405");
  for (const char* wrong :
       {"", "2000", "2000-1-2", "01.02.2000", "2000-01-02 3:04", "2000-01-02 03:04:05 CET", "-200-01-01",
        "2000-01-02 ", "2000-01-02Z", "2000-01-0a"}) {
    EXPECT_FALSE(parse_date(wrong)) << wrong;
  }
}

TEST(Calendar, adds_months_and_stays_within_them) {
  const auto months = [](Calendar calendar, const std::string& from, std::int64_t count) {
    return text(months_later(calendar, date(from), count));
  };

  EXPECT_EQ(months(Calendar::standard, "2000-01-31 06:00:00", 1), "2000-02-29 06:00:00");
  EXPECT_EQ(months(Calendar::noleap, "2000-01-31", 1), "2000-02-28 00:00:00");
  EXPECT_EQ(months(Calendar::day_360, "2000-01-30", 13), "2001-02-30 00:00:00");
  EXPECT_EQ(months(Calendar::standard, "2000-01-15", -1), "1999-12-15 00:00:00");
  EXPECT_EQ(months(Calendar::standard, "1582-09-10", 1), "1582-10-15 00:00:00");
}

TEST(Calendar, comes_back_to_every_day_that_it_counts) {
  for (const std::string& word : calendar_words()) {
    const Calendar calendar = *parse_calendar(word);
    const Date epoch = date("1582-01-01");
    for (std::int64_t day = -600'000; day < 600'000; day += 37) {
      const std::int64_t seconds = day * kDay + 12345;
      const Date found = seconds_later(calendar, epoch, seconds);
      if (found.year < 1) continue;
      ASSERT_EQ(date_problem(calendar, found), "") << word;
      ASSERT_EQ(seconds_between(calendar, epoch, found), seconds) << word << " " << text(found);
    }
  }
}

}  // namespace
}  // namespace pileus
