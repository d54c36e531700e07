#include "time/window_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "core/error.h"
#include "time/manipulations/list.h"

namespace pileus {
namespace {

/// One distributed value in one file "m.nc", its means over 10 s.
Plan plan_of_a_mean() {
  Plan plan;
  plan.files.emplace_back().name = "m.nc";
  plan.files[0].write_frequency = 100;
  plan.files[0].where = {"io.xml", 4, 3};
  plan.files[0].schedules = {ScheduleId(0)};
  plan.schedules.push_back({FileId(0), manipulations::averaged(), 10, 1, "time"});
  plan.values.emplace_back().spread = Spread::distributed;
  Variable variable;
  variable.name = "w";
  variable.file = FileId(0);
  variable.schedule = ScheduleId(0);
  variable.value = ValueId(0);
  plan.variables.push_back(variable);
  return plan;
}

class SpoiltWindow : public ::testing::Test, protected RecordSink {
 protected:
  void advance(std::int64_t step, std::vector<double> w) {
    advance(Step{step, 5.0 * static_cast<double>(step), 5}, std::move(w));
  }
  void advance(const Step& step, std::vector<double> w) {
    const Index size = static_cast<Index>(w.size());
    const Sample value = make_array(std::move(w), {size});
    windows_.advance(cursors_.advance(step, 0), std::span(&value, 1));
  }

  void add(Records records, ClientRank) override { std::ranges::move(records, std::back_inserter(records_)); }
  void add_static(Record, ClientRank) override {}
  void end_client(ClientRank) override {}

  const Plan plan_ = plan_of_a_mean();
  ScheduleCursors cursors_{plan_};
  std::vector<Record> records_;
  std::vector<std::string> said_;
  WindowSet windows_{plan_, {VariableId(0)}, {Region{{0}, {2}}},
                     0,     *this,           [this](const std::string& what) { said_.push_back(what); }};
};

/// Two samples of two elements are a mean; one of three elements in the second window cannot be taken, and
/// what the other sample alone would give is no mean of that window. The third is right again.
TEST_F(SpoiltWindow, gives_a_record_without_a_value_and_the_next_window_is_right) {
  advance(1, {1, 2});
  advance(2, {3, 4});
  advance(3, {5, 6});
  advance(4, {7, 8, 9});
  advance(5, {1, 1});
  advance(6, {3, 3});

  ASSERT_EQ(records_.size(), 3U);
  ASSERT_TRUE(records_[0].value.has_value());
  EXPECT_EQ(to_doubles(Sample(*records_[0].value)), (std::vector<double>{2, 3}));
  EXPECT_FALSE(records_[1].value.has_value());
  ASSERT_TRUE(records_[2].value.has_value());
  EXPECT_EQ(to_doubles(Sample(*records_[2].value)), (std::vector<double>{2, 2}));
  ASSERT_EQ(said_.size(), 1U);
  EXPECT_EQ(said_[0].substr(0, 48), "io.xml:4:3: w in \"m.nc\": a record gets no value:");
}

TEST_F(SpoiltWindow, is_kept_in_no_checkpoint) {
  advance(Step{1, 2, 2}, {1, 2});
  advance(Step{2, 4, 2}, {7, 8, 9});

  EXPECT_THROW(windows_.state(), UsageError);

  advance(Step{3, 10, 6}, {1, 2});
  EXPECT_TRUE(windows_.state().empty());  // it has ended, and the next one has taken nothing
}

/// Every sample, from two steps before its trigger on.
Plan plan_of_a_trigger() {
  Plan plan = plan_of_a_mean();
  plan.schedules[0] = {FileId(0), manipulations::none(), {}, 1, "time"};
  plan.schedules[0].lookback = {2, 0, 2};
  return plan;
}

class WaitingSamples : public ::testing::Test, protected RecordSink {
 protected:
  /// What the step holds until it is done.
  std::weak_ptr<const int> advance(int step, bool is_on) {
    const Sample value = make_array({1.0 * step, 2.0 * step}, {2});
    const DroppedAxes dropped = is_on ? DroppedAxes() : DroppedAxes({{ScheduleId(0), WhyDropped::trigger}});
    const auto ballast = std::make_shared<const int>(step);
    windows_.advance(cursors_.advance(Step{step, 1.0 * step, 1}, 0, dropped), std::span(&value, 1), ballast);
    return ballast;
  }
  void add(Records records, ClientRank) override { std::ranges::move(records, std::back_inserter(records_)); }
  void add_static(Record, ClientRank) override {}
  void end_client(ClientRank) override {}

  const Plan plan_ = plan_of_a_trigger();
  ScheduleCursors cursors_{plan_};
  std::vector<Record> records_;
  WindowSet windows_{plan_, {VariableId(0)}, {Region{{0}, {2}}}, 0, *this};
};

TEST_F(WaitingSamples, become_records_in_their_order) {
  for (int step = 1; step <= 4; ++step) advance(step, false);
  EXPECT_TRUE(records_.empty());
  EXPECT_EQ(windows_.most_bytes(), 4 * sizeof(double));

  advance(5, true);
  advance(6, true);

  ASSERT_EQ(records_.size(), 4U);
  for (int n = 0; n < 4; ++n) {
    const Record& one = records_[static_cast<std::size_t>(n)];
    EXPECT_EQ(one.mark.time_s, n + 3);
    EXPECT_EQ(to_doubles(Sample(*one.value)), (std::vector<double>{n + 3.0, 2 * (n + 3.0)}));
  }
}

TEST_F(WaitingSamples, hold_their_step_only_while_what_was_in_their_place_is_not_written) {
  const auto first = advance(1, false), second = advance(2, false);
  EXPECT_TRUE(first.expired() && second.expired());
  const auto releasing = advance(3, true);
  ASSERT_EQ(records_.size(), 3U);

  const auto fourth = advance(4, false), fifth = advance(5, false);

  EXPECT_FALSE(releasing.expired() || fourth.expired() || fifth.expired());
  records_.clear();
  EXPECT_TRUE(releasing.expired() && fourth.expired() && fifth.expired());
  EXPECT_TRUE(advance(6, false).expired());
  advance(7, true);
  ASSERT_EQ(records_.size(), 3U);
  EXPECT_EQ(records_[0].mark.time_s, 5);
}

}  // namespace
}  // namespace pileus
