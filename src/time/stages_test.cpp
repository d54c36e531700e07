// Chains, running windows and spans: what the cursor says of them, and what windows make of it.

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include "core/missing.h"
#include "time/file_timeline.h"
#include "time/testing/schedule_rows.h"
#include "time/window_bytes.h"
#include "time/window_set.h"

namespace pileus::testing {
namespace {

const Manipulation kMaximum = manipulations::maximum();

Schedule schedule(double output_s) { return {FileId(0), kMean, output_s, 1, "time"}; }

/// "s1*2" counts the sample of step 1 for 2 s, "1*60" the record of the stage before in stage 1; "(0,60]"
/// ends a record, "drop" one that is not whole. "#2" is the running window that ends.
std::string text(std::int64_t sample, const SampleAction& action) {
  std::string out;
  if (action.stage > 0) {
    out = std::to_string(action.stage) + "*" + number(action.weight_s, 6);
  } else if (action.is_of_sample) {
    out = "s" + std::to_string(sample) + "*" + number(action.weight_s, 6);
  }
  if (action.ends_record)
    out += " (" + number(action.mark.begin_s, 9) + "," + number(action.mark.end_s, 9) + "]";
  if (action.drops_window) out += " drop";
  if (action.window > 0) out += " #" + std::to_string(action.window);
  return out;
}

using Texts = std::vector<std::string>;

Texts actions_of(const Schedule& schedule, const std::vector<double>& times, double start_s = 0) {
  ScheduleCursor cursor(schedule, Frequency(1e6), start_s);
  Texts texts;
  std::int64_t index = 0;
  for (double before = start_s; const double time : times) {
    ++index;
    for (const SampleAction& action : cursor.advance({index, time, time - before, 0}))
      texts.push_back(text(index, action));
    before = time;
  }
  for (const SampleAction& action : cursor.finish()) texts.push_back(text(index, action));
  return texts;
}

TEST(StagesOfACursor, end_once_where_multiples_are_rounded_apart) {
  Schedule chain = schedule(1.4);
  chain.stages = {{kMaximum, 0.14}};

  // 9 times 1.4 is one unit in the last place below 90 times 0.14.
  const Texts texts = actions_of(chain, {2, 4, 6, 8, 10, 12, 9 * 1.4, 14});
  EXPECT_EQ(std::ranges::count_if(texts, [](const auto& one) { return one.find('(') != one.npos; }), 10);
}

TEST(StagesOfACursor, end_where_their_periods_do) {
  Schedule chain = schedule(20);
  chain.stages = {{kMaximum, 10}};

  EXPECT_EQ(actions_of(chain, {5, 10, 20, 25}),
            (Texts{"s1*5", "s2*5", "1*10", "s3*10", "1*10 (0,20]", "s4*5", "1*5", " (20,25]"}));
}

TEST(StagesOfACursor, a_step_may_end_several_windows_of_each) {
  Schedule chain = schedule(20);
  chain.stages = {{kMaximum, 10}};

  EXPECT_EQ(actions_of(chain, {5, 42}), (Texts{"s1*5", "s2*5", "1*10", "s2*10", "1*10 (0,20]", "s2*10",
                                               "1*10", "s2*10", "1*10 (20,40]", "s2*2", "1*2", " (40,42]"}));
}

TEST(StagesOfACursor, a_first_window_that_is_cut_short_stands_for_less) {
  Schedule chain = schedule(20);
  chain.stages = {{kMaximum, 10}};

  EXPECT_EQ(actions_of(chain, {10, 20}, 4), (Texts{"s1*6", "1*6", "s2*10", "1*10 (4,20]"}));
}

TEST(StagesOfACursor, four_stages_end_one_after_the_other) {
  Schedule chain = schedule(8);
  chain.stages = {{kMean, 1}, {kMaximum, 2}, {kMean, 4}};

  EXPECT_EQ(actions_of(chain, {4, 8}),
            (Texts{"s1*1", "1*1", "s1*1", "1*1", "2*2", "s1*1", "1*1", "s1*1", "1*1", "2*2", "3*4",
                   "s2*1", "1*1", "s2*1", "1*1", "2*2", "s2*1", "1*1", "s2*1", "1*1", "2*2", "3*4 (0,8]"}));
}

TEST(StagesOfACursor, days_go_into_months) {
  Schedule chain = schedule(0);
  chain.output_frequency = Frequency(1, Calendar::noleap, Date{2001, 2, 1, 0, 0, 0});
  chain.stages = {{kMaximum, 86400}};
  std::vector<double> days;
  for (int day = 1; day <= 59; ++day) days.push_back(86400.0 * day);

  const Texts texts = actions_of(chain, days);

  EXPECT_EQ(texts[2 * 28 - 1], "1*86400 (0,2419200]");
  EXPECT_EQ(texts[2 * 59 - 1], "1*86400 (2419200,5097600]");
  EXPECT_EQ(texts.size(), 2u * 59);
}

TEST(RunningWindows, begin_when_a_whole_one_is_there) {
  Schedule running = schedule(10);
  running.running_windows = 3;

  EXPECT_EQ(actions_of(running, {10, 20, 30, 40, 45}),
            (Texts{"s1*10 drop #1", "s2*10 drop #2", "s3*10 (0,30]", "s4*10 (10,40] #1", "s5*5"}));
}

TEST(RunningWindows, of_a_run_that_begins_within_one_are_whole_later) {
  Schedule running = schedule(10);
  running.running_windows = 2;

  EXPECT_EQ(actions_of(running, {10, 20, 30}, 5), (Texts{"s1*5 drop #1", "s2*10 drop", "s3*10 (10,30] #1"}));
}

TEST(Spans, cut_off_what_lies_outside) {
  Schedule spanned = schedule(10);
  spanned.span = {12, 25};

  EXPECT_EQ(actions_of(spanned, {5, 15, 30, 40}), (Texts{"s2*3", "s3*5 (12,20]", "s3*5", " (20,25]"}));
}

TEST(Spans, that_end_on_a_boundary_end_with_its_record) {
  Schedule spanned = schedule(10);
  spanned.span = {10, 20};

  EXPECT_EQ(actions_of(spanned, {10, 20, 30}), (Texts{"s2*10 (10,20]"}));
}

TEST(Spans, leave_instants_out) {
  Schedule spanned = schedule(10);
  spanned.manipulation = kInstant;
  spanned.span = {20, 30};

  EXPECT_EQ(actions_of(spanned, {10, 20, 30, 40}), (Texts{"s2*0 (20,20]", "s3*0 (30,30]"}));
}

TEST(StagesOfACursor, go_on_from_where_they_stood) {
  Schedule chain = schedule(8);
  chain.stages = {{kMean, 2}};
  chain.running_windows = 2;
  chain.span = {1, 21};
  const std::vector<double> times = {1.5, 3, 4, 7, 7.5, 9, 16, 20, 23, 30};

  for (std::size_t stop = 1; stop < times.size(); ++stop) {
    ScheduleCursor whole(chain, Frequency(1e6), 0), first(chain, Frequency(1e6), 0);
    ScheduleCursor second(chain, Frequency(1e6), times[stop - 1]);
    double before = 0;
    for (std::size_t i = 0; i < times.size(); ++i) {
      const Step step{static_cast<std::int64_t>(i + 1), times[i], times[i] - before, 0};
      const std::vector<SampleAction> expected = whole.advance(step);
      EXPECT_EQ((i < stop ? first : second).advance(step), expected) << stop << " " << i;
      before = times[i];
      if (i + 1 != stop) continue;
      Bytes bytes;
      Encoder out(bytes);
      first.encode(out);
      Decoder in(bytes);
      EXPECT_TRUE(second.restore(in));
    }
    EXPECT_EQ(second.finish(), whole.finish());
  }
}

TEST(Spans, and_chains_are_part_of_the_definition) {
  Schedule chain = schedule(20);
  chain.stages = {{kMaximum, 10}};
  chain.running_windows = 3;
  chain.span = {5, 100};

  EXPECT_EQ(
      ScheduleCursor(chain, Frequency(1e6), 0).definition(),
      "maximum over 10 s, averaged every step each 20 s, over the last 3 of these, from 5 s until 100 s, a "
      "file every 1e+06 s");
}

/// The records of one variable "w" of file "m.nc", made by streams that hold one region each.
class ChainedWindows : public ::testing::Test, protected RecordSink {
 protected:
  ChainedWindows() {
    plan_.files.emplace_back().name = "m.nc";
    plan_.files[0].schedules = {ScheduleId(0)};
    plan_.schedules.push_back(schedule(20));
    plan_.values.emplace_back().spread = Spread::distributed;
    Variable& variable = plan_.variables.emplace_back();
    variable.name = "w";
    variable.file = FileId(0);
    variable.schedule = ScheduleId(0);
    variable.value = ValueId(0);
  }
  Schedule& axis() { return plan_.schedules[0]; }
  WindowSet windows(const Region& region, const ContinuedWindows* continued = nullptr) {
    return {plan_, {VariableId(0)}, {region}, 0, *this, {}, continued};
  }
  void advance(double time_s, std::vector<double> w) { advance(time_s, sample(std::move(w))); }
  void advance(double time_s, const Sample& value) {
    const Step step{++step_, time_s, time_s - last_s_, 0};
    last_s_ = time_s;
    whole_->advance(cursors_->advance(step, 0), std::span(&value, 1));
  }
  static Sample sample(std::vector<double> w) {
    const auto size = static_cast<Index>(w.size());
    return make_array(std::move(w), {size});
  }
  void begin() {
    cursors_.emplace(plan_);
    whole_.emplace(windows({{0}, {2}}));
  }
  std::vector<double> record(std::size_t i) const { return to_doubles(Sample(*records_.at(i).value)); }

