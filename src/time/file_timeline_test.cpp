#include "time/file_timeline.h"
#include "time/manipulations/list.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace pileus {
namespace {

struct Axis {
  Manipulation manipulation;
  Frequency output;
  std::int64_t cadence = 1;
};
const Manipulation kMean = manipulations::averaged();
const Manipulation kInstant = manipulations::instantaneous();
const Manipulation kNone = manipulations::none();

/// A plan of one file with these axes.
Plan plan_of(const Frequency& write, const std::vector<Axis>& axes) {
  Plan plan;
  plan.files.emplace_back().write_frequency = write;
  for (const Axis& axis : axes) {
    plan.files[0].schedules.push_back(ScheduleId(plan.schedules.size()));
    plan.schedules.push_back({FileId(0), axis.manipulation, axis.output, axis.cadence, "time"});
  }
  return plan;
}

/// "a1.0@10" for a record of axis a at 10 s in file 1, "close 1" where file 1 is complete.
std::string text_of(const std::vector<FileEvent>& events) {
  std::string text;
  for (const FileEvent& event : events) {
    if (!text.empty()) text += ", ";
    if (event.closes) {
      text += "close " + std::to_string(event.mark.period);
      continue;
    }
    char time[40];
    std::snprintf(time, sizeof time, "%.12g", event.mark.time_s);
    text += static_cast<char>('a' + event.axis);
    text += std::to_string(event.mark.period) + "." + std::to_string(event.mark.record) + "@" + time;
  }
  return text;
}

/// The events of each step, and last those of the end.
std::vector<std::string> events_of(const Plan& plan, double start_s, const std::vector<double>& times) {
  FileTimeline timeline(plan, FileId(0), start_s);
  std::vector<std::string> events;
  double before = start_s;
  std::int64_t index = 0;
  for (double time : times) {
    events.push_back(text_of(timeline.advance({++index, time, time - before})));
    before = time;
  }
  events.push_back(text_of(timeline.finish()));
  return events;
}

using Events = std::vector<std::string>;

TEST(FileTimeline, closes_a_file_with_its_last_record_when_a_step_ends_on_its_boundary) {
  const Plan plan = plan_of(20, {{kInstant, 10}});

  EXPECT_EQ(events_of(plan, 0, {5, 10, 20, 30}),
            (Events{"", "a1.0@10", "a1.1@20, close 1", "a2.0@30", "close 2"}));
}

TEST(FileTimeline, closes_a_file_at_the_first_step_beyond_its_boundary) {
  const Plan plan = plan_of(20, {{kInstant, 5}});

  // 19 is the last of file 1; whether another one comes is known at 21 only.
  EXPECT_EQ(events_of(plan, 0, {7, 19, 21}), (Events{"a1.0@7", "a1.1@19", "close 1, a2.0@21", "close 2"}));
}

TEST(FileTimeline, gives_the_last_mean_of_a_file_before_it_closes_though_a_later_step_brings_it) {
  // The paper's case: the mean to 100 needs the step that ends at 101.3, whose instant is in file 2.
  const Plan plan = plan_of(100, {{kInstant, 5}, {kMean, 10}});

  EXPECT_EQ(
      events_of(plan, 80, {89, 98.2, 101.3}),
      (Events{"a1.0@89", "b1.0@90, a1.1@98.2", "b1.1@100, close 1, a2.0@101.3", "b2.0@101.3, close 2"}));
}

TEST(FileTimeline, orders_the_records_of_one_step_by_time_and_then_by_axis) {
  const Plan plan = plan_of(100, {{kInstant, 10}, {kMean, 10}, {kNone, 0}});

  // Means to 10 and 20, then all that stands at 25; at 30 all axes meet.
  EXPECT_EQ(events_of(plan, 0, {25, 30}),
            (Events{"b1.0@10, b1.1@20, a1.0@25, c1.0@25", "a1.1@30, b1.2@30, c1.1@30", "close 1"}));
}

TEST(FileTimeline, closes_each_file_between_its_records_and_the_next_ones_in_a_step_over_several_periods) {
  const Plan plan = plan_of(10, {{kMean, 10}});

  EXPECT_EQ(events_of(plan, 0, {5, 35}),
            (Events{"", "a1.0@10, close 1, a2.0@20, close 2, a3.0@30, close 3", "a4.0@35, close 4"}));
}

TEST(FileTimeline, gives_the_means_of_months_and_the_files_of_two_of_them) {
  // Model time 0 is 2000-01-21: months end after 11, 40 and 71 days, the first file after 40.
  const double day = 86400;
  const Date epoch = {2000, 1, 21};
  const Plan plan = plan_of(Frequency(2, Calendar::standard, epoch),
                            {{kMean, Frequency(1, Calendar::standard, epoch)}, {kMean, 20 * day}});

  EXPECT_EQ(events_of(plan, 0, {8 * day, 16 * day, 24 * day, 40 * day, 47 * day}),
            (Events{"", "a1.0@950400", "b1.0@1728000", "a1.1@3456000, b1.1@3456000, close 1", "",
                    "a2.0@4060800, b2.0@4060800, close 2"}));
}

TEST(FileTimeline, says_nothing_of_periods_without_records) {
  const Plan plan = plan_of(10, {{kInstant, 10}});

  // 12 s and 47 s fall in the files 2 and 5: 1, 3, 4 have no records.
  EXPECT_EQ(events_of(plan, 0, {12, 47, 49}), (Events{"a2.0@12", "close 2, a5.0@47", "", "close 5"}));
}

TEST(FileTimeline, keeps_a_file_open_until_its_sparsest_axis_has_passed_the_boundary) {
  const Plan plan = plan_of(10, {{kNone, 0, 1}, {kMean, 5, 3}});

  // The mean's samples are the steps 3 and 6, at 9 and 18: only the second shows that (5, 10] is complete.
  EXPECT_EQ(events_of(plan, 0, {3, 6, 9, 12, 15, 18}),
            (Events{"a1.0@3", "a1.1@6", "b1.0@5, a1.2@9", "a2.0@12", "a2.1@15",
                    "b1.1@10, close 1, b2.0@15, a2.2@18", "b2.1@18, close 2"}));
}

TEST(FileTimeline, keeps_several_files_open_for_an_axis_that_lags_by_several_periods) {
  const Plan plan = plan_of(10, {{kNone, 0, 1}, {kMean, 10, 4}});

  EXPECT_EQ(events_of(plan, 0, {9, 18, 27, 36}),
            (Events{"a1.0@9", "a2.0@18", "a3.0@27",
                    "b1.0@10, close 1, b2.0@20, close 2, b3.0@30, close 3, a4.0@36", "b4.0@36, close 4"}));
}

TEST(FileTimeline, keeps_a_file_open_whose_boundary_cuts_a_window) {
  const Plan plan = plan_of(100, {{kMean, 30}});

  // At 100 the window (90, 120] is in progress.
  // If the run ends there, its record is in file 1, otherwise in file 2.
  EXPECT_EQ(events_of(plan, 0, {90, 100}), (Events{"a1.0@30, a1.1@60, a1.2@90", "", "a1.3@100, close 1"}));
  EXPECT_EQ(events_of(plan, 0, {90, 100, 120}),
            (Events{"a1.0@30, a1.1@60, a1.2@90", "", "close 1, a2.0@120", "close 2"}));
}

TEST(FileTimeline, closes_a_file_before_the_end_of_a_window_that_is_longer_than_the_write_period) {
  const Plan plan = plan_of(100, {{kInstant, 100}, {kMean, 250}});

  EXPECT_EQ(events_of(plan, 0, {100, 200, 300}),
            (Events{"a1.0@100", "close 1, a2.0@200", "close 2, b3.0@250, a3.0@300", "b3.1@300, close 3"}));
}

TEST(FileTimeline, opens_no_file_twice_when_a_tiny_step_ends_on_the_boundary_once_more) {
  const Plan plan = plan_of(10, {{kNone, 0}});

  EXPECT_EQ(events_of(plan, 0, {9.9, 9.99999999, 10}),
            (Events{"a1.0@9.9", "a1.1@9.99999999", "a1.2@10, close 1", ""}));
}

TEST(FileTimeline, gives_nothing_for_a_run_without_steps) {
  EXPECT_EQ(events_of(plan_of(10, {{kMean, 10}, {kNone, 0}}), 0, {}), (Events{""}));
}

TEST(FileTimeline, gives_nothing_for_a_file_without_axes) {
  EXPECT_EQ(events_of(plan_of(10, {}), 0, {5, 15}), (Events{"", "", ""}));
}

TEST(FileTimeline, starts_in_the_period_from_which_the_run_continues) {
  const Plan plan = plan_of(3600, {{kInstant, 600}, {kMean, 3600}});

  EXPECT_EQ(events_of(plan, 3600, {4200, 7200}), (Events{"a2.0@4200", "a2.1@7200, b2.0@7200, close 2", ""}));
}

TEST(FileTimeline, counts_from_0_in_files_of_negative_times) {
  const Plan plan = plan_of(10, {{kNone, 0}});

  EXPECT_EQ(events_of(plan, -15, {-12, -5, 0, 5}),
            (Events{"a-1.0@-12", "close -1, a0.0@-5", "a0.1@0, close 0", "a1.0@5", "close 1"}));
}

/// On random steps and axes: records come in the order of their axes' counts, none after its file has closed,
/// and every file with records closes exactly once.
TEST(FileTimeline, closes_every_file_that_has_records_once_and_after_all_of_them) {
  std::mt19937_64 random(11);
  auto one_of = [&](std::initializer_list<double> choices) {
    return choices.begin()[random() % choices.size()];
  };
  for (int run = 0; run < 2000; ++run) {
    std::vector<Axis> axes;
    for (std::size_t a = 0; a < 1 + random() % 3; ++a) {
      const auto manipulation = all_manipulations().at(random() % 3);
      axes.push_back(
          {manipulation, manipulation == kNone ? 0 : one_of({1, 3, 10, 25}), 1 + std::int64_t(random() % 4)});
    }
    FileTimeline timeline(plan_of(one_of({5, 10, 30}), axes), FileId(0), 0);
    std::vector<FileEvent> events;
    double time = 0;
    for (std::int64_t step = 1; step <= 40; ++step) {
      const double length = one_of({0.5, 1, 2.5, 7, 40});
      time += length;
      for (const FileEvent& event : timeline.advance({step, time, length})) events.push_back(event);
    }
    for (const FileEvent& event : timeline.finish()) events.push_back(event);

    std::set<std::int64_t> open, closed;
    std::map<std::pair<std::int64_t, std::uint32_t>, std::int64_t> next;
    for (const FileEvent& event : events) {
      const std::int64_t period = event.mark.period;
      ASSERT_FALSE(closed.contains(period)) << "run " << run;
      if (event.closes) {
        ASSERT_TRUE(open.erase(period)) << "run " << run;
        closed.insert(period);
      } else {
        open.insert(period);
        ASSERT_EQ(event.mark.record, (next[{period, event.axis}]++)) << "run " << run;
      }
    }
    ASSERT_TRUE(open.empty()) << "run " << run;
  }
}

/// The plan of plan_of, with a name for each axis.
Plan named_plan(const Frequency& write, const std::vector<std::pair<std::string, Axis>>& axes) {
  Plan plan;
  plan.files.emplace_back().write_frequency = write;
  for (const auto& [name, axis] : axes) {
    plan.files[0].schedules.push_back(ScheduleId(plan.schedules.size()));
    plan.schedules.push_back({FileId(0), axis.manipulation, axis.output, axis.cadence, name});
  }
  return plan;
}

Bytes kept(const FileTimeline& timeline) {
  Bytes bytes;
  Encoder out(bytes);
  timeline.encode(out);
  return bytes;
}

TEST(FileTimeline, goes_on_after_any_step_as_if_it_had_not_been_kept) {
  const Plan plan =
      named_plan(20, {{"time", {kInstant, 5}}, {"time_2", {kMean, 12}}, {"time_3", {kNone, 0}}});
  const std::vector<double> times = {3, 7, 19, 21, 24, 50, 51, 60, 61.5};
  for (std::size_t cut = 0; cut <= times.size(); ++cut) {
    FileTimeline whole(plan, FileId(0), 0);
    std::optional<FileTimeline> part;
    for (std::size_t i = 0; i <= times.size(); ++i) {
      if (i == cut) {
        part.emplace(plan, FileId(0), i == 0 ? 0 : times[i - 1]);
        const Bytes bytes = kept(whole);
        Decoder in(bytes);
        EXPECT_TRUE(part->restore(in).empty());
        EXPECT_TRUE(in.is_at_end());
      }
      if (i == times.size()) break;
      const Step step{static_cast<std::int64_t>(i) + 1, times[i], times[i] - (i == 0 ? 0 : times[i - 1])};
      const std::string right = text_of(whole.advance(step));
      if (part) {
        EXPECT_EQ(text_of(part->advance(step)), right) << "cut " << cut << ", step " << i + 1;
      }
    }
    EXPECT_EQ(text_of(part->finish()), text_of(whole.finish())) << "cut " << cut;
  }
}

TEST(FileTimeline, names_the_axes_that_are_not_what_they_were) {
  FileTimeline before(
      named_plan(20, {{"time", {kInstant, 5}}, {"time_2", {kMean, 10}}, {"gone", {kNone, 0}}}), FileId(0), 0);
  before.advance({1, 3, 3});
  FileTimeline now(named_plan(20, {{"time_2", {kMean, 20}}, {"new", {kInstant, 1}}, {"time", {kInstant, 5}}}),
                   FileId(0), 3);
  const Bytes bytes = kept(before);
  Decoder in(bytes);

  EXPECT_EQ(now.restore(in), (std::vector<std::string>{"time_2", "new", "gone"}));
}

TEST(FileTimeline, gives_each_checkpoint_a_file_of_its_own_named_by_its_step) {
  Plan plan = plan_of(0, {{kNone, 0}});
  plan.files[0].write_frequency_steps = 1;
  plan.schedules[0].at_checkpoints = true;
  FileTimeline timeline(plan, FileId(0), 0);

  std::vector<std::string> events;
  for (std::int64_t index = 1; index <= 5; ++index) {
    Step step{index, 10.0 * static_cast<double>(index), 10};
    step.is_checkpoint = index == 2 || index == 5;
    events.push_back(text_of(timeline.advance(step)));
  }

  EXPECT_EQ(events, (std::vector<std::string>{"", "a2.0@20, close 2", "", "", "a5.0@50, close 5"}));
  EXPECT_EQ(text_of(timeline.finish()), "");
}

/// Steps of 1 s; a file every 4 s with every value and, apart, every second one.
TEST(FileTimeline, numbers_records_without_those_left_out_and_counts_these_by_their_reasons) {
  const Plan plan = plan_of(4, {{kNone, {}}, {kInstant, 2}});
  FileTimeline timeline(plan, FileId(0), 0);
  const ScheduleId all(0), second(1);

  EXPECT_EQ(text_of(timeline.advance({1, 1, 1}, {{all, WhyDropped::asked}})), "");
  const DroppedAxes both = {{all, WhyDropped::memory}, {second, WhyDropped::trigger}};
  EXPECT_EQ(text_of(timeline.advance({2, 2, 1}, both)), "");
  EXPECT_EQ(text_of(timeline.advance({3, 3, 1})), "a1.0@3");
  Bytes kept;
  Encoder out(kept);
  timeline.encode(out);
  FileTimeline other(plan, FileId(0), 0);
  Decoder in(kept);
  EXPECT_TRUE(other.restore(in).empty());
  for (FileTimeline* one : {&timeline, &other}) {
    const std::vector<FileEvent> events = one->advance({4, 4, 1}, {{all, WhyDropped::asked}});
    EXPECT_EQ(text_of(events), "b1.0@4, close 1");
    EXPECT_EQ(events.back().dropped, (DroppedRecords{2, 1}));
    EXPECT_EQ(one->closed_through(), 1);
  }
}

TEST(FileTimeline, has_no_file_where_every_record_is_left_out) {
  const Plan plan = plan_of(2, {{kNone, {}}});
  FileTimeline timeline(plan, FileId(0), 0);

  EXPECT_EQ(text_of(timeline.advance({1, 1, 1}, {{ScheduleId(0), WhyDropped::memory}})), "");
  EXPECT_EQ(text_of(timeline.advance({2, 2, 1}, {{ScheduleId(0), WhyDropped::memory}})), "");
  EXPECT_EQ(timeline.closed_through(), 1);
  const std::vector<FileEvent> next = timeline.advance({3, 3, 1});
  EXPECT_EQ(text_of(next), "a2.0@3");
  EXPECT_EQ(timeline.finish().back().dropped, DroppedRecords());
}

/// What is left out passes its target: the next record is that of the next one.
TEST(FileTimeline, takes_no_other_sample_for_a_record_that_is_left_out) {
  const Plan plan = plan_of(100, {{kInstant, 5}});
  FileTimeline timeline(plan, FileId(0), 0);

  EXPECT_EQ(text_of(timeline.advance({1, 5, 5}, {{ScheduleId(0), WhyDropped::memory}})), "");
  EXPECT_EQ(text_of(timeline.advance({2, 7, 2})), "");
  EXPECT_EQ(text_of(timeline.advance({3, 11, 4})), "a1.0@11");
}

}  // namespace
}  // namespace pileus
