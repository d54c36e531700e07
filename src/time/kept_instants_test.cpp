// Random runs of a file whose trigger comes and goes, against what a reader of docs/triggers.md would expect.

#include "time/kept_instants.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "time/manipulations/last_sample.h"
#include "time/manipulations/list.h"
#include "time/schedule_cursor.h"

namespace pileus {
namespace {

/// Of one run: its steps, and in which of them the trigger is on.
struct Course {
  Schedule schedule{FileId(0), manipulations::none(), {}, 1, "time"};
  double write_s = 0;
  std::vector<Step> steps;
  std::vector<bool> is_on;
};

int drawn(std::mt19937& random, int from, int to) {
  return std::uniform_int_distribution<int>(from, to)(random);
}

/// Steps of quarters of a second, so that all times are exact.
Course random_course(std::mt19937& random) {
  Course course;
  const bool is_instant = drawn(random, 0, 1) == 1;
  course.schedule = {FileId(0), is_instant ? manipulations::instantaneous() : manipulations::none(),
                     is_instant ? Frequency(drawn(random, 1, 8)) : Frequency(), drawn(random, 1, 3), "time"};
  if (is_instant && drawn(random, 0, 1) == 1) {
    course.schedule.lookback.time_s = drawn(random, 1, 30) + 0.125;
    course.schedule.lookback.records = static_cast<std::int64_t>(course.schedule.lookback.time_s /
                                                                 course.schedule.output_frequency.seconds) +
                                       2;
  } else {
    course.schedule.lookback.steps = course.schedule.lookback.records = drawn(random, 1, 12);
  }
  course.write_s = drawn(random, 0, 2) == 0 ? 0 : drawn(random, 5, 40);
  double time = 0;
  bool is_on = false;
  for (int n = 1; n <= 80; ++n) {
    const double length = 0.25 * drawn(random, 1, 12);
    time += length;
    course.steps.push_back({n, time, length});
    if (drawn(random, 0, 6) == 0) is_on = !is_on;
    course.is_on.push_back(is_on);
  }
  return course;
}

/// The steps of which files have records, and in which file of the series each is.
using Records = std::vector<std::pair<std::int64_t, std::int64_t>>;

Records expected(const Course& course) {
  Schedule always = course.schedule;
  always.lookback = {};
  ScheduleCursor cursor(always, course.write_s, 0);
  std::vector<std::size_t> records;
  std::map<std::size_t, std::int64_t> periods;
  for (std::size_t i = 0; i < course.steps.size(); ++i) {
    for (const SampleAction& action : cursor.advance(course.steps[i])) {
      if (!action.ends_record) continue;
      records.push_back(i);
      periods[i] = action.mark.period;
    }
  }
  const Lookback& lookback = course.schedule.lookback;
  Records written;
  for (const std::size_t i : records) {
    const bool is_written = std::ranges::any_of(records, [&](std::size_t on) {
      if (on < i || !course.is_on[on]) return false;
      return lookback.steps > 0 ? static_cast<std::int64_t>(on - i) <= lookback.steps
                                : course.steps[on].time - course.steps[i].time <= lookback.time_s;
    });
    if (is_written) written.emplace_back(course.steps[i].index, periods[i]);
  }
  return written;
}

ScheduleCursor continued(const ScheduleCursor& cursor, const Course& course) {
  Bytes bytes;
  Encoder out(bytes);
  cursor.encode(out);
  ScheduleCursor other(course.schedule, course.write_s, 0);
  Decoder in(bytes);
  EXPECT_TRUE(other.restore(in));
  EXPECT_TRUE(in.is_at_end());
  return other;
}

TEST(KeptInstants, of_random_runs_become_records_as_the_trigger_begins) {
  std::mt19937 random(17);
  std::size_t all = 0, before = 0;
  for (int run = 0; run < 400; ++run) {
    const Course course = random_course(random);
    SCOPED_TRACE("run " + std::to_string(run) + text(course.schedule.lookback));
    ScheduleCursor cursor(course.schedule, course.write_s, 0);
    std::map<std::uint16_t, std::int64_t> windows;  // which step's sample is in each
    Records written;
    std::map<std::int64_t, std::int64_t> numbers;  // of records, by file
    double last_s = -1;
    for (std::size_t i = 0; i < course.steps.size(); ++i) {
      if (drawn(random, 0, 9) == 0 && i > 0) cursor = continued(cursor, course);
      const std::int64_t closed = cursor.closed_through();
      for (const SampleAction& action : cursor.advance(course.steps[i], !course.is_on[i])) {
        ASSERT_LE(action.window, course.schedule.lookback.records);
        if (action.is_of_sample) {
          ASSERT_FALSE(windows.contains(action.window)) << "a sample that somebody waits for is lost";
          windows[action.window] = course.steps[i].index;
        }
        ASSERT_TRUE(windows.contains(action.window));
        if (action.ends_record) {
          written.emplace_back(windows[action.window], action.mark.period);
          before += windows[action.window] < course.steps[i].index ? 1 : 0;
          EXPECT_GT(action.mark.time_s, last_s);
          last_s = action.mark.time_s;
          EXPECT_EQ(last_s, course.steps[static_cast<std::size_t>(written.back().first - 1)].time);
          EXPECT_GT(action.mark.period, closed) << "the file was closed";
          EXPECT_EQ(action.mark.record, numbers[action.mark.period]++);
        }
        if (action.ends_record || action.drops_window) windows.erase(action.window);
      }
      ASSERT_LE(static_cast<std::int64_t>(windows.size()), course.schedule.lookback.records);
    }
    EXPECT_EQ(written, expected(course));
    all += written.size();
  }
  EXPECT_GT(before, all / 20);
}

TEST(KeptInstants, of_damaged_states_are_refused) {
  const Lookback lookback{3, 0, 3};
  KeptInstants kept(lookback);
  for (int n = 1; n <= 5; ++n) {
    kept.forget({n, 1.0 * n, 1}, true);
    kept.keep(n, n, 1);
  }
  Bytes bytes;
  Encoder out(bytes);
  kept.encode(out);
  KeptInstants other(lookback);
  Decoder in(bytes);
  other.restore(in);
  EXPECT_EQ(other.release().size(), 3U);

  KeptInstants smaller({2, 0, 2});
  Decoder too_many(bytes);
  EXPECT_THROW(smaller.restore(too_many), TransportError);
  for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
    Decoder damaged(std::span<const std::byte>(bytes).first(cut));
    EXPECT_THROW(other.restore(damaged), TransportError) << cut;
  }
  Bytes endless = bytes;
  endless[7] = std::byte{0x7f};
  Decoder overflowing(endless);
  EXPECT_THROW(other.restore(overflowing), TransportError);
  std::swap(bytes[16 + 8], bytes[16 + 24 + 8]);
  std::swap(bytes[16 + 15], bytes[16 + 24 + 15]);
  std::swap(bytes[16 + 14], bytes[16 + 24 + 14]);
  Decoder unordered(bytes);
  EXPECT_THROW(other.restore(unordered), TransportError);
}

TEST(KeptSample, has_memory_of_its_own_and_goes_on_from_its_state) {
  auto bytes = std::make_shared<std::vector<std::byte>>(3 * sizeof(float), std::byte{1});
  const std::weak_ptr<std::vector<std::byte>> message = bytes;
  const auto window = make_kept_sample({});
  window->add(Array{ElementType::float32, {3}, {bytes, bytes->data()}}, 0);
  bytes->assign(bytes->size(), std::byte{2});
  bytes.reset();

  EXPECT_TRUE(message.expired()) << "what brought it is held";
  EXPECT_EQ(window->most_bytes(), 3 * sizeof(float));
  const auto state = window->state();
  ASSERT_TRUE(state);
  const auto other = make_kept_sample({});
  other->restore({3}, {{Region{{0}, {3}}, *state}});
  for (Window* const one : {window.get(), other.get()}) {
    const std::optional<Array> record = one->take_record();
    ASSERT_TRUE(record && record->type == ElementType::float32);
    EXPECT_EQ(record->bytes.get()[11], std::byte{1});
    EXPECT_FALSE(one->take_record()) << "it is empty then";
    EXPECT_FALSE(one->state());
  }
}

TEST(KeptSample, has_nothing_where_a_rank_of_the_run_before_had_none) {
  for (const std::optional<double> missing : {std::optional<double>(), std::optional(-999.0)}) {
    const auto before = make_kept_sample(missing), after = make_kept_sample(missing);
    before->add(make_array({1, 2}, {2}), 0);
    after->restore({3}, {{Region{{0}, {2}}, *before->state()}});

    const std::vector<double> found = to_doubles(Sample(*after->take_record()));

    EXPECT_EQ(found, (std::vector<double>{1, 2, missing.value_or(9.9692099683868690e+36)}));
  }
}

TEST(KeptInstants, hold_no_file_open_once_they_are_too_old) {
  Schedule schedule{FileId(0), manipulations::none(), {}, 1, "time"};
  schedule.span.until_s = 3;  // so that nothing after it has a record
  schedule.lookback = {2, 0, 2};
  ScheduleCursor cursor(schedule, 2, 0);
  for (int n = 1; n <= 4; ++n) cursor.advance({n, 1.0 * n, 1}, true);
  EXPECT_EQ(cursor.closed_through(), 0) << "that of step 2 may still come";

  for (int n = 5; n <= 8; ++n) cursor.advance({n, 1.0 * n, 1}, true);

  EXPECT_EQ(cursor.closed_through(), 4);
}

TEST(KeptInstants, of_another_lookback_begin_afresh) {
  const Course course;
  Course longer = course;
  longer.schedule.lookback = {3, 0, 3};
  ScheduleCursor cursor(longer.schedule, 0, 0);
  cursor.advance({1, 1, 1}, true);
  Bytes bytes;
  Encoder out(bytes);
  cursor.encode(out);

  ScheduleCursor other(course.schedule, 0, 0);
  Decoder in(bytes);
  EXPECT_FALSE(other.restore(in));
  EXPECT_EQ(cursor.definition(), "none every step, from 3 steps before its trigger on, a file once");
}

}  // namespace
}  // namespace pileus
