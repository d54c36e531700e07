#include "watch/waits.h"

#include <gtest/gtest.h>

namespace pileus {
namespace {

using Time = StallWatch::Clock::time_point;

Time at(int s) { return Time(std::chrono::seconds(s)); }

TEST(StallWatch, is_due_while_nothing_moves_at_intervals_that_grow) {
  StallWatch watch(30);

  EXPECT_FALSE(watch.is_due(7, at(100)));
  EXPECT_FALSE(watch.is_due(7, at(129)));
  EXPECT_TRUE(watch.is_due(7, at(130)));
  EXPECT_EQ(watch.said_after_s(), 30);
  EXPECT_FALSE(watch.is_due(7, at(159)));
  EXPECT_TRUE(watch.is_due(7, at(160)));
  EXPECT_EQ(watch.said_after_s(), 60);
  EXPECT_FALSE(watch.is_due(7, at(219)));
  EXPECT_TRUE(watch.is_due(7, at(220)));
}

TEST(StallWatch, is_twice_as_patient_after_a_stall_however_often_that_was_said) {
  StallWatch watch(30);
  watch.is_due(7, at(0));
  for (int s : {30, 60, 120, 240}) EXPECT_TRUE(watch.is_due(7, at(s)));

  EXPECT_FALSE(watch.is_due(8, at(300)));
  EXPECT_FALSE(watch.is_due(8, at(359)));
  EXPECT_TRUE(watch.is_due(8, at(360)));
}

TEST(StallWatch, begins_anew_with_every_progress_and_with_twice_the_patience) {
  StallWatch watch(30);
  watch.is_due(7, at(100));
  watch.is_due(8, at(129));
  EXPECT_FALSE(watch.is_due(8, at(158)));
  EXPECT_TRUE(watch.is_due(8, at(159)));

  EXPECT_FALSE(watch.is_due(9, at(200)));
  EXPECT_FALSE(watch.is_due(9, at(259)));
  EXPECT_TRUE(watch.is_due(9, at(260)));
}

TEST(Waits, are_complete_when_every_strand_has_answered_and_read_by_what_they_are_about) {
  Waits waits;
  waits.expect();
  EXPECT_FALSE(waits.is_complete());

  waits.add(Waits::About::files, {"a.nc", {1}, "a.nc: waits"});
  waits.note(Waits::About::model, "the model computes");
  waits.answered();

  EXPECT_TRUE(waits.is_complete());
  const std::vector<Waits::Entry> entries = waits.take();
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].wait.text, "the model computes");
  EXPECT_TRUE(entries[0].is_note);
  EXPECT_EQ(entries[1].wait.text, "a.nc: waits");
}

TEST(TreeProgress, names_who_has_not_contributed_to_a_step) {
  using Numbers = std::vector<std::uint32_t>;
  TreeProgress progress;
  for (ClientRank rank : {0, 1, 4}) progress.add_rank(rank);
  progress.add_child(2);
  progress.rank_sent(0, 6);
  progress.rank_ended(4);

  EXPECT_EQ(progress.missing_ranks(6), Numbers{1});
  EXPECT_EQ(progress.missing_ranks(7), (Numbers{0, 1}));
  EXPECT_EQ(progress.missing_servers(7), Numbers{2});
  progress.child_sent(2, 7);
  EXPECT_EQ(progress.missing_servers(7), Numbers{});
}

TEST(Numbered, names_eight_of_many) {
  EXPECT_EQ(numbered("server", {3}), "server 3");
  EXPECT_EQ(numbered("model rank", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}),
            "model ranks 0, 1, 2, 3, 4, 5, 6, 7 and 2 more");
}

}  // namespace
}  // namespace pileus
