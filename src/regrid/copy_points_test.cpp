#include "regrid/copy_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "exec/seeded_random.h"

namespace pileus {
namespace {

/// Places of some points and of the elements of each, of which no two fall together. The points lie in any
/// order, or one behind the other.
struct RandomPlaces {
  RandomPlaces(SeededRandom& random, std::size_t points, std::size_t others) {
    std::vector<Index> rows, columns;
    const auto add = [&](std::size_t count, std::vector<Index>& all) {
      for (std::size_t i = 0; i < count; ++i) all.push_back(static_cast<Index>(2 * i + random.below(2)));
      for (std::size_t i = count; i > 1; --i) std::swap(all[i - 1], all[random.below(i)]);
    };
    add(points, rows);
    const auto first = static_cast<Index>(random.below(3));
    if (random.below(2) == 0)
      for (std::size_t i = 0; i < points; ++i) rows[i] = first + static_cast<Index>(i);
    add(others, columns);
    const bool points_are_fastest = random.below(2) == 0;
    const auto width = static_cast<Index>(2 * (points_are_fastest ? points + 1 : others));
    for (const Index row : rows) of_points.push_back(points_are_fastest ? row : row * width);
    for (const Index column : columns) of_others.push_back(points_are_fastest ? column * width : column);
    size = 4 * (points + 1) * others;
  }
  PointPlaces places() const { return {of_points, of_others}; }

  std::vector<Index> of_points, of_others;
  std::size_t size = 0;  ///< elements, with those that are at no place
};

template <class T>
class CopyPoints : public ::testing::Test {
 public:
  static constexpr ElementType kType = std::is_same_v<T, double>         ? ElementType::float64
                                       : std::is_same_v<T, float>        ? ElementType::float32
                                       : std::is_same_v<T, std::int32_t> ? ElementType::int32
                                       : std::is_same_v<T, std::int64_t> ? ElementType::int64
                                                                         : ElementType::boolean;
  /// Bytes that begin at an odd address.
  static std::vector<std::byte> unaligned(const std::vector<T>& values) {
    std::vector<std::byte> bytes(values.size() * sizeof(T) + 1);
    if (!values.empty()) std::memcpy(bytes.data() + 1, values.data(), values.size() * sizeof(T));
    return bytes;
  }
  static std::vector<T> random_values(SeededRandom& random, std::size_t count) {
    std::vector<T> values;
    for (std::size_t i = 0; i < count; ++i)
      values.push_back(static_cast<T>(static_cast<double>(random.below(1U << 20)) / 3 - 1e5));
    return values;
  }
  static std::vector<T> random_values_of(ElementType type, SeededRandom& random, std::size_t count) {
    if (type != ElementType::boolean) return random_values(random, count);
    std::vector<T> values;
    for (std::size_t i = 0; i < count; ++i) values.push_back(static_cast<T>(random.below(2)));
    return values;
  }
};
using Types = ::testing::Types<double, float, std::int32_t, std::int64_t, std::uint8_t>;
TYPED_TEST_SUITE(CopyPoints, Types);

TYPED_TEST(CopyPoints, moves_each_element_to_its_place_and_touches_no_other) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SeededRandom random(seed);
    const auto points = static_cast<std::size_t>(random.below(80));
    const auto others = static_cast<std::size_t>(1 + random.below(9));
    const RandomPlaces source(random, points, others), target(random, points, others);
    const auto from = this->random_values_of(this->kType, random, source.size);
    const auto bytes = this->unaligned(from);
    std::vector<double> doubles(target.size, -7), right_doubles = doubles;
    std::vector<TypeParam> same(target.size, TypeParam{9}), right_same = same;
    for (std::size_t i = 0; i < points; ++i) {
      for (std::size_t l = 0; l < others; ++l) {
        const auto at = static_cast<std::size_t>(source.of_points[i] + source.of_others[l]);
        const auto to = static_cast<std::size_t>(target.of_points[i] + target.of_others[l]);
        right_doubles[to] = static_cast<double>(from[at]);
        right_same[to] = from[at];
      }
    }

    copy_as_doubles(this->kType, bytes.data() + 1, source.places(), doubles.data(), target.places());
    copy_as_they_are(this->kType, bytes.data() + 1, source.places(),
                     reinterpret_cast<std::byte*>(same.data()), target.places());

    ASSERT_EQ(doubles, right_doubles);
    ASSERT_EQ(same, right_same);
  }
}

TEST(CopyPoints, keeps_the_bits_of_what_it_does_not_convert) {
  // A signalling NaN, which arithmetic would make a quiet one, and -0.
  const std::vector<std::uint64_t> bits = {0x7ff0000000000001U, 0x8000000000000000U};
  const std::vector<Index> points = {0, 1}, others = {0};
  std::vector<std::uint64_t> to(2);

  copy_as_they_are(ElementType::float64, reinterpret_cast<const std::byte*>(bits.data()), {points, others},
                   reinterpret_cast<std::byte*>(to.data()), {points, others});

  EXPECT_EQ(to, bits);
}

TEST(CopyPoints, makes_doubles_of_the_largest_numbers) {
  const std::vector<std::int64_t> large = {std::numeric_limits<std::int64_t>::min(), (1LL << 53) + 1};
  const std::vector<float> small = {std::numeric_limits<float>::denorm_min(), -0.0F};
  const std::vector<Index> points = {0, 1}, others = {0};
  std::vector<double> of_large(2), of_small(2);

  copy_as_doubles(ElementType::int64, reinterpret_cast<const std::byte*>(large.data()), {points, others},
                  of_large.data(), {points, others});
  copy_as_doubles(ElementType::float32, reinterpret_cast<const std::byte*>(small.data()), {points, others},
                  of_small.data(), {points, others});

  EXPECT_EQ(of_large, (std::vector<double>{-0x1p63, 0x1p53}));  // halves go to the even number
  EXPECT_EQ(of_small[0], 0x1p-149);
  EXPECT_TRUE(of_small[1] == 0 && std::signbit(of_small[1]));
}

}  // namespace
}  // namespace pileus
