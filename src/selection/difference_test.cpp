#include "selection/difference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "core/error.h"

namespace pileus {
namespace {

constexpr double kMissing = 9.9692099683868690e+36, kNan = std::numeric_limits<double>::quiet_NaN();

template <class Number>
std::span<const std::byte> bytes_of(const std::vector<Number>& values) {
  return std::as_bytes(std::span(values));
}

Difference between(const std::vector<double>& now, const std::vector<double>& before) {
  const std::vector<Index> box = {std::ssize(now)};
  return difference_of(bytes_of(now), bytes_of(before), ElementType::float64, box, box, kMissing);
}

TEST(DifferenceTest, parts_give_what_the_whole_gives_in_any_order) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  std::vector<double> now(5000), before(5000);
  for (std::size_t i = 0; i < now.size(); ++i) {
    before[i] = std::exp(20 * normal(random));
    now[i] = before[i] + normal(random);
  }
  const Difference whole = between(now, before);
  for (int trial = 0; trial < 20; ++trial) {
    const auto cut = static_cast<std::ptrdiff_t>(random() % 5001);
    Difference parts = between({now.begin() + cut, now.end()}, {before.begin() + cut, before.end()});
    parts += between({now.begin(), now.begin() + cut}, {before.begin(), before.begin() + cut});
    EXPECT_EQ(parts.squares.round(), whole.squares.round());
    EXPECT_EQ(parts.squares_before.round(), whole.squares_before.round());
    EXPECT_EQ(parts.largest, whole.largest);
    EXPECT_EQ(parts.count, 5000);
  }
}

TEST(DifferenceTest, a_limit_that_is_met_is_not_beyond) {
  const Difference of_two = between({1, 2, 3, 4}, {1, 2, 3, 6});  // squares: 4 of 4, rms 1
  EXPECT_FALSE(is_beyond(of_two, {false, false, 1}));
  EXPECT_TRUE(is_beyond(of_two, {false, false, std::nextafter(1, 0)}));
  EXPECT_FALSE(is_beyond(of_two, {true, false, 2}));
  EXPECT_TRUE(is_beyond(of_two, {true, false, std::nextafter(2, 0)}));
  EXPECT_FALSE(is_beyond(of_two, {true, true, 1 / 3.0}));
  EXPECT_TRUE(is_beyond(of_two, {true, true, 0.33}));
  EXPECT_FALSE(is_beyond(of_two, {false, true, 0.2829}));  // sqrt(4 / 50) is 0.28284
  EXPECT_TRUE(is_beyond(of_two, {false, true, 0.2828}));
  EXPECT_FALSE(is_beyond(between({1, 2}, {1, 2}), {false, false, 0}));
}

TEST(DifferenceTest, numbers_that_come_or_go_are_another_record) {
  const WriteIf wide = {false, false, 1e300};
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(is_beyond(between({1, kMissing}, {1, 2}), wide));
  EXPECT_TRUE(is_beyond(between({1, 2}, {1, kNan}), wide));
  EXPECT_TRUE(is_beyond(between({1, kMissing}, {1, kNan}), wide));
  EXPECT_TRUE(is_beyond(between({1, infinite}, {1, -infinite}), wide));
  EXPECT_FALSE(is_beyond(between({1, kNan, kMissing, infinite}, {1, kNan, kMissing, infinite}), wide));
  EXPECT_EQ(between({1, kNan, kMissing}, {1, kNan, kMissing}).count, 1);
  EXPECT_TRUE(is_beyond(between({1e200}, {-1e200}), wide));
}

TEST(DifferenceTest, what_lies_past_the_extents_is_no_element) {
  const std::vector<float> now = {1, 2, 0, 3, 4, 0}, before = {1, 2, 0, 3, 2, 0};
  const Difference found =
      difference_of(bytes_of(now), bytes_of(before), ElementType::float32, {3, 2}, {2, 9}, kMissing);
  EXPECT_EQ(found.count, 4);
  EXPECT_EQ(found.squares.round(), 4);
}

TEST(DifferenceTest, it_travels) {
  Difference sent = between({1e300, -3, 7}, {2, 1e-300, 7});
  sent.is_other = true;
  Bytes bytes;
  Encoder out(bytes);
  put(out, sent);
  Decoder in(bytes);
  const Difference back = get_difference(in);
  EXPECT_TRUE(back.squares == sent.squares && back.squares_before == sent.squares_before);
  EXPECT_EQ(back.largest, sent.largest);
  EXPECT_EQ(back.largest_before, 7);
  EXPECT_EQ(back.count, 3);
  EXPECT_TRUE(back.is_other);
  bytes.resize(bytes.size() - 3);
  Decoder cut(bytes);
  EXPECT_THROW(get_difference(cut), TransportError);
}

}  // namespace
}  // namespace pileus
