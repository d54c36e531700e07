#include "watch/wait_book.h"

#include <gtest/gtest.h>

namespace pileus {
namespace {

using About = Waits::About;
using Entries = std::vector<Waits::Entry>;
using Texts = std::vector<std::string>;

WaitBook::Clock::time_point at(double s) {
  return WaitBook::Clock::time_point(
      std::chrono::duration_cast<WaitBook::Clock::duration>(std::chrono::duration<double>(s)));
}

Waits::Entry steps_of(const std::string& subject, std::vector<std::int64_t> steps) {
  const std::string first = std::to_string(steps.front());
  return {About::reductions, {subject, std::move(steps), subject + ": step " + first}};
}

Texts texts(const std::vector<WaitBook::Lasted>& all) {
  Texts texts;
  for (const WaitBook::Lasted& one : all) texts.push_back(one.text);
  return texts;
}

TEST(WaitBook, says_what_is_open_as_long_as_one_is_patient_and_then_at_intervals_that_grow) {
  WaitBook book(30);
  const Entries open = {steps_of("a", {4})};

  std::vector<double> said_s;
  for (int s = 0; s <= 300; s += 5) {
    for (const WaitBook::Lasted& one : book.look(open, at(s)).waiting) said_s.push_back(one.lasted_s);
  }

  EXPECT_EQ(said_s, (std::vector<double>{30, 60, 120, 240}));
}

TEST(WaitBook, says_nothing_of_steps_that_come_and_go) {
  WaitBook book(30);

  for (int s = 0; s <= 300; s += 5) {
    const WaitBook::News news = book.look({steps_of("a", {s, s + 5})}, at(s));
    EXPECT_TRUE(news.waiting.empty() && news.came.empty()) << s;
  }

  EXPECT_TRUE(book.longest(at(300)).empty());
}

/// Steps come later and later, in the end 40 s after they were first waited for; none is the oldest for long.
TEST(WaitBook, finds_a_delay_that_is_never_that_of_one_step_for_long) {
  WaitBook book(30);
  int said = 0, came = 0;

  for (int s = 0; s <= 1000; s += 5) {
    std::vector<std::int64_t> steps;
    for (int opened = s - 5 * std::min(7, s / 20); opened <= s; opened += 5) steps.push_back(opened);
    const WaitBook::News news = book.look({steps_of("a", steps)}, at(s));
    said += static_cast<int>(news.waiting.size());
    came += static_cast<int>(news.came.size());
  }

  // Said once or twice until the first has come: after that 40 s are nothing new.
  EXPECT_GE(said, 1);
  EXPECT_LE(said, 2);
  EXPECT_EQ(came, said);
  EXPECT_EQ(book.longest(at(1000)).front().lasted_s, 40);
}

TEST(WaitBook, says_only_the_oldest_of_a_subject_and_each_subject_for_itself) {
  WaitBook book(30);
  const Entries open = {steps_of("a", {4, 5, 6}), steps_of("b", {2})};

  book.look(open, at(0));
  const WaitBook::News news = book.look(open, at(30));

  EXPECT_EQ(texts(news.waiting), (Texts{"a: step 4", "b: step 2"}));
  EXPECT_EQ(book.since(open[0]), at(0));
}

TEST(WaitBook, says_what_came_only_if_it_said_that_it_waits) {
  WaitBook book(30);
  book.look({steps_of("a", {4}), steps_of("b", {2})}, at(0));
  book.look({steps_of("a", {4})}, at(10));
  book.look({steps_of("a", {4})}, at(31));

  const WaitBook::News news = book.look({}, at(42));

  ASSERT_EQ(texts(news.came), Texts{"a: step 4"});
  EXPECT_EQ(news.came[0].lasted_s, 42);
  EXPECT_FALSE(book.has_said());
}

TEST(WaitBook, is_only_told_news_after_a_wait_twice_as_long_as_the_longest_that_came) {
  WaitBook book(30);
  book.look({steps_of("a", {1})}, at(0));
  book.look({steps_of("a", {1})}, at(40));
  book.look({steps_of("b", {2})}, at(50));

  EXPECT_TRUE(book.look({steps_of("b", {2})}, at(149)).waiting.empty());
  EXPECT_EQ(book.look({steps_of("b", {2})}, at(150)).waiting.size(), 1u);
}

TEST(WaitBook, what_was_said_with_everything_else_is_news_when_it_has_lasted_twice_as_long) {
  WaitBook book(30);
  const Entries open = {steps_of("a", {4})};
  book.look(open, at(0));
  book.look(open, at(20));
  book.all_said(at(20));

  EXPECT_TRUE(book.look(open, at(59)).waiting.empty());
  EXPECT_EQ(book.look(open, at(60)).waiting.size(), 1u);
}

TEST(WaitBook, tells_each_late_file_once_whatever_else_was_late) {
  WaitBook book(30);
  std::vector<std::int64_t> late;
  for (int s = 0; s <= 200; s += 5) {
    // Periods 1 to 4 are due at 0, 20, 40 and 60 s, and published 50 s later.
    Waits::Entry due{About::files, {"w.nc", {}, "w.nc: waits", FileId(3)}};
    for (int period = 1; period <= 4; ++period) {
      if (s >= 20 * (period - 1) && s < 20 * (period - 1) + 50) due.wait.numbers.push_back(period);
    }
    for (const WaitBook::Late& one : book.look({due}, at(s)).late) {
      EXPECT_EQ(one.file, FileId(3));
      EXPECT_EQ(one.lasted_s, 30);
      late.push_back(one.period);
    }
  }

  EXPECT_EQ(late, (std::vector<std::int64_t>{1, 2, 3, 4}));
}

TEST(WaitBook, remembers_the_longest_and_those_that_still_last) {
  WaitBook book(30);
  for (int i = 0; i < 30; ++i) {
    book.look({steps_of("a" + std::to_string(i), {1})}, at(1000 * i));
    book.look({}, at(1000 * i + 40 + i));
  }
  book.look({{About::files, {"a.nc", {1}, "a.nc waits"}}}, at(40'000));
  book.look({}, at(40'031));
  book.look({steps_of("open", {1})}, at(50'000));

  const std::vector<WaitBook::Lasted> longest = book.longest(at(50'067.5));

  // 69 s, 68 s, 67.5 s, 67 s of reductions, then one of files.
  ASSERT_EQ(longest.size(), WaitBook::kMostRemembered + 1);
  EXPECT_EQ(longest[0].text, "a29: step 1");
  EXPECT_EQ(longest[0].lasted_s, 69);
  EXPECT_TRUE(longest[0].has_come);
  EXPECT_EQ(longest[2].text, "open: step 1");
  EXPECT_FALSE(longest[2].has_come);
  EXPECT_EQ(longest[4].text, "a.nc waits");
}

TEST(WaitBook, keeps_no_notes) {
  WaitBook book(30);
  const Waits::Entry note{About::model, {"", {}, "the model computes"}, true};
  book.look({note}, at(0));

  EXPECT_TRUE(book.look({note}, at(100)).waiting.empty());
}

}  // namespace
}  // namespace pileus