  void add(Records records, ClientRank) override { std::ranges::move(records, std::back_inserter(records_)); }
  void add_static(Record, ClientRank) override {}
  void end_client(ClientRank) override {}

  Plan plan_;
  std::optional<ScheduleCursors> cursors_;
  std::optional<WindowSet> whole_;
  std::vector<Record> records_;
  std::int64_t step_ = 0;
  double last_s_ = 0;
};

TEST_F(ChainedWindows, average_the_maxima_of_periods) {
  axis().stages = {{kMaximum, 10}};
  begin();

  advance(5, {1, -1});
  advance(10, {3, -3});
  advance(20, {5, -5});
  advance(25, {7, 7});
  whole_->finish(cursors_->finish());

  ASSERT_EQ(records_.size(), 2U);
  EXPECT_EQ(record(0), (std::vector<double>{4, -3}));  // (3 + 5)/2 and (-1 - 5)/2
  EXPECT_EQ(record(1), (std::vector<double>{7, 7}));
}

/// The first element has no value in the first period, so that its mean is that of the second.
TEST_F(ChainedWindows, leave_out_what_a_period_had_nothing_of) {
  axis().stages = {{kMean, 10}};
  plan_.values[0].missing = -999;
  begin();

  advance(10, {-999, 2});
  advance(20, {3, 4});
  advance(40, {-999, 6});

  ASSERT_EQ(records_.size(), 2U);
  EXPECT_EQ(record(0), (std::vector<double>{3, 3}));
  EXPECT_EQ(record(1), (std::vector<double>{kMissing, 6}));
}

TEST_F(ChainedWindows, count_samples_that_are_absent_up_to_the_record) {
  axis().stages = {{kMaximum, 10}};
  begin();

  advance(5, Absent{});
  advance(10, Absent{});
  advance(15, Absent{});
  advance(20, {3, 4});

  ASSERT_EQ(records_.size(), 1U);
  EXPECT_EQ(record(0), (std::vector<double>{3, 4}));
  EXPECT_EQ(records_[0].absent_samples, 3);
}

/// The stage that ends with the run is no record of a file.
TEST_F(ChainedWindows, end_with_one_record_of_a_file) {
  axis().stages = {{kMaximum, 10}};
  FileTimeline timeline(plan_, FileId(0), 0);

  EXPECT_TRUE(timeline.advance({1, 15, 15, 0}).empty());
  const std::vector<FileEvent> events = timeline.finish();

  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].mark.end_s, 15);
  EXPECT_TRUE(events[1].closes);
}

