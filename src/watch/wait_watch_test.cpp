#include "watch/wait_watch.h"

#include <gtest/gtest.h>

namespace pileus {
namespace {

using About = Waits::About;

/// A watch that is patient for 8 s, so that it looks every second.
class Watched : private WaitHost {
 public:
  void poll(int s, std::uint64_t progress) {
    const WaitWatch::Clock::time_point now{std::chrono::seconds(s)};
    watch.poll(progress, now);  // begins a look
    if (answers) watch.poll(progress, now);
  }
  void poll_from_to(int first_s, int last_s, bool moves) {
    for (int s = first_s; s <= last_s; ++s) poll(s, moves ? 1000U + static_cast<unsigned>(s) : 7);
  }
  std::string said_with(const std::string& words) const {
    for (const std::string& one : said) {
      if (one.find(words) != std::string::npos) return one;
    }
    return "";
  }

  std::vector<Wait> reductions;
  bool answers = true;
  std::vector<std::string> said, lines;
  std::vector<WaitBook::Late> late;
  int asked = 0;
  WaitWatch watch{8, *this};
  std::shared_ptr<Waits> under_way;

 private:
  void ask(const std::shared_ptr<Waits>& waits) override {
    ++asked;
    for (const Wait& wait : reductions) waits->add(About::reductions, wait);
    waits->note(About::model, "the model's next step has not come");
    if (!answers) waits->expect();
    under_way = waits;
  }
  void say(Said, const std::string& text, const std::string& line, double) override {
    said.push_back(text);
    lines.push_back(line);
  }
  void say_late(const WaitBook::Late& one) override { late.push_back(one); }
};

TEST(WaitWatch, says_what_waits_while_other_things_move_and_when_it_has_come) {
  Watched run;
  run.reductions = {{"tree 1", {4, 5}, "reduction: step 4 waits for w of model rank 1"}};

  run.poll_from_to(0, 10, true);
  ASSERT_EQ(run.said.size(), 1u);
  EXPECT_EQ(run.said[0].find("this waits while other things move:\n"
                             "  reduction: step 4 waits for w of model rank 1; for 8 s, since 20"),
            0u)
      << run.said[0];
  EXPECT_EQ(run.lines[0].find('\n'), std::string::npos);
  EXPECT_EQ(run.said_with("the model's next step"), "") << "which explains a standstill alone";
  run.poll_from_to(11, 20, true);
  EXPECT_EQ(run.said.size(), 2u);
  run.reductions.clear();
  run.poll_from_to(21, 40, true);

  ASSERT_EQ(run.said.size(), 3u);
  EXPECT_EQ(run.said[2],
            "the wait is over:\n  came after 21 s: reduction: step 4 waits for w of model rank 1");
}

TEST(WaitWatch, says_everything_that_is_open_when_nothing_moves_and_that_something_moves_again) {
  Watched run;
  run.reductions = {{"tree 1", {4}, "reduction: step 4 waits for server 2"}};

  run.poll_from_to(0, 12, false);
  ASSERT_EQ(run.said.size(), 1u);
  EXPECT_EQ(run.said[0].find("nothing has moved for 8 s, since 20"), 0u) << run.said[0];
  EXPECT_NE(run.said[0].find("\n  the model's next step has not come\n"
                             "  reduction: step 4 waits for server 2; for 8 s, since 20"),
            std::string::npos)
      << run.said[0];
  run.poll_from_to(13, 13, true);

  EXPECT_EQ(run.said_with("the wait is over"), "the wait is over:\n  something moves again after 13 s");
}

TEST(WaitWatch, says_what_has_no_numbers_while_other_things_move_and_when_nothing_does) {
  for (const bool moves : {true, false}) {
    Watched run;
    run.reductions = {{"inputs", {}, "records of forcing.nc are being read"}};

    run.poll_from_to(0, 12, moves);

    ASSERT_EQ(run.said.size(), 1u) << moves;
    EXPECT_NE(run.said[0].find("\n  records of forcing.nc are being read; for 8 s, since 20"),
              std::string::npos)
        << run.said[0];
  }
}

TEST(WaitWatch, looks_eight_times_in_the_time_that_one_is_patient_however_often_it_is_called) {
  Watched run;

  for (int s = 0; s < 80; ++s) {
    for (int i = 0; i < 100; ++i) run.poll(s, 7);
  }

  EXPECT_EQ(run.asked, 80);
}

TEST(WaitWatch, says_that_its_threads_do_not_answer) {
  Watched run;
  run.answers = false;

  run.poll_from_to(0, 9, false);
  ASSERT_EQ(run.said.size(), 1u);
  EXPECT_EQ(run.said[0].find("what is to be done in this server waits for its threads"), 0u);
  run.poll_from_to(10, 12, false);
  run.answers = true;
  run.under_way->answered();
  run.poll_from_to(13, 13, false);

  EXPECT_NE(run.said_with("came after 12 s: what is to be done"), "");
  ASSERT_FALSE(run.watch.longest(3, WaitWatch::Clock::time_point(std::chrono::seconds(13))).empty());
}

TEST(WaitWatch, looks_once_more_before_the_end_where_it_said_something_and_something_has_moved) {
  Watched run;
  run.reductions = {{"tree 1", {4}, "reduction: step 4"}};
  const WaitWatch::Clock::time_point end{std::chrono::seconds(10)};
  EXPECT_TRUE(run.watch.is_through(5, end)) << "nothing was said";
  run.poll_from_to(0, 10, true);

  run.reductions.clear();
  EXPECT_FALSE(run.watch.is_through(2000, end));
  run.poll(10, 2000);

  EXPECT_TRUE(run.watch.is_through(2000, end));
  EXPECT_NE(run.said_with("came after 10 s: reduction: step 4"), "");
  const std::vector<RunReport::Wait> longest = run.watch.longest(3, end);
  ASSERT_EQ(longest.size(), 1u);
  EXPECT_EQ(longest[0].server, 3u);
  EXPECT_EQ(longest[0].lasted_s, 10);
  EXPECT_EQ(longest[0].has_come, 1u);
}

TEST(WaitWatch, shows_six_of_a_kind_and_counts_the_others) {
  Watched run;
  for (int i = 0; i < 8; ++i)
    run.reductions.push_back({"tree " + std::to_string(i), {4}, "reduction " + std::to_string(i)});

  run.poll_from_to(0, 8, true);

  EXPECT_NE(run.said.at(0).find("reduction 5; for 8 s"), std::string::npos);
  EXPECT_EQ(run.said.at(0).find("reduction 6"), std::string::npos);
  EXPECT_NE(run.said.at(0).find("\n  and 2 more like these"), std::string::npos);
}

}  // namespace
}  // namespace pileus
