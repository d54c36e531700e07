#include "client/gather.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <cstring>
#include <numeric>
#include <random>

namespace pileus {
namespace {

/// An array on points, as a test describes it.
struct Case {
  std::vector<Index> counts, strides;  ///< of the array; bytes
  PointDimensions along = 0;
  std::vector<Index> indices;  ///< of the points, by local element
  bool is_along(std::size_t d) const { return (along >> d & 1) != 0; }
  Extents counts_along() const {
    Extents found;
    for (std::size_t d = 0; d < counts.size(); ++d)
      if (is_along(d)) found.push_back(counts[d]);
    return found;
  }
};

/// Copies in the obvious way: each element of the array to where its indices say.
template <class From, class To>
std::vector<To> naive(const std::byte* first, const Case& given) {
  std::vector<Index> rising;
  for (const Index index : given.indices)
    if (index >= 0) rising.push_back(index);
  std::sort(rising.begin(), rising.end());
  const auto n = static_cast<Index>(rising.size());
  const auto first_along = static_cast<std::size_t>(std::countr_zero(given.along));
  Index before = 1, behind = 1, total = 1;
  for (std::size_t d = 0; d < given.counts.size(); ++d) {
    if (!given.is_along(d)) (d < first_along ? before : behind) *= given.counts[d];
    total *= given.counts[d];
  }
  std::vector<To> out(static_cast<std::size_t>(before * n * behind));
  for (Index i = 0; i < total; ++i) {
    Index left = i, distance = 0, element = 0, row = 1, at_before = 0, at_behind = 0;
    Index size_before = 1, size_behind = 1;
    for (std::size_t d = 0; d < given.counts.size(); ++d) {
      const Index at = left % given.counts[d];
      left /= given.counts[d];
      distance += at * given.strides[d];
      Index& place = given.is_along(d) ? element : d < first_along ? at_before : at_behind;
      Index& size = given.is_along(d) ? row : d < first_along ? size_before : size_behind;
      place += at * size;
      size *= given.counts[d];
    }
    const Index index = given.indices[static_cast<std::size_t>(element)];
    if (index < 0) continue;
    const Index point = std::lower_bound(rising.begin(), rising.end(), index) - rising.begin();
    From value;
    std::memcpy(&value, first + distance, sizeof value);
    out[static_cast<std::size_t>((at_behind * n + point) * before + at_before)] = static_cast<To>(value);
  }
  return out;
}

template <class T>
constexpr ElementType kTypeOf = std::is_same_v<T, double>         ? ElementType::float64
                                : std::is_same_v<T, float>        ? ElementType::float32
                                : std::is_same_v<T, std::int32_t> ? ElementType::int32
                                                                  : ElementType::int64;

void gather(const StridedArray& array, const Case& given, ElementType type, void* out) {
  const HeldPoints points = hold_points("", INT64_MAX, given.counts_along(), given.indices.data());
  Gathering(array, points, given.along).copy(type, static_cast<std::byte*>(out));
}

template <class From, class To>
void expect_equal_to_naive(const std::byte* first, const Case& given) {
  const std::vector<To> expected = naive<From, To>(first, given);
  std::vector<To> result(expected.size() + 1);
  const To behind = result.back() = 77;

  gather({first, kTypeOf<From>, given.counts, given.strides}, given, kTypeOf<To>, result.data());

  for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(result[i], expected[i]) << i;
  ASSERT_EQ(result.back(), behind) << "behind the copy";
}

using Random = std::mt19937_64;

Index pick(Random& random, Index low, Index high) {
  return low + static_cast<Index>(random() % static_cast<std::uint64_t>(high - low + 1));
}

/// In runs, in some order, the other way round, or dealt at random; with holes, or without.
std::vector<Index> random_indices(Random& random, Index elements) {
  std::vector<Index> indices(static_cast<std::size_t>(elements));
  Index next = pick(random, 0, 5);
  for (Index& index : indices) index = next += random() % 8 == 0 ? pick(random, 2, 90) : 1;
  switch (random() % 4) {
    case 0: std::reverse(indices.begin(), indices.end()); break;
    case 1: std::shuffle(indices.begin(), indices.end(), random); break;
    case 2: std::rotate(indices.begin(), indices.begin() + elements / 2, indices.end()); break;
    default: break;
  }
  const std::uint64_t holes = random() % 3;
  for (Index& index : indices)
    if (holes > 0 && random() % (holes * 9) == 0) index = -1;
  return indices;
}

/// Up to three dimensions of points among up to three others, padded, stepped, reversed and permuted. Returns
/// the distance of the first element in bytes; `extent` gets how many bytes the array spans.
Index random_case(Random& random, Index element_bytes, Case& given, Index& extent) {
  given = {};
  const auto rank = static_cast<std::size_t>(pick(random, 1, 6));
  Index elements = 1;
  for (std::size_t d = 0, found = 0; d < rank; ++d) {
    const bool is_along = found < 3 && (random() % 2 == 0 || (d + 1 == rank && found == 0));
    if (is_along) given.along |= 1U << d, ++found;
    const bool is_long = is_along && elements < 100 && random() % 2 == 0;
    given.counts.push_back(is_long ? pick(random, 20, 400) : pick(random, random() % 20 == 0 ? 0 : 1, 5));
    if (is_along) elements *= given.counts.back();
  }
  given.indices = random_indices(random, elements);
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  if (random() % 2 == 0) std::shuffle(order.begin(), order.end(), random);
  given.strides.resize(rank);
  Index first = 0;
  extent = element_bytes;
  const bool is_dense = random() % 3 == 0;
  for (const std::size_t d : order) {
    const Index step = is_dense ? 1 : pick(random, 1, 2), padding = is_dense ? 0 : pick(random, 0, 2);
    const bool is_reversed = !is_dense && random() % 4 == 0;
    given.strides[d] = (is_reversed ? -1 : 1) * extent * step;
    if (is_reversed && given.counts[d] > 0) first += extent * step * (given.counts[d] - 1);
    extent *= std::max<Index>(1, given.counts[d] * step) + padding;
  }
  return first;
}

template <class From, class To>
void try_random_cases(Random& random) {
  std::vector<std::byte> memory(1 << 22);
  auto* values = reinterpret_cast<From*>(memory.data());
  for (std::size_t i = 0; i < memory.size() / sizeof(From); ++i)
    values[i] = static_cast<From>(static_cast<double>(i * 7 % 100'003) - 5e4);
  int tried = 0;
  for (int trial = 0; trial < 300; ++trial) {
    Case given;
    Index extent = 0;
    const Index first = random_case(random, sizeof(From), given, extent);
    if (static_cast<std::size_t>(extent) > memory.size()) continue;
    expect_equal_to_naive<From, To>(memory.data() + first, given);
    ++tried;
  }
  EXPECT_GT(tried, 250);
}

TEST(Gather, equals_the_naive_loop_for_random_points_and_arrays_and_all_conversions) {
  Random random(1);
  try_random_cases<double, double>(random);
  try_random_cases<double, float>(random);
  try_random_cases<float, float>(random);
  try_random_cases<float, double>(random);
  try_random_cases<std::int32_t, double>(random);
  try_random_cases<std::int32_t, float>(random);
  try_random_cases<std::int32_t, std::int32_t>(random);
  try_random_cases<std::int32_t, std::int64_t>(random);
  try_random_cases<std::int64_t, double>(random);
  try_random_cases<std::int64_t, float>(random);
  try_random_cases<std::int64_t, std::int64_t>(random);
}

TEST(Gather, takes_blocks_whose_last_one_is_part_filled) {
  // Two blocks of three points, with two levels: (point, level, block). The domain has five points, of which
  // the first block holds 4, 0 and 2 and the second 1 and 3.
  const std::vector<double> blocks = {40, 0, 20, 41, 1, 21, 10, 30, -1, 11, 31, -1};
  const Case given{{3, 2, 2}, {8, 24, 48}, 0b101, {4, 0, 2, 1, 3, -1}};
  std::vector<float> out(10);

  gather({reinterpret_cast<const std::byte*>(blocks.data()), ElementType::float64, given.counts, {}}, given,
         ElementType::float32, out.data());

  EXPECT_EQ(out, (std::vector<float>{0, 10, 20, 30, 40, 1, 11, 21, 31, 41}));
}

TEST(Gather, puts_levels_that_lie_before_the_points_before_them) {
  const std::vector<std::int32_t> columns = {50, 51, 52, 10, 11, 12, 30, 31, 32};
  const Case given{{3, 3}, {4, 12}, 0b10, {5, 1, 3}};
  std::vector<std::int32_t> out(9);

  gather({reinterpret_cast<const std::byte*>(columns.data()), ElementType::int32, given.counts, {}}, given,
         ElementType::int32, out.data());

  EXPECT_EQ(out, (std::vector<std::int32_t>{10, 11, 12, 30, 31, 32, 50, 51, 52}));
}

TEST(Gather, reads_levels_that_are_nearer_than_points_in_tiles_of_long_runs) {
  // Level by level in the copy, point by point in memory; more points than a tile has.
  constexpr Index kPoints = 1000, kLevels = 3;
  std::vector<double> columns(kPoints * kLevels);
  std::iota(columns.begin(), columns.end(), 0);
  for (const bool is_in_order : {true, false}) {
    Case given{{kPoints, kLevels}, {8 * kLevels, 8}, 0b01, std::vector<Index>(kPoints)};
    std::iota(given.indices.begin(), given.indices.end(), 0);
    if (!is_in_order) std::reverse(given.indices.begin(), given.indices.end());
    expect_equal_to_naive<double, double>(reinterpret_cast<const std::byte*>(columns.data()), given);
  }
}

TEST(Gather, touches_nothing_where_there_is_no_point_or_no_level) {
  std::byte out{7};
  const Case none{{4, 2}, {8, 32}, 0b01, {-1, -1, -1, -1}};
  const Case no_level{{0, 2}, {8, 0}, 0b10, {0, 1}};
  for (const Case& given : {none, no_level})
    gather({nullptr, ElementType::float64, given.counts, {}}, given, ElementType::float32, &out);

  EXPECT_EQ(out, std::byte{7});
}

TEST(Gather, rounds_to_nearest_whatever_the_model_has_set) {
  const double values[] = {-1 - 0x1p-30, 1 + 0x1p-30};
  const Case given{{2}, {8}, 0b1, {1, 0}};
  float out[2] = {};
  std::fesetround(FE_UPWARD);

  gather({reinterpret_cast<const std::byte*>(values), ElementType::float64, given.counts, {}}, given,
         ElementType::float32, out);

  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(out[0], 1.0F);
  EXPECT_EQ(out[1], -1.0F);
}

TEST(Gather, makes_every_byte_but_0_true) {
  const std::int32_t logicals[] = {1, 0, -1};  // as Fortran compilers have them
  const Case given{{3}, {4}, 0b1, {2, 1, 0}};
  std::uint8_t out[3] = {};

  gather({reinterpret_cast<const std::byte*>(logicals), ElementType::boolean, given.counts, given.strides},
         given, ElementType::boolean, out);

  EXPECT_EQ(std::vector<std::uint8_t>(out, out + 3), (std::vector<std::uint8_t>{1, 0, 1}));
}

TEST(Gather, reads_an_array_that_is_not_aligned) {
  std::byte memory[25] = {};
  const double values[3] = {1, -2, 3};
  std::memcpy(memory + 1, values, sizeof values);
  const Case given{{3}, {8}, 0b1, {0, 2, 1}};
  double out[3] = {};

  gather({memory + 1, ElementType::float64, given.counts, {}}, given, ElementType::float64, out);

  EXPECT_EQ(std::vector<double>(out, out + 3), (std::vector<double>{1, 3, -2}));
}

}  // namespace
}  // namespace pileus