TEST_F(ChainedWindows, that_run_overlap) {
  axis().running_windows = 2;
  axis().output_frequency = 10;
  begin();

  for (int i = 1; i <= 4; ++i) advance(10 * i, {1.0 * i, 2.0 * i});

  ASSERT_EQ(records_.size(), 3U);
  EXPECT_EQ(record(0), (std::vector<double>{1.5, 3}));
  EXPECT_EQ(record(2), (std::vector<double>{3.5, 7}));
  EXPECT_EQ(records_[2].mark.begin_s, 20);
  EXPECT_EQ(records_[2].mark.end_s, 40);
}

/// Of means whose elements may be missing, as those of later stages may.
TEST_F(ChainedWindows, hold_what_all_stages_and_windows_do) {
  plan_.variables[0].is_exact = false;
  plan_.values[0].missing = -999;
  const std::uint64_t mean = window_bytes_of_element(plan_, plan_.variables[0]);

  axis().stages = {{kMaximum, 10}};
  axis().running_windows = 3;

  EXPECT_EQ(window_bytes_of_element(plan_, plan_.variables[0]), sizeof(double) + 3 * mean);
}

/// The state after each step, cut into two streams of an element each.
TEST_F(ChainedWindows, go_on_in_another_layout) {
  axis().stages = {{kMaximum, 4}, {kMean, 8}};
  axis().output_frequency = 16;
  axis().running_windows = 2;
  for (int stop = 1; stop < 14; ++stop) {
    records_.clear();
    step_ = 0;
    last_s_ = 0;
    begin();
    std::optional<WindowSet> left, right;
    std::optional<ScheduleCursors> cursors;
    std::vector<Record> parts;
    for (int i = 1; i <= 18; ++i) {
      const double value = i * i % 7;
      advance(3.0 * i, {value, -value});
      if (cursors) {
        std::vector<Record> kept = std::exchange(records_, {});
        const ScheduleActions actions = cursors->advance({step_, last_s_, 3, 0}, 0);
        const Sample one = sample({value}), other = sample({-value});
        left->advance(actions, std::span(&one, 1));
        right->advance(actions, std::span(&other, 1));
        std::ranges::move(records_, std::back_inserter(parts));
        records_ = std::move(kept);
      }
      if (i != stop) continue;
      records_.clear();
      StateEntries entries;
      for (StateEntry& entry : whole_->state()) entries.add(std::move(entry));
      entries.add(axis_entry(plan_, ScheduleId(0), (*cursors_)[ScheduleId(0)]));
      const ContinuedWindows continued(plan_, entries, last_s_);
      EXPECT_TRUE(continued.warnings().empty());
      cursors.emplace(plan_, &continued);
      left.emplace(windows({{0}, {1}}, &continued));
      right.emplace(windows({{1}, {1}}, &continued));
    }
    ASSERT_EQ(parts.size(), 2 * records_.size()) << stop;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      EXPECT_EQ(to_doubles(Sample(*parts[i].value)), (std::vector<double>{record(i / 2)[i % 2]})) << stop;
      EXPECT_EQ(parts[i].mark, records_[i / 2].mark);
    }
  }
}

}  // namespace
}  // namespace pileus::testing
