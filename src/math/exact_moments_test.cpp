// Sums of products in pieces against those of whole products, with every set of loops: not one bit off.

#include "math/exact_moments.h"

#include <gtest/gtest.h>

#include <limits>

#include "loops/sum_kernel.h"
#include "loops/testing/every_kernel.h"
#include "loops/testing/random_values.h"
#include "math/partial.h"

namespace pileus {
namespace {

using detail::kPieceBlock;
using testing::below;
using testing::EveryKernel;
using testing::Random;
using Values = std::vector<double>;

constexpr int kTurns = 4000;

template <class T>
std::vector<std::byte> bytes_of(const T& value) {
  std::vector<std::byte> bytes;
  value.encode(bytes);
  return bytes;
}

class ExactMoments : public EveryKernel {};

INSTANTIATE_TEST_SUITE_P(Sums, ExactMoments, ::testing::ValuesIn(detail::sum_kernels()),
                         [](const auto& info) { return std::string(info.param->name); });

/// Just as different in size as three or four pieces hold, or a little more; often as large as they may be.
Values values_of_pieces(Random& random, std::size_t size) {
  if (below(random, 8) == 0) return testing::hard_values(random, size);
  const int ranges[] = {0, 1, 5, 12, 13, 14, 15, 33, 34, 35, 36, 37};
  const int range = ranges[below(random, std::size(ranges))];
  const int highest = static_cast<int>(below(random, 1000)) - 500;
  const bool are_largest = below(random, 4) == 0, are_odd = below(random, 2) == 0;
  Values values(size);
  for (double& value : values) {
    const auto odd = std::uint64_t{are_odd};
    const std::uint64_t mantissa = random() >> 11 | std::uint64_t{1} << 52 | odd;
    const int exponent =
        highest - (are_largest ? 0 : static_cast<int>(below(random, range + std::size_t{1})));
    value = std::ldexp(are_largest ? 0x1p53 - 1 : static_cast<double>(mantissa), exponent - 53);
    if (below(random, 2) == 0) value = -value;
    if (below(random, 30) == 0) value = below(random, 2) == 0 ? 0.0 : -0.0;
    if (are_largest && below(random, 30) == 0) value = std::ldexp(value, -range);
  }
  if (are_largest && below(random, 2) == 0)
    for (double& value : values) value = std::fabs(value);
  return values;
}

std::size_t some_size(Random& random) {
  const std::size_t sizes[] = {1, 2, 7, 8, 9, 15, 16, 17, kPieceBlock - 1, kPieceBlock};
  return below(random, 2) == 0 ? sizes[below(random, std::size(sizes))] : 1 + below(random, 100);
}

struct Sums {
  ExactSum x, y;
  ExactProducts products;
  std::vector<std::byte> bytes() const {
    std::vector<std::byte> bytes;
    x.encode(bytes);
    y.encode(bytes);
    products.encode(bytes);
    return bytes;
  }
};

Sums expected(const Values& x, const Values& y) {
  Sums sums;
  for (const double value : x) sums.x.add(value);
  for (const double value : y) sums.y.add(value);
  sums.products.add(x, y.empty() ? x : y);
  return sums;
}

TEST_P(ExactMoments, of_squares_and_pairs_are_those_of_whole_products) {
  Random random(1);
  int added = 0;
  for (int turn = 0; turn < kTurns; ++turn) {
    const std::size_t size = some_size(random), shift = below(random, 3);
    const Values padded = values_of_pieces(random, size + shift);
    const Values x(padded.begin() + static_cast<std::ptrdiff_t>(shift), padded.end());
    const Values y = below(random, 2) == 0 ? Values() : values_of_pieces(random, size);
    Sums sums;
    const bool is_added =
        detail::add_moments(std::span(padded).subspan(shift), y, {&sums.x, &sums.y, &sums.products});

    ASSERT_EQ(sums.bytes(), is_added ? expected(x, y).bytes() : Sums().bytes()) << "turn " << turn;
    added += is_added ? 1 : 0;
  }
  EXPECT_GT(added, kTurns / 3);
  EXPECT_LT(added, kTurns);
}

TEST_P(ExactMoments, of_columns_are_those_of_each) {
  Random random(2);
  for (int turn = 0; turn < kTurns / 20; ++turn) {
    const std::size_t columns = detail::kStrip + below(random, 40),
                      rows = some_size(random) + below(random, 600);
    const std::size_t stride = columns + below(random, 3);
    Values values(rows * stride);
    std::vector<Partial> expected(columns, Partial(Reduction::variance));
    for (std::size_t c = 0; c < columns; ++c) {
      const Values column = values_of_pieces(random, rows);
      for (std::size_t r = 0; r < rows; ++r) {
        values[r * stride + c] = column[r];
        expected[c].add(std::span(&column[r], 1));
      }
    }
    std::vector<Partial> partials(columns, Partial(Reduction::variance));
    Partial::add_columns(std::span(partials), values.data(), rows, static_cast<std::ptrdiff_t>(stride));

    for (std::size_t c = 0; c < columns; ++c)
      ASSERT_EQ(bytes_of(partials[c]), bytes_of(expected[c])) << "turn " << turn << ", column " << c;
  }
}

TEST_P(ExactMoments, nothing_is_added_of_values_that_do_not_fit) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double kNan = std::numeric_limits<double>::quiet_NaN();
  for (const double value : {kNan, -kNan, kInfinity, -kInfinity, 0x1p480, 0x1p-1074, 0x1p-40}) {
    for (std::size_t place = 0; place < 20; ++place) {
      Values values(20, 1 + 0x1p-52);
      values[place] = value;
      Sums sums;
      ASSERT_FALSE(detail::add_moments(values, {}, {&sums.x, &sums.y, &sums.products})) << value;
      ASSERT_FALSE(detail::add_moments(Values(20, 1.0), values, {&sums.x, &sums.y, &sums.products}));
      ASSERT_EQ(sums.bytes(), Sums().bytes());
    }
  }
}

}  // namespace
}  // namespace pileus
