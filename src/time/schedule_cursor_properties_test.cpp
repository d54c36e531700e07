// These properties hold for every run, on random steps: short, long, onto boundaries and just beside them.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "time/manipulations/list.h"
#include "time/schedule_cursor.h"

namespace pileus {
namespace {

constexpr int kRuns = 2000;

struct ModelRun {
  Schedule schedule{FileId(), manipulations::instantaneous(), {}, 1, ""};
  double write_s = 0;
  double start_s = 0;
  std::vector<Step> steps;

  /// Twice the tolerance of the longest step, and what the additions round.
  double slack_s() const {
    double longest = 0;
    for (const Step& step : steps) longest = std::max(longest, step.length);
    return 2 * kBoundaryTolerance * longest + 1e-12 * std::abs(steps.back().time);
  }
  std::vector<Step> samples() const {
    std::vector<Step> samples;
    std::ranges::copy_if(steps, std::back_inserter(samples),
                         [&](const Step& step) { return schedule.cadence.takes(step); });
    return samples;
  }
};

struct Axis {
  Manipulation manipulation;
  bool is_from_last = false;
};

class RandomRuns {
 public:
  RandomRuns(Manipulation manipulation, std::uint64_t seed) : RandomRuns({manipulation, false}, seed) {}
  RandomRuns(const Axis& axis, std::uint64_t seed) : random_(seed), axis_(axis) {}

  ModelRun next() {
    ModelRun run;
    const double output_s = one_of({0.1, 0.3, 1, 5, 10, 30, 250, 3600});
    const bool has_output = axis_.manipulation != manipulations::none();
    run.schedule = {FileId(0), axis_.manipulation, has_output ? output_s : 0, 1, "time"};
    run.schedule.is_from_last = axis_.is_from_last;
    run.schedule.cadence = static_cast<std::int64_t>(one_of({1, 1, 2, 3, 7}));
    if (random_() % 4 == 0) run.schedule.cadence = Cadence::of_time(output_s * one_of({0.05, 0.2, 0.5, 1.3}));
    run.write_s = output_s * one_of({0.4, 1, 3, 3.5, 10});
    run.start_s = output_s * one_of({0, 0, -2.5, 7, 12.3, 1e6});
    const double typical_s = output_s * one_of({0.01, 0.1, 0.7, 1, 2.5});
    const auto first = static_cast<std::int64_t>(one_of({0, 1, 57}));
    double time = run.start_s;
    for (std::int64_t i = 0; i < 60; ++i) {
      const double to = next_time(time, typical_s, output_s, run.write_s);
      run.steps.push_back({first + i, to, to - time});
      time = to;
    }
    return run;
  }

 private:
  double one_of(std::initializer_list<double> choices) { return choices.begin()[random_() % choices.size()]; }

  double next_time(double time, double typical_s, double output_s, double write_s) {
    const double boundary_s = random_() % 3 == 0 ? write_s : output_s;
    const double boundary = (std::floor(time / boundary_s) + 1) * boundary_s;
    const double length = boundary - time;
    double to = time + typical_s;
    switch (random_() % 8) {
      case 0: to = boundary; break;
      case 1: to = boundary + length * one_of({-5e-7, 5e-7, -3e-6, 3e-6, 1e-12, -1e-12}); break;
      case 2: to = time + typical_s * std::uniform_real_distribution<>(0.001, 4)(random_); break;
      default: break;
    }
    return to > time + 1e-9 * std::abs(time) ? to : time + typical_s;
  }

