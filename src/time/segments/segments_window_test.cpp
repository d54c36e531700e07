#include "time/segments/segments_window.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/missing.h"

namespace pileus {
namespace {

/// "Modes" of three samples: the first one less the last, and the sum; missing where any is.
void make(const std::vector<operators::Part>& segments, const operators::ResultPart& made) {
  const Index size = segments[0].region.size() / 3;
  for (Index i = 0; i < size; ++i) {
    bool is_missing = false;
    double sum = 0;
    for (const operators::Part& part : segments) {
      for (Index n = 0; n < 3; ++n) {
        const double value = part.number(n * size + i);
        is_missing = is_missing || value == kMissing;
        sum += value;
      }
    }
    const double difference = segments[0].number(i) - segments[0].number(2 * size + i);
    made.as<double>()[i] = is_missing ? kMissing : difference;
    made.as<double>()[size + i] = is_missing ? kMissing : sum;
  }
}

SegmentsWindow window(bool are_overlapping = false, std::size_t inputs = 1, Extents extents = {2}) {
  return {{3, 10.0, are_overlapping}, 2, inputs, std::move(extents), -1.0, make};
}

std::vector<double> numbers(const Array& array) {
  const auto values = array.as<double>();
  return {values.begin(), values.end()};
}

std::optional<Array> record_of(Window& window) { return window.take_record(); }

/// Samples (t, 2t) at these times.
void add(SegmentsWindow& to, std::initializer_list<double> times) {
  for (const double t : times) to.add(make_array({t, 2 * t}, {2}), {10, t});
}

TEST(SegmentsWindow, gives_the_mean_of_whole_segments) {
  SegmentsWindow one = window();

  add(one, {10, 20, 30, 40, 50, 60, 70});

  const std::optional<Array> record = record_of(one);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->extents, (Extents{2, 2}));
  EXPECT_EQ(numbers(*record), (std::vector<double>{-20, -40, 105, 210}));  // (60 + 150) / 2
}

TEST(SegmentsWindow, begins_segments_in_the_middle_of_others) {
  SegmentsWindow one = window(true);

  add(one, {10, 20, 30, 40, 50});  // 10 20 30, then, as half of 3 is 1, 30 40 50

  EXPECT_EQ(numbers(*record_of(one)), (std::vector<double>{-20, -40, 90, 180}));
}

TEST(SegmentsWindow, is_empty_after_its_record) {
  SegmentsWindow one = window();
  add(one, {10, 20, 30, 40, 50});
  record_of(one);

  add(one, {60, 70, 80});

  EXPECT_EQ(numbers(*record_of(one)), (std::vector<double>{-20, -40, 210, 420}));
  EXPECT_FALSE(record_of(one));
}

TEST(SegmentsWindow, leaves_out_segments_of_elements_without_a_value) {
  SegmentsWindow one = window();
  add(one, {10, 20});
  one.add(make_array({30, -1}, {2}), {10, 30});
  add(one, {40, 50, 60});

  EXPECT_EQ(numbers(*record_of(one)), (std::vector<double>{-20, -40, 105, 300}));
}

TEST(SegmentsWindow, of_no_segment_with_a_value_an_element_is_missing) {
  SegmentsWindow one = window();
  one.add(make_array({10, -1}, {2}), {10, 10});
  add(one, {20, 30});

  EXPECT_EQ(numbers(*record_of(one)), (std::vector<double>{-20, kMissing, 60, kMissing}));
}

TEST(SegmentsWindow, samples_that_are_absent_or_lack_are_missing_ones) {
  SegmentsWindow one = window(), other = window();
  add(one, {10, 20});
  one.add(Absent{}, {10, 30});
  add(one, {40, 50, 60});
  add(other, {10, 20, 40, 50, 60});

  EXPECT_EQ(numbers(*record_of(one)), (std::vector<double>{-20, -40, 150, 300}));
  EXPECT_EQ(numbers(*record_of(other)), (std::vector<double>{-20, -40, 150, 300}));
}

TEST(SegmentsWindow, begins_anew_where_times_are_not_even) {
  SegmentsWindow one = window();

  add(one, {10, 20, 33, 43, 53});

  EXPECT_EQ(numbers(*record_of(one)), (std::vector<double>{-20, -40, 129, 258}));
}

TEST(SegmentsWindow, says_what_is_wrong_where_no_times_are_even) {
  SegmentsWindow one = window();
  add(one, {10, 24, 38, 52});

  try {
    record_of(one);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("14 s after another"), std::string::npos) << error.what();
  }
  add(one, {60, 70, 80});
  EXPECT_TRUE(record_of(one));
}

