// At which steps something is wanted, and the bytes that tell a model rank so.

#include "plan/demand.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

namespace pileus {
namespace {

/// The steps of 0.1 s, from 1 to `last`, that meet need 0 of `needs`.
std::vector<std::int64_t> steps_met(const Need& need, std::int64_t last, double start_s = 0) {
  NeedTracker tracker({need}, start_s);
  std::vector<std::int64_t> met;
  double time = start_s;
  for (std::int64_t index = 1; index <= last; ++index) {
    time += 0.1;  // with the rounding of a model
    tracker.advance({index, time, 0.1});
    if (tracker.is_met(0)) met.push_back(index);
  }
  return met;
}

TEST(NeedTracker, every_sample_is_every_step_of_the_cadence) {
  EXPECT_EQ(steps_met({1, 0}, 4), (std::vector<std::int64_t>{1, 2, 3, 4}));
  EXPECT_EQ(steps_met({3, 0}, 10), (std::vector<std::int64_t>{3, 6, 9}));
}

TEST(NeedTracker, steps_of_a_tenth_meet_each_half_second_in_spite_of_rounding) {
  std::vector<std::int64_t> expected;
  for (std::int64_t index = 5; index <= 100000; index += 5) expected.push_back(index);

  EXPECT_EQ(steps_met({1, 0.5}, 100000), expected);
}

TEST(NeedTracker, the_first_step_of_the_cadence_after_a_boundary_is_taken) {
  // Boundaries at 0.5, 1.0, 1.5, … s; every third step is at 0.3, 0.6, 0.9, 1.2, 1.5, 1.8, 2.1 s.
  EXPECT_EQ(steps_met({3, 0.5}, 21), (std::vector<std::int64_t>{6, 12, 15, 21}));
}

TEST(NeedTracker, the_start_is_not_an_output_time) {
  EXPECT_EQ(steps_met({1, 1000}, 100), std::vector<std::int64_t>{});
  EXPECT_EQ(steps_met({1, 0.5}, 9, 3.0), std::vector<std::int64_t>{5});
}

TEST(NeedTracker, a_start_just_below_a_boundary_by_rounding_is_on_it) {
  double start = 0;
  for (int i = 0; i < 8; ++i) start += 0.1;  // 0.7999999999999999
  ASSERT_LT(start, 0.8);

  EXPECT_EQ(steps_met({1, 0.8}, 8, start), std::vector<std::int64_t>{8});
}

/// One that counts from the last step that it took.
Need from_last(std::int64_t cadence, double every_s) {
  Need need{cadence, every_s};
  need.is_from_last = true;
  return need;
}

TEST(NeedTracker, a_frequency_counts_from_the_last_step_that_was_taken) {
  // Every third step is at 0.3, 0.6, 0.9, 1.2, 1.5, 1.8, 2.1 s: 0.6 is the first from 0.5 on, then from 1.1 s
  // on 1.2, and from 1.7 s on 1.8.
  EXPECT_EQ(steps_met(from_last(3, 0.5), 21), (std::vector<std::int64_t>{6, 12, 18}));
  // It starts as if the multiple at or before the start had been taken.
  EXPECT_EQ(steps_met(from_last(1, 0.5), 9, 3.2), (std::vector<std::int64_t>{3, 8}));
}

TEST(NeedTracker, steps_of_a_tenth_that_count_from_the_last_meet_each_half_second_too) {
  EXPECT_EQ(steps_met(from_last(1, 0.5), 100000), steps_met({1, 0.5}, 100000));
}

TEST(NeedTracker, goes_on_counting_from_the_last_step_of_the_run_before) {
  NeedTracker before({from_last(1, 60)}, 0);
  before.advance({1, 63, 63});
  NeedTracker after({from_last(1, 60)}, before.passed());

  after.advance({2, 122, 59});
  EXPECT_FALSE(after.is_met(0));
  after.advance({3, 123, 1});
  EXPECT_TRUE(after.is_met(0));
}

TEST(NeedTracker, the_state_at_the_start_is_no_record_to_count_from_and_the_last_may_be_one) {
  Need need = from_last(1, 60);
  need.takes_last = true;
  NeedTracker tracker({need}, 30);

  tracker.advance({0, 30, 0});
  EXPECT_TRUE(tracker.is_met(0));
  tracker.advance({1, 61, 31});
  EXPECT_TRUE(tracker.is_met(0));
  Step last{2, 70, 9};
  last.is_final = 1;
  tracker.advance(last);
  EXPECT_TRUE(tracker.is_met(0));
}

TEST(NeedTracker, what_it_counts_from_is_a_time) {
  EXPECT_FALSE(NeedTracker::is_state(from_last(1, 60), -1));  // the bits of a NaN
  EXPECT_TRUE(NeedTracker::is_state({1, 60}, -1));
}

TEST(NeedTracker, a_long_step_over_several_boundaries_is_met_once) {
  NeedTracker tracker({{1, 5}}, 0);

  tracker.advance({1, 23, 23});
  EXPECT_TRUE(tracker.is_met(0));
  tracker.advance({2, 24, 1});
  EXPECT_FALSE(tracker.is_met(0));
  tracker.advance({3, 25, 1});
  EXPECT_TRUE(tracker.is_met(0));
}

TEST(NeedTracker, steps_that_meet_nothing_may_be_left_out_without_changing_later_answers) {
  const std::vector<Need> needs = {{2, 0.7}, {3, 1.1}, {6, 0}, {1, 2.5}};
  const std::vector<std::uint32_t> all = {0, 1, 2, 3};
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> length(0.05, 0.4);
    NeedTracker every(needs, 0), some(needs, 0);
    double time = 0;
    for (std::int64_t index = 1; index <= 300; ++index) {
      const double step = length(random);
      time += step;
      every.advance({index, time, step});
      if (!every.is_any_met(all) && random() % 2 == 0) continue;

      some.advance({index, time, step});

      for (std::uint32_t need : all) ASSERT_EQ(some.is_met(need), every.is_met(need)) << seed << " " << index;
    }
  }
}

/// Whether the second step, of 2 s to 4 s, meets the need as any step, and whether a closing step does then.
std::pair<bool, bool> met_in_last_and_closing(const Need& need) {
  NeedTracker tracker({need}, 0);
  tracker.advance({1, 2, 2});
  tracker.advance({2, 4, 2});
  const bool is_met = tracker.is_met(0);
  tracker.advance({3, 4, 2, 1, 0, 0, 1});
  return {is_met, tracker.is_met(0)};
}

TEST(NeedTracker, a_closing_step_meets_what_the_last_step_would_have_met_as_the_final_one) {
  Need at_end{3, 0}, takes_last{1, 5}, both{3, 5}, window{3, 0}, checkpoints{1, 0}, first{1, 0};
  at_end.at_end = both.at_end = window.at_end = true;
  takes_last.takes_last = both.takes_last = true;
  window.skips_initial = true;
  checkpoints.at_checkpoints = true;
  first.at_first = true;
  const std::pair never{false, false}, in_last{true, false}, in_closing{false, true};

  EXPECT_EQ(met_in_last_and_closing({1, 0}), in_last);
  EXPECT_EQ(met_in_last_and_closing({3, 0}), never);
  EXPECT_EQ(met_in_last_and_closing({1, 5}), never);
  EXPECT_EQ(met_in_last_and_closing(at_end), in_closing);
  EXPECT_EQ(met_in_last_and_closing(takes_last), in_closing);
  EXPECT_EQ(met_in_last_and_closing(both), in_closing);
  EXPECT_EQ(met_in_last_and_closing(window), never);
  EXPECT_EQ(met_in_last_and_closing(checkpoints), never);
  EXPECT_EQ(met_in_last_and_closing(first), never);
  takes_last.frequency = 4;  // the last step is a record without being final
  EXPECT_EQ(met_in_last_and_closing(takes_last), in_last);
  Need in_time;
  in_time.cadence = Cadence::of_time(4);
  in_time.at_end = true;
  EXPECT_EQ(met_in_last_and_closing(in_time), in_last);
}

Demand example() {
  Demand demand;
  demand.needs = {{1, 0}, {2, 5.5}, {1, {3, Calendar::noleap, {1850, 2, 28, 23, 59, 58}}}};
  demand.groups = {
      {"raw",
       2,
       {{"w", ElementType::float32, false, true, {0, 1}}, {"dt", ElementType::float64, true, false, {1}}}},
      {"other", 1, {}}};
  demand.budget_bytes = 1U << 20;
  demand.continued = {{7, 12.75, 0.5}, {0, 2, -1}};
  return demand;
}

TEST(Demand, comes_back_from_its_bytes) {
  Bytes bytes;
  Encoder out(bytes);
  example().encode(out);
  Decoder in(bytes);

  const Demand back = Demand::decode(in);

  EXPECT_TRUE(in.is_at_end());
  EXPECT_EQ(back.needs, example().needs);
  EXPECT_EQ(back.budget_bytes, example().budget_bytes);
  ASSERT_EQ(back.groups.size(), 2U);
  EXPECT_EQ(back.groups[0].name, "raw");
  EXPECT_EQ(back.groups[0].frequency, 2);
  ASSERT_TRUE(back.continued);
  EXPECT_EQ(back.continued->after, (Step{7, 12.75, 0.5}));
  EXPECT_EQ(back.continued->passed, (std::vector<std::int64_t>{0, 2, -1}));
  ASSERT_EQ(back.groups[0].fields.size(), 2U);
  const FieldDemand& field = back.groups[0].fields[1];
  EXPECT_EQ(field.name, "dt");
  EXPECT_EQ(field.type, ElementType::float64);
  EXPECT_TRUE(field.is_optional);
  EXPECT_FALSE(field.is_sent);
  EXPECT_EQ(field.needs, std::vector<std::uint32_t>{1});
}

TEST(Demand, refuses_bytes_that_end_early_wherever_it_is) {
  Bytes bytes;
  Encoder out(bytes);
  example().encode(out);

  for (std::size_t size = 0; size < bytes.size(); ++size) {
    Decoder in(std::span<const std::byte>(bytes).first(size));
    EXPECT_THROW(Demand::decode(in), TransportError) << size;
  }
}

TEST(Demand, refuses_a_need_that_is_not_there) {
  Demand demand = example();
  demand.groups[0].fields[0].needs = {3};
  Bytes bytes;
  Encoder out(bytes);
  demand.encode(out);
  Decoder in(bytes);

  EXPECT_THROW(Demand::decode(in), TransportError);
}

TEST(Demand, refuses_months_that_no_calendar_counts) {
  const Date day = {2000, 1, 1};
  for (const Frequency& wrong :
       {Frequency(-1, Calendar::noleap, day), Frequency(kMostMonths + 1, Calendar::noleap, day),
        Frequency(1, static_cast<Calendar>(6), day), Frequency(1, Calendar::noleap, {2000, 2, 29}),
        Frequency(-1.0), Frequency(std::nan(""))}) {
    Demand demand;
    demand.needs = {{1, wrong}};
    Bytes bytes;
    Encoder out(bytes);
    demand.encode(out);
    Decoder in(bytes);

    EXPECT_THROW(Demand::decode(in), TransportError);
  }
}

TEST(NeedTracker, meets_the_first_step_of_each_month) {
  // February 2000 begins 31 days after model time 0, March 60 days after it. Steps of 4 days pass these days
  // on days 32 and 60.
  NeedTracker tracker({{1, {1, Calendar::standard, {2000, 1, 1}}}}, 0);
  std::vector<int> days;
  for (int step = 1; step <= 16; ++step) {
    tracker.advance({step, step * 4 * 86400.0, 4 * 86400.0});
    if (tracker.is_met(0)) days.push_back(4 * step);
  }

  EXPECT_EQ(days, (std::vector<int>{32, 60}));
}

TEST(Demand, survives_every_damaged_byte) {
  Bytes bytes;
  Encoder out(bytes);
  example().encode(out);

  for (std::size_t at = 0; at < bytes.size(); ++at) {
    Bytes damaged = bytes;
    damaged[at] ^= std::byte{0xff};
    Decoder in(damaged);
    try {
      Demand::decode(in);
    } catch (const TransportError&) {
    }
  }
}

Step final_step(std::int64_t index, double time) { return {index, time, 1, 1}; }

TEST(NeedTracker, the_final_step_counts_where_it_is_asked_for) {
  NeedTracker tracker({{0, 0, true}, {3, 0, true}, {3, 0}, {1, 10, false, true}, {1, 10}}, 0);

  tracker.advance({3, 3, 1});
  EXPECT_FALSE(tracker.is_met(0));
  EXPECT_TRUE(tracker.is_met(1) && tracker.is_met(2));
  tracker.advance(final_step(4, 4));
  EXPECT_TRUE(tracker.is_met(0) && tracker.is_met(1) && tracker.is_met(3));
  EXPECT_FALSE(tracker.is_met(2) || tracker.is_met(4));
}

TEST(Demand, keeps_what_the_end_of_a_run_wants) {
  Demand demand;
  demand.needs = {{0, 0, true, false}, {2, 5, false, true}};
  demand.groups = {{"last", 0, {}}};
  Bytes bytes;
  Encoder out(bytes);
  demand.encode(out);

  Decoder in(bytes);
  const Demand back = Demand::decode(in);

  EXPECT_EQ(back.needs, demand.needs);
  EXPECT_EQ(back.groups[0].frequency, 0);
}

TEST(NeedTracker, the_state_at_the_start_is_wanted_by_all_but_windows_and_passes_no_boundary) {
  Need window{1, 0};
  window.skips_initial = true;
  NeedTracker tracker({{1, 10}, {4, 0}, window, {0, 0, true}}, 3);
  const auto met = [&] {
    std::vector<bool> all;
    for (std::size_t i = 0; i < 4; ++i) all.push_back(tracker.is_met(i));
    return all;
  };

  tracker.advance({7, 3, 0});
  EXPECT_EQ(met(), (std::vector<bool>{true, true, false, false}));
  tracker.advance({8, 10, 7});
  EXPECT_EQ(met(), (std::vector<bool>{true, true, true, false}));
}

TEST(NeedTracker, the_final_step_is_wanted_on_a_target_that_was_taken_from_just_before_it) {
  NeedTracker tracker({{1, 600}}, 0);
  tracker.advance({1, 599.9999999999994, 10});
  EXPECT_TRUE(tracker.is_met(0));
  tracker.advance({2, 600, 600 - 599.9999999999994, 1});
  EXPECT_TRUE(tracker.is_met(0));
}

TEST(NeedTracker, goes_on_where_another_one_was) {
  const std::vector<Need> needs = {{1, 10}, {2, 0}, {1, Frequency(1, Calendar::noleap, {2000, 1, 1}), true}};
  NeedTracker whole(needs, 0);
  for (std::int64_t step = 1; step <= 60; ++step) {
    NeedTracker part(needs, whole.passed());
    const Step shown{step, 60000.0 * static_cast<double>(step), 60000, step == 60};
    whole.advance(shown);
    part.advance(shown);
    for (std::size_t need = 0; need < needs.size(); ++need) EXPECT_EQ(part.is_met(need), whole.is_met(need));
    EXPECT_EQ(part.passed(), whole.passed());
  }
}

TEST(Need, is_known_by_its_text) {
  EXPECT_EQ(text(Need{1, 2.5}), "every step, the first after each 2.5 s");
  EXPECT_EQ(text(Need{3, {}, true}), "every 3 steps and the final one");
  EXPECT_EQ(text(Need{0, Frequency(3, Calendar::day_360, {1850, 1, 1}), true, true}),
            "no step and the final one, the first after each 3 months from 1850-01-01 00:00:00 (360_day) and "
            "the last");
}

TEST(Demand, carries_the_reasons_for_checkpoints) {
  Demand demand;
  demand.needs = {{1, 0, false, false, true}, {1, 0, false, false, false, true}};
  demand.checkpoints = {100, Frequency(21600.0), 1800, {"TERM", "USR1"}};
  Bytes bytes;
  Encoder out(bytes);
  demand.encode(out);

  Decoder in(bytes);
  const Demand arrived = Demand::decode(in);

  EXPECT_TRUE(in.is_at_end());
  EXPECT_EQ(arrived.needs, demand.needs);
  EXPECT_EQ(arrived.checkpoints.steps, 100);
  EXPECT_EQ(arrived.checkpoints.frequency, Frequency(21600.0));
  EXPECT_EQ(arrived.checkpoints.wall_time_s, 1800);
  EXPECT_EQ(arrived.checkpoints.signals, (std::vector<std::string>{"TERM", "USR1"}));
}

TEST(Demand, refuses_reasons_of_no_meaning) {
  const auto decode = [](CheckpointReasons reasons) {
    Demand demand;
    demand.checkpoints = std::move(reasons);
    Bytes bytes;
    Encoder out(bytes);
    demand.encode(out);
    Decoder in(bytes);
    Demand::decode(in);
  };

  EXPECT_NO_THROW(decode({}));
  EXPECT_THROW(decode({-1, 0.0, 0, {}}), TransportError);
  EXPECT_THROW(decode({0, 0.0, -1, {}}), TransportError);
  EXPECT_THROW(decode({0, 0.0, 0, {"KILL"}}), TransportError);
}

}  // namespace
}  // namespace pileus
