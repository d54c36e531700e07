#include "client/checkpoint_due.h"

#include <gtest/gtest.h>

#include <vector>

namespace pileus {
namespace {

using Clock = CheckpointDue::Clock;
const Clock::time_point kStart{};

CheckpointReasons every(std::int64_t steps, double frequency_s, double wall_time_s) {
  CheckpointReasons reasons;
  reasons.steps = steps;
  reasons.frequency = Frequency(frequency_s);
  reasons.wall_time_s = wall_time_s;
  return reasons;
}

Step step(std::int64_t index, double time, double length = 1) { return {index, time, length}; }

/// Asks before each of the steps and, like a model, sets the flag where a checkpoint is due.
std::vector<std::int64_t> due_steps(CheckpointDue due, const std::vector<Step>& steps) {
  std::vector<std::int64_t> found;
  for (Step one : steps) {
    one.is_checkpoint = due.ask(one, kStart, 0) != Due::no;
    due.note(one, kStart);
    if (one.is_checkpoint) found.push_back(one.index);
  }
  return found;
}

std::vector<Step> steps_from(std::int64_t first, std::int64_t last) {
  std::vector<Step> steps;
  for (std::int64_t i = first; i <= last; ++i) steps.push_back(step(i, static_cast<double>(i)));
  return steps;
}

TEST(CheckpointDue, is_never_where_nothing_says_when) {
  EXPECT_TRUE(due_steps({{}, {}, kStart}, steps_from(0, 1000)).empty());
}

TEST(CheckpointDue, is_once_where_a_trigger_asks_and_stays_so_until_one_begins) {
  CheckpointDue due({{}, {}, kStart});
  due.want();

  EXPECT_EQ(due.ask(step(0, 0, 0), kStart, 0), Due::no);
  EXPECT_EQ(due.ask(step(3, 3), kStart, 0), Due::yes);
  due.note(step(3, 3), kStart);
  EXPECT_EQ(due_steps(due, steps_from(4, 9)), (std::vector<std::int64_t>{4}));
}

TEST(CheckpointDue, comes_at_each_multiple_of_the_steps) {
  EXPECT_EQ(due_steps({every(4, 0, 0), {}, kStart}, steps_from(1, 9)), (std::vector<std::int64_t>{4, 8}));
  // Step 4 is in the checkpoint that the run continues from.
  EXPECT_EQ(due_steps({every(4, 0, 0), 4, kStart}, steps_from(5, 13)), (std::vector<std::int64_t>{8, 12}));
}

TEST(CheckpointDue, comes_once_at_the_first_step_after_multiples_that_were_left_out) {
  EXPECT_EQ(
      due_steps({every(4, 0, 0), {}, kStart}, {step(3, 3), step(10, 10, 7), step(11, 11), step(12, 12)}),
      (std::vector<std::int64_t>{10, 12}));
}

TEST(CheckpointDue, comes_at_the_first_step_that_reaches_a_multiple_of_the_model_time) {
  const std::vector<Step> steps = {step(1, 4, 4), step(2, 9.999999999, 6), step(3, 14, 4), step(4, 31, 17),
                                   step(5, 39, 8)};
  EXPECT_EQ(due_steps({every(0, 10, 0), {}, kStart}, steps), (std::vector<std::int64_t>{2, 4}));
  // A run that starts on a boundary has passed it.
  EXPECT_EQ(due_steps({every(0, 10, 0), 9, kStart}, {step(10, 31, 1), step(11, 40, 9)}),
            (std::vector<std::int64_t>{11}));
}

TEST(CheckpointDue, stays_until_a_checkpoint_begins) {
  CheckpointDue due(every(4, 10, 0), {}, kStart);

  EXPECT_EQ(due.ask(step(4, 4), kStart, 0), Due::yes);
  due.note(step(4, 4), kStart);
  EXPECT_EQ(due.ask(step(5, 5), kStart, 0), Due::yes);
  Step kept = step(5, 5);
  kept.is_checkpoint = 1;
  due.note(kept, kStart);
  EXPECT_EQ(due.ask(step(6, 6), kStart, 0), Due::no);
}

TEST(CheckpointDue, counts_time_on_the_wall_from_the_last_checkpoint_of_any_reason) {
  CheckpointDue due(every(0, 0, 30), {}, kStart);
  const auto after = [](int seconds) { return kStart + std::chrono::seconds(seconds); };

  EXPECT_EQ(due.ask(step(1, 1), after(29), 0), Due::no);
  EXPECT_EQ(due.ask(step(1, 1), after(30), 0), Due::yes);
  Step kept = step(1, 1);
  kept.is_checkpoint = 1;
  due.note(kept, after(31));
  EXPECT_EQ(due.ask(step(2, 2), after(60), 0), Due::no);
  EXPECT_EQ(due.ask(step(2, 2), after(61), 0), Due::yes);
}

TEST(CheckpointDue, says_after_a_signal_that_the_end_is_near) {
  CheckpointDue due(every(1, 0, 0), {}, kStart);
  Step kept = step(2, 2);
  kept.is_checkpoint = 1;

  EXPECT_EQ(due.ask(step(1, 1), kStart, 0), Due::yes);
  EXPECT_EQ(due.ask(step(2, 2), kStart, 1), Due::before_the_end);
  due.note(kept, kStart);
  EXPECT_EQ(due.ask(step(3, 3), kStart, 1), Due::yes);  // the model went on nevertheless
}

TEST(CheckpointDue, loses_no_signal_between_the_question_and_the_step) {
  CheckpointDue due({}, {}, kStart);
  Step kept = step(1, 1);
  kept.is_checkpoint = 1;

  EXPECT_EQ(due.ask(step(1, 1), kStart, 0), Due::no);
  due.note(kept, kStart);  // the signal comes here
  EXPECT_EQ(due.ask(step(2, 2), kStart, 1), Due::before_the_end);
}

}  // namespace
}  // namespace pileus