  std::mt19937_64 random_;
  Axis axis_;
};

struct Share {
  std::int64_t sample;
  double weight_s;
};
struct Seen {
  RecordMark mark;
  std::int64_t sample;  // that ended it; -1: the end of the run
  std::vector<Share> shares;
};

struct Outcome {
  std::vector<Seen> records;
  std::vector<std::int64_t> closed_through;  // after each step
  std::vector<std::size_t> records_by_then;
};

Outcome outcome_of(const ModelRun& run) {
  Outcome outcome;
  ScheduleCursor cursor(run.schedule, run.write_s, run.start_s);
  std::vector<Share> shares;
  auto take = [&](std::int64_t sample, const std::vector<SampleAction>& actions) {
    for (const SampleAction& action : actions) {
      if (action.weight_s != 0) shares.push_back({sample, action.weight_s});
      if (!action.ends_record) continue;
      outcome.records.push_back({action.mark, sample, shares});
      shares.clear();
    }
  };
  for (const Step& step : run.steps) {
    take(step.index, cursor.advance(step));
    outcome.closed_through.push_back(cursor.closed_through());
    outcome.records_by_then.push_back(outcome.records.size());
  }
  take(-1, cursor.finish());
  return outcome;
}

class ScheduleCursorProperty : public testing::TestWithParam<Axis> {};

TEST_P(ScheduleCursorProperty, records_are_counted_from_0_in_each_file_and_files_follow_each_other) {
  RandomRuns runs(GetParam(), 1);
  for (int i = 0; i < kRuns; ++i) {
    const Outcome outcome = outcome_of(runs.next());
    for (std::size_t r = 0; r < outcome.records.size(); ++r) {
      const RecordMark& mark = outcome.records[r].mark;
      if (r == 0 || mark.period != outcome.records[r - 1].mark.period) {
        ASSERT_EQ(mark.record, 0) << "run " << i;
        ASSERT_TRUE(r == 0 || mark.period > outcome.records[r - 1].mark.period) << "run " << i;
      } else {
        ASSERT_EQ(mark.record, outcome.records[r - 1].mark.record + 1) << "run " << i;
        ASSERT_GT(mark.time_s, outcome.records[r - 1].mark.time_s) << "run " << i;
      }
    }
  }
}

TEST_P(ScheduleCursorProperty, the_time_of_a_record_lies_in_the_period_of_its_file) {
  RandomRuns runs(GetParam(), 2);
  for (int i = 0; i < kRuns; ++i) {
    const ModelRun run = runs.next();
    for (const Seen& seen : outcome_of(run).records) {
      const double last = static_cast<double>(seen.mark.period) * run.write_s;
      ASSERT_LE(seen.mark.time_s, last + run.slack_s()) << "run " << i;
      ASSERT_GT(seen.mark.time_s, last - run.write_s - run.slack_s()) << "run " << i;
    }
  }
}

TEST_P(ScheduleCursorProperty, no_record_comes_for_a_file_that_was_closed) {
  RandomRuns runs(GetParam(), 3);
  for (int i = 0; i < kRuns; ++i) {
    const Outcome outcome = outcome_of(runs.next());
    for (std::size_t s = 0; s < outcome.closed_through.size(); ++s) {
      if (outcome.records_by_then[s] == outcome.records.size()) break;
      const RecordMark& next = outcome.records[outcome.records_by_then[s]].mark;
      ASSERT_GT(next.period, outcome.closed_through[s]) << "run " << i << ", step " << s;
    }
    ASSERT_TRUE(std::ranges::is_sorted(outcome.closed_through)) << "run " << i;
  }
}

TEST_P(ScheduleCursorProperty, a_file_is_closed_at_the_latest_by_the_first_sample_beyond_it) {
  RandomRuns runs(GetParam(), 4);
  for (int i = 0; i < kRuns; ++i) {
    const ModelRun run = runs.next();
    const Outcome outcome = outcome_of(run);
    for (std::size_t s = 0; s < run.steps.size(); ++s) {
      if (!run.schedule.cadence.takes(run.steps[s])) continue;
      const double beyond = run.steps[s].time - run.slack_s();
      const auto passed = static_cast<std::int64_t>(std::ceil(beyond / run.write_s)) - 1;
      ASSERT_GE(outcome.closed_through[s], passed) << "run " << i << ", step " << s;
    }
  }
}

TEST_P(ScheduleCursorProperty, a_cursor_that_was_kept_after_any_step_gives_what_the_other_gives) {
  RandomRuns runs(GetParam(), 9);
  for (int i = 0; i < kRuns / 10; ++i) {
    const ModelRun run = runs.next();
    ScheduleCursor cursor(run.schedule, run.write_s, run.start_s);
    for (const Step& step : run.steps) {
      Bytes kept;
      Encoder out(kept);
      cursor.encode(out);
      ScheduleCursor restored(run.schedule, run.write_s, step.time - step.length);
      Decoder in(kept);
      ASSERT_TRUE(restored.restore(in) && in.is_at_end());

      const std::vector<SampleAction> actions = cursor.advance(step);
      ASSERT_EQ(restored.advance(step), actions) << "run " << i << ", step " << step.index;
      ASSERT_EQ(restored.closed_through(), cursor.closed_through());
      cursor = restored;
    }
  }
}

TEST(ScheduleCursor, does_not_go_on_where_one_of_another_definition_was) {
  const Schedule schedule{FileId(0), manipulations::averaged(), 10, 1, "time"};
  ScheduleCursor cursor(schedule, 30, 0);
  cursor.advance({1, 4, 4});
  Bytes kept;
  Encoder out(kept);
  cursor.encode(out);
  const auto is_taken = [&](Schedule other, const Frequency& write) {
    ScheduleCursor restored(other, write, 4);
    Decoder in(kept);
    return restored.restore(in);
  };

  EXPECT_EQ(cursor.definition(), "averaged every step each 10 s, a file every 30 s");
  EXPECT_TRUE(is_taken(schedule, 30));
  EXPECT_FALSE(is_taken(schedule, 60));
  EXPECT_FALSE(is_taken({FileId(0), manipulations::averaged(), 20, 1, "time"}, 30));
  EXPECT_FALSE(is_taken({FileId(0), manipulations::averaged(), 10, 2, "time"}, 30));
  EXPECT_FALSE(is_taken({FileId(0), manipulations::maximum(), 10, 1, "time"}, 30));
  Schedule from_last = schedule;
  from_last.is_from_last = true;
  EXPECT_FALSE(is_taken(from_last, 30));
}

std::string name_of(const testing::TestParamInfo<Axis>& tested) {
  return std::string(tested.param.manipulation->name) + (tested.param.is_from_last ? "_from_last" : "");
}

INSTANTIATE_TEST_SUITE_P(each, ScheduleCursorProperty,
                         testing::Values(Axis{manipulations::averaged()},
                                         Axis{manipulations::instantaneous()}, Axis{manipulations::none()},
                                         Axis{manipulations::averaged(), true},
                                         Axis{manipulations::instantaneous(), true}),
                         name_of);

/// The rule as MONC has it, without tolerance: the times of samples that are so long after the one before.
std::vector<double> times_from_last(const ModelRun& run) {
  const double period_s = run.schedule.output_frequency.seconds;
  double last = std::floor(run.start_s / period_s) * period_s;
  std::vector<double> times;
  for (const Step& sample : run.samples()) {
    if (sample.time - last < period_s) continue;
    times.push_back(last = sample.time);
  }
  return times;
}

TEST(CountedFromLast, records_are_those_of_a_plain_loop_over_steps_of_odd_lengths) {
  for (const Manipulation manipulation :
       {Manipulation(manipulations::averaged()), Manipulation(manipulations::instantaneous())}) {
    ModelRun run;
    run.schedule = {FileId(0), manipulation, 60, 3, "time"};
    run.schedule.is_from_last = true;
    run.write_s = 600;
    std::mt19937_64 random(11);
    double time = 0;
    for (std::int64_t i = 1; i <= 2000; ++i) {
      const double length = std::uniform_real_distribution<>(0.5, 9)(random);
      time += length;
      run.steps.push_back({i, time, length});
    }

    const Outcome outcome = outcome_of(run);

    std::vector<double> times;
    for (const Seen& seen : outcome.records) {
      if (seen.sample >= 0) times.push_back(seen.mark.time_s);
    }
    EXPECT_EQ(times, times_from_last(run)) << manipulation->name;
    ASSERT_GT(times.size(), 100u);
  }
}

TEST(CountedFromLast, model_ranks_and_axes_take_the_same_steps) {
  RandomRuns runs(Axis{manipulations::instantaneous(), true}, 12);
  for (int i = 0; i < kRuns; ++i) {
    const ModelRun run = runs.next();
    NeedTracker of_rank({run.schedule.need()}, run.start_s);
    std::vector<std::int64_t> wanted, written;
    for (const Step& step : run.steps) {
      of_rank.advance(step);
      if (of_rank.is_met(0)) wanted.push_back(step.index);
    }
    for (const Seen& seen : outcome_of(run).records) written.push_back(seen.sample);
    ASSERT_EQ(written, wanted) << "run " << i;
  }
}

TEST(CountedFromLast, steps_that_meet_each_multiple_give_the_records_of_multiples) {
  for (const Manipulation manipulation :
       {Manipulation(manipulations::averaged()), Manipulation(manipulations::instantaneous())}) {
    ModelRun run;
    run.schedule = {FileId(0), manipulation, 0.5, 1, "time"};
    run.write_s = 2;
    double time = 0;
    for (std::int64_t i = 1; i <= 10'000; ++i) {
      time += 0.1;  // with the rounding of a model
      run.steps.push_back({i, time, 0.1});
    }
    const auto marks = [&] {
      std::vector<RecordMark> all;
      for (const Seen& seen : outcome_of(run).records) all.push_back(seen.mark);
      return all;
    };
    const std::vector<RecordMark> of_multiples = marks();

    run.schedule.is_from_last = true;

    EXPECT_EQ(marks(), of_multiples) << manipulation->name;
  }
}

TEST(CountedFromLast, the_windows_tile_the_run_and_no_step_is_divided) {
  RandomRuns runs(Axis{manipulations::averaged(), true}, 13);
  for (int i = 0; i < kRuns; ++i) {
    const ModelRun run = runs.next();
    double covered = run.start_s;
    std::int64_t last_sample = -1;
    for (const Seen& seen : outcome_of(run).records) {
      ASSERT_NEAR(seen.mark.begin_s, covered, run.slack_s()) << "run " << i;
      covered = seen.mark.end_s;
      for (const Share& share : seen.shares) {
        ASSERT_GT(share.sample, last_sample) << "run " << i;
        last_sample = share.sample;
      }
    }
    ASSERT_NEAR(covered, run.samples().back().time, run.slack_s()) << "run " << i;
  }
}

TEST(ScheduleCursor, windows_tile_the_run_from_the_start_to_the_last_sample) {
  RandomRuns runs(manipulations::averaged(), 5);
  for (int i = 0; i < kRuns; ++i) {
    const ModelRun run = runs.next();
    const std::vector<Step> samples = run.samples();
    const Outcome outcome = outcome_of(run);
    double covered = run.start_s;
    for (const Seen& seen : outcome.records) {
      ASSERT_NEAR(seen.mark.begin_s, covered, &seen == &outcome.records[0] ? run.slack_s() : 0)
          << "run " << i;
      ASSERT_GT(seen.mark.end_s, seen.mark.begin_s) << "run " << i;
      covered = seen.mark.end_s;
    }
    ASSERT_NEAR(covered, samples.back().time, run.slack_s()) << "run " << i;
  }
}

TEST(ScheduleCursor, weights_of_a_window_sum_to_its_length) {
  RandomRuns runs(manipulations::averaged(), 6);
  for (int i = 0; i < kRuns; ++i) {
    const ModelRun run = runs.next();
    for (const Seen& seen : outcome_of(run).records) {
      double sum = 0;
      for (const Share& share : seen.shares) {
        ASSERT_GT(share.weight_s, 0) << "run " << i;
        sum += share.weight_s;
      }
      // A step that ends just before the boundary counts up to it, and a sliver after it counts too.
      const double length = seen.mark.end_s - seen.mark.begin_s;
      ASSERT_GE(sum, length - 1e-14 * std::abs(seen.mark.end_s) - 1e-14) << "run " << i;
      ASSERT_LT(sum, length + run.slack_s()) << "run " << i;
    }
  }
}

TEST(ScheduleCursor, a_sample_weighs_what_its_interval_shares_with_the_window) {
  RandomRuns runs(manipulations::averaged(), 7);
  for (int i = 0; i < kRuns; ++i) {
    const ModelRun run = runs.next();
    for (const Seen& seen : outcome_of(run).records) {
      double before = run.start_s;
      for (const Step& sample : run.samples()) {
        const double shared = std::min(sample.time, seen.mark.end_s) - std::max(before, seen.mark.begin_s);
        before = sample.time;
        double weight = 0;
        for (const Share& share : seen.shares) weight += share.sample == sample.index ? share.weight_s : 0;
        ASSERT_NEAR(weight, std::max(shared, 0.0), run.slack_s())
            << "run " << i << ", sample " << sample.index;
      }
    }
  }
}

/// Steps that end just before a boundary, with slivers that make up what lacks, in the middle and at the end.
ModelRun run_with_slivers(std::mt19937_64& random, Manipulation manipulation) {
  constexpr double kOutput = 10;
  ModelRun run;
  run.schedule = {FileId(0), manipulation, kOutput, 1, "time"};
  run.write_s = random() % 2 == 0 ? kOutput : 3 * kOutput;
  double time = 0;
  const auto step_to = [&](double to) {
    run.steps.push_back({std::ssize(run.steps) + 1, to, to - time});
    time = to;
  };
  for (int boundary = 1; boundary <= 6; ++boundary) {
    const double target = boundary * kOutput;
    for (int i = 0; i < 3; ++i)
      step_to(time + (target - time) * std::uniform_real_distribution<>(0.1, 0.6)(random));
    const double length = target - time;
    switch (random() % 4) {
      case 0: step_to(target); break;
      case 1: step_to(target + length * std::uniform_real_distribution<>(0, 9e-7)(random)); break;
      default: step_to(target - length * std::uniform_real_distribution<>(1e-12, 9e-7)(random)); break;
    }
    if (time < target && (boundary == 6 || random() % 2 == 0)) step_to(target);
  }
  run.steps.back().is_final = 1;
  return run;
}

TEST(ScheduleCursor, counts_each_sample_near_a_boundary_in_the_window_that_holds_its_time) {
  std::mt19937_64 random(10);
  for (int i = 0; i < kRuns; ++i) {
    const ModelRun run = run_with_slivers(random, manipulations::averaged());
    const Outcome outcome = outcome_of(run);
    ASSERT_EQ(outcome.records.size(), 6U) << "run " << i;
    for (const Step& step : run.steps) {
      const auto holds = [&](const Seen& seen) {
        return std::ranges::any_of(seen.shares, [&](const Share& share) {
          return share.sample == step.index && share.weight_s > 0 &&
                 share.weight_s > 0.5 * std::min(step.length, step.time - seen.mark.begin_s);
        });
      };
      // A step of which more than the rounding lies in a window counts there, and a sliver in one alone.
      ASSERT_EQ(std::ranges::count_if(outcome.records, holds), 1) << "run " << i << ", step " << step.index;
    }
    for (const Seen& seen : outcome.records) {
      const double file_end = static_cast<double>(seen.mark.period) * run.write_s;
      ASSERT_TRUE(seen.mark.end_s <= file_end && seen.mark.end_s > file_end - run.write_s) << "run " << i;
    }
  }
}

TEST(ScheduleCursor, has_the_final_state_in_the_file_of_its_target_though_a_step_before_took_that) {
  std::mt19937_64 random(11);
  for (int i = 0; i < kRuns; ++i) {
    const ModelRun run = run_with_slivers(random, manipulations::instantaneous());
    const Outcome outcome = outcome_of(run);
    if (run.steps.back().time > 60)
      continue;  // off the target by more than its own tolerance, or alone on it
    ASSERT_EQ(outcome.records.back().sample, run.steps.back().index) << "run " << i;
    ASSERT_EQ(outcome.records.back().mark.period, std::llround(60 / run.write_s)) << "run " << i;
    ASSERT_NEAR(outcome.records.back().mark.time_s, 60, 1e-13);
    for (std::size_t r = 0; r + 1 < outcome.records.size(); ++r)
      ASSERT_LT(outcome.records[r].mark.time_s, outcome.records[r + 1].mark.time_s) << "run " << i;
  }
}

/// The test whether the model sends a value must not decide otherwise than the placing of its records.
TEST(ScheduleCursor, has_an_instant_exactly_where_the_value_is_wanted) {
  RandomRuns runs(manipulations::instantaneous(), 8);
  for (int i = 0; i < kRuns; ++i) {
    ModelRun run = runs.next();
    if (i % 2 == 0) run.start_s += run.schedule.output_frequency.seconds * 3e-9 * (i % 3 - 1);
    NeedTracker tracker({{run.schedule.cadence, run.schedule.output_frequency}}, run.start_s);
    std::vector<std::int64_t> wanted, recorded;
    for (const Step& step : run.steps) {
      tracker.advance(step);
      if (tracker.is_met(0)) wanted.push_back(step.index);
    }
    for (const Seen& seen : outcome_of(run).records) recorded.push_back(seen.sample);

    ASSERT_EQ(recorded, wanted) << "run " << i;
  }
}

TEST(ScheduleCursor, gives_the_same_instants_when_it_is_shown_the_wanted_steps_alone) {
  RandomRuns runs(manipulations::instantaneous(), 9);
  for (int i = 0; i < kRuns; ++i) {
    const ModelRun all = runs.next();
    ModelRun wanted = all;
    NeedTracker tracker({{all.schedule.cadence, all.schedule.output_frequency}}, all.start_s);
    std::erase_if(wanted.steps, [&](const Step& step) {
      tracker.advance(step);
      return !tracker.is_met(0);
    });

    std::vector<RecordMark> from_all, from_wanted;
    for (const Seen& seen : outcome_of(all).records) from_all.push_back(seen.mark);
    for (const Seen& seen : outcome_of(wanted).records) from_wanted.push_back(seen.mark);

    ASSERT_EQ(from_wanted, from_all) << "run " << i;
  }
}

}  // namespace
}  // namespace pileus