/// The step from 40 to 50 passes the end of the interval at 45: it is of the segments behind that.
TEST(SegmentsWindow, has_no_segment_with_the_step_that_passes_its_end) {
  SegmentsWindow one = window();
  add(one, {10, 20, 30, 40, 45});
  EXPECT_EQ(numbers(*record_of(one)), (std::vector<double>{-20, -40, 60, 120}));

  add(one, {50, 60, 70, 75});
  EXPECT_EQ(numbers(*record_of(one)), (std::vector<double>{-20, -40, 180, 360}));

  add(one, {80, 85});  // too short for an interval to be seen
  EXPECT_FALSE(record_of(one));
}

TEST(SegmentsWindow, a_value_that_is_no_number_makes_its_element_so) {
  SegmentsWindow one = window();
  add(one, {10, 20});
  one.add(make_array({std::numeric_limits<double>::quiet_NaN(), 60}, {2}), {10, 30});
  add(one, {40, 50, 60});

  const std::vector<double> made = numbers(*record_of(one));
  EXPECT_TRUE(std::isnan(made[0]) && std::isnan(made[2]));
  EXPECT_EQ(made[1], -40);
  EXPECT_EQ(made[3], 210);
}

TEST(SegmentsWindow, passes_samples_that_stand_for_nothing) {
  SegmentsWindow one = window();
  one.add(make_array({5, 5}, {2}), {0, 0});
  add(one, {10, 20, 30});

  EXPECT_EQ(numbers(*record_of(one)), (std::vector<double>{-20, -40, 60, 120}));
}

TEST(SegmentsWindow, takes_pairs_where_both_are_there) {
  SegmentsWindow one = window(false, 2);
  for (const double t : {10.0, 20.0, 30.0})
    one.add_pair(make_array({t, t}, {2}), make_array({1, t == 20 ? -1.0 : 1.0}, {2}), {10, t});

  EXPECT_EQ(numbers(*record_of(one)), (std::vector<double>{-20, kMissing, 63, kMissing}));
}

TEST(SegmentsWindow, refuses_another_shape) {
  SegmentsWindow one = window();

  EXPECT_THROW(one.add(make_array({1, 2, 3}, {3}), {10, 10}), UsageError);
}

TEST(SegmentsWindow, goes_on_from_pieces_with_the_same_record) {
  for (const bool are_overlapping : {false, true}) {
    for (std::size_t cut = 0; cut <= 8; ++cut) {
      const auto feed = [](std::vector<SegmentsWindow*> windows, std::size_t from, std::size_t to) {
        for (std::size_t n = from; n < to; ++n) {
          const double t = 10.0 * static_cast<double>(n + 1);
          std::vector<double> values = {t * t, n == 4 ? -1.0 : std::sqrt(t), 1 / t};
          if (windows.size() == 1) {
            windows[0]->add(make_array(values, {3}), {10, t});
          } else {
            windows[0]->add(make_array({values[0], values[1]}, {2}), {10, t});
            windows[1]->add(make_array({values[2]}, {1}), {10, t});
          }
        }
      };
      SegmentsWindow whole = window(are_overlapping, 1, {3}), after = window(are_overlapping, 1, {3});
      SegmentsWindow left = window(are_overlapping, 1, {2}), right = window(are_overlapping, 1, {1});
      feed({&whole}, 0, 8);
      feed({&left, &right}, 0, cut);
      std::vector<WindowPiece> pieces;
      if (const auto state = left.state()) pieces.push_back({{{0}, {2}}, *state});
      if (const auto state = right.state()) pieces.push_back({{{2}, {1}}, *state});
      if (!pieces.empty()) after.restore({3}, pieces);
      feed({&after}, cut, 8);

      EXPECT_EQ(numbers(*record_of(whole)), numbers(*record_of(after))) << cut;
    }
  }
}

TEST(SegmentsWindow, refuses_pieces_of_other_forms_and_sizes) {
  SegmentsWindow one = window();
  add(one, {10, 20});
  const WindowState state = *one.state();

  WindowState other_form = state;
  other_form.form = "exact mean";
  EXPECT_THROW(window().restore({2}, {{{{0}, {2}}, other_form}}), TransportError);
  WindowState short_one = state;
  short_one.elements.resize(short_one.elements.size() - 16);
  short_one.element_bytes -= 8;
  EXPECT_THROW(window().restore({2}, {{{{0}, {2}}, short_one}}), TransportError);
  EXPECT_THROW(window().restore({3}, {{{{0}, {2}}, state}}), TransportError);
}

}  // namespace
}  // namespace pileus
