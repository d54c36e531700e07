// Every set of loops against a slow sum that shares no code with them: not one bit off.

#include "loops/sum_kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <string>

#include "loops/testing/every_kernel.h"
#include "loops/testing/random_values.h"
#include "math/block_fit.h"
#include "math/exact_sum.h"
#include "math/exact_sum_oracle.h"
#include "math/partial.h"

namespace pileus {
namespace {

using testing::below;
using testing::EveryKernel;
using testing::hard_values;
using testing::oracle_sum;
using testing::OracleSum;
using testing::Random;

std::uint64_t bits(double value) {
  return std::bit_cast<std::uint64_t>(std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value);
}

template <class T>
std::vector<std::byte> bytes_of(const T& value) {
  std::vector<std::byte> bytes;
  value.encode(bytes);
  return bytes;
}

std::string name_of(const ::testing::TestParamInfo<const detail::SumKernel*>& info) {
  return info.param->name;
}

TEST(BlockFit, takes_values_down_to_its_least_and_no_further) {
  for (const int folds : {1, 2, 4}) {
    for (int exponent = -1000; exponent <= 1003; ++exponent) {
      const detail::BlockFit fit{exponent, folds};
      const double largest = std::nextafter(fit.limit(), 0), least = fit.least();
      ASSERT_TRUE(fit.takes(largest, least)) << exponent << " " << folds;
      if (least == 0) continue;
      ASSERT_FALSE(fit.takes(largest, std::nextafter(least, 0))) << exponent << " " << folds;
      // 2^11 rests of 2^(e - 43 f) are 2^53 of the lowest unit of what comes after `least`.
      ASSERT_EQ(std::ldexp(1, exponent - detail::kFoldBits * folds) * detail::kBlock,
                0x1p53 * (std::nextafter(least, HUGE_VAL) - least))
          << exponent << " " << folds;
    }
  }
}

TEST_P(EveryKernel, blocks_whose_rests_are_more_than_doubles_hold_take_another_fold) {
  // Each value but one leaves 2^(e - 43 f) less its lowest unit after f folds: an odd number of units, which
  // sum up to 2^53 of them in the first case and to more in the second.
  for (const int exponent : {-600, 0, 600}) {
    for (const int folds : {1, 2, 4}) {
      for (const int beyond : {0, 1}) {
        const int left = exponent - detail::kFoldBits * folds, unit = left - 42 - beyond;
        const double value = std::ldexp(1, unit + 52) + (std::ldexp(1, left) - std::ldexp(1, unit));
        for (const std::size_t place : {std::size_t{0}, std::size_t{5}, detail::kBlock - 1}) {
          std::vector<double> values(detail::kBlock, value);
          values[place] = std::ldexp(0.75, exponent);
          ExactSum sum, one_by_one;

          sum.add(values);

          for (const double one : values) one_by_one.add(one);
          ASSERT_EQ(bytes_of(sum), bytes_of(one_by_one)) << exponent << " " << folds << " " << beyond;
        }
      }
    }
  }
}

TEST_P(EveryKernel, columns_whose_rests_are_more_than_doubles_hold_take_another_fold) {
  // As above with kBlockRows rows, which reach 2^53 units only 3 bits below the limit for blocks.
  for (const int beyond : {0, 1, 2, 3, 4, 5}) {
    const int left = -detail::kFoldBits, unit = left - 42 - beyond;
    const double value = std::ldexp(1, unit + 52) + (std::ldexp(1, left) - std::ldexp(1, unit));
    std::vector<double> table(detail::kBlockRows * detail::kStrip, value);
    std::fill_n(table.begin(), detail::kStrip, 0.75 / 8);  // from which the first block's exponent is guessed
    std::vector<ExactSum> columns(detail::kStrip);
    std::vector<ExactSum*> places;
    for (ExactSum& column : columns) places.push_back(&column);
    ExactSum one_by_one;

    ExactSum::add_columns(std::span<ExactSum* const>(places), table.data(), detail::kBlockRows,
                          static_cast<std::ptrdiff_t>(detail::kStrip));

    for (std::size_t r = 0; r < detail::kBlockRows; ++r) one_by_one.add(table[r * detail::kStrip]);
    for (const ExactSum& column : columns) ASSERT_EQ(bytes_of(column), bytes_of(one_by_one)) << beyond;
  }
}

INSTANTIATE_TEST_SUITE_P(Sums, EveryKernel, ::testing::ValuesIn(detail::sum_kernels()), name_of);

/// Values in a range that one, two, four folds or none can take, and what is special beside them.
std::vector<double> ranged_values(Random& random, std::size_t size) {
  const int spread[] = {0, 3, 14, 16, 17, 18, 30, 36, 38, 40, 60, 80, 82, 100, 200};
  const int center = static_cast<int>(below(random, 1900)) - 950;
  const int half_range = spread[below(random, std::size(spread))];
  const bool is_short = below(random, 3) == 0;
  const bool is_positive = below(random, 3) == 0;
  const bool is_large = below(random, 10) == 0;
  std::vector<double> values(size);
  for (double& value : values) {
    value = std::ldexp(testing::around_one(random, half_range), center);
    if (is_short) value = static_cast<double>(static_cast<float>(value));
    if (is_positive) value = std::fabs(value);
    if (is_large) value = std::ldexp(1 - 0x1p-53, center);  // together they come as far as a lane may
    if (below(random, 20) == 0) value = 0;
    if (!std::isfinite(value)) value = 1;
  }
  if (size > 0 && below(random, 8) == 0) values[below(random, size)] = testing::any_finite(random);
  if (size > 0 && below(random, 16) == 0)
    values[below(random, size)] = std::numeric_limits<double>::quiet_NaN();
  return values;
}

std::size_t some_size(Random& random) {
  const std::size_t around[] = {0, 1, 15, 16, 17, 31, 33, 2047, 2048, 2049, 4100};
  return below(random, 8) == 0 ? around[below(random, std::size(around))] : below(random, 400);
}

std::vector<double> some_values(Random& random) {
  const std::size_t size = some_size(random);
  return below(random, 2) == 0 ? hard_values(random, size) : ranged_values(random, size);
}

/// Adds the values along a path that chance chooses: in one piece, strided, as columns, one by one.
void add_somehow(Random& random, ExactSum& sum, std::span<const double> values) {
  const std::size_t stride = 1 + below(random, 20);
  switch (below(random, 4)) {
    case 0: return sum.add(values);
    case 1:
      for (const double value : values) sum.add(value);
      return;
    case 2: {
      std::vector<double> spread(values.size() * stride + 1, 1e9);
      for (std::size_t i = 0; i < values.size(); ++i) spread[i * stride] = values[i];
      return sum.add_strided(spread.data(), values.size(), static_cast<std::ptrdiff_t>(stride));
    }
    default: {  // one of several columns; the others are as hard
      std::vector<double> table = hard_values(random, values.size() * stride);
      const std::size_t column = below(random, stride);
      for (std::size_t i = 0; i < values.size(); ++i) table[i * stride + column] = values[i];
      std::vector<ExactSum> others(stride);
      std::vector<ExactSum*> sums;
      for (std::size_t c = 0; c < stride; ++c) sums.push_back(c == column ? &sum : &others[c]);
      ExactSum::add_columns(std::span<ExactSum* const>(sums), table.data(), values.size(),
                            static_cast<std::ptrdiff_t>(stride));
    }
  }
}

TEST_P(EveryKernel, sums_of_ten_thousand_arrays_are_those_of_the_oracle) {
  Random random(1);
  for (int i = 0; i < 10'000; ++i) {
    const std::vector<double> values = some_values(random);
    ExactSum sum;

    sum.add(values);

    ASSERT_EQ(bits(sum.round()), bits(oracle_sum(values))) << "array " << i;
  }
}

TEST_P(EveryKernel, blocks_that_come_as_far_as_the_units_reach_are_exact) {
  // All positive and just below 2^e, so that the sums come as high as they can; the rests too, for the bits
  // below 2^(e-43) are all set but some. One smaller value has its lowest bit at, above or below the place to
  // which a number of folds reaches: 2^(e-85), 2^(e-128), 2^(e-214).
  Random random(7);
  for (const int exponent : {-700, 0, 1, 700, 999}) {
    for (const int reach : {85, 128, 214}) {
      for (int beyond = -8; beyond <= 8; ++beyond) {
        std::vector<double> values(2048);
        for (double& value : values) {
          const std::uint64_t ending = random() & 0x3FFF;  // of 53 bits; 10 of them below 2^(e-43)
          value =
              std::ldexp(static_cast<double>((std::uint64_t{1} << 53) - 1 - (ending << 10)), exponent - 53);
        }
        const int lowest = exponent - reach - beyond;
        values[below(random, 2048)] = std::ldexp(static_cast<double>((std::uint64_t{1} << 52) + 1), lowest);
        std::vector<double> table(256 * 16);
        for (std::size_t i = 0; i < table.size(); ++i) table[i] = values[i % 2 == 0 ? i / 2 : 2047 - i / 2];
        std::vector<ExactSum> columns(16);
        std::vector<ExactSum*> places;
        for (ExactSum& column : columns) places.push_back(&column);
        std::vector<OracleSum> expected(16);
        for (std::size_t i = 0; i < table.size(); ++i) expected[i % 16].add(table[i]);
        ExactSum sum;

        sum.add(values);
        ExactSum::add_columns(std::span<ExactSum* const>(places), table.data(), 256, 16);

        ASSERT_EQ(bits(sum.round()), bits(oracle_sum(values))) << exponent << " " << reach << " " << beyond;
        // The rest that is left after the rounded sum has been taken away shows the last bits.
        ExactSum one_by_one;
        for (const double value : values) one_by_one.add(value);
        ASSERT_EQ(bytes_of(sum), bytes_of(one_by_one)) << exponent << " " << reach << " " << beyond;
        for (std::size_t c = 0; c < 16; ++c) {
          ExactSum column;
          for (std::size_t i = c; i < table.size(); i += 16) column.add(table[i]);
          ASSERT_EQ(bytes_of(columns[c]), bytes_of(column)) << exponent << " " << reach << " " << beyond;
          ASSERT_EQ(bits(columns[c].round()), bits(expected[c].round()));
        }
      }
    }
  }
}

TEST_P(EveryKernel, any_split_path_and_order_of_merging_gives_the_same_bytes) {
  Random random(2);
  for (int i = 0; i < 2000; ++i) {
    std::vector<double> values = some_values(random);
    ExactSum one_by_one;
    for (const double value : values) one_by_one.add(value);

    std::shuffle(values.begin(), values.end(), random);
    std::vector<ExactSum> parts(1);
    for (std::span<const double> rest = values; !rest.empty();) {
      const std::size_t size = 1 + below(random, rest.size());
      add_somehow(random, parts.emplace_back(), rest.first(size));
      rest = rest.subspan(size);
    }
    while (parts.size() > 1) {
      std::swap(parts[below(random, parts.size())], parts.back());
      const ExactSum last = parts.back();
      parts.pop_back();
      parts[below(random, parts.size())].merge(last);
    }

    ASSERT_EQ(bytes_of(parts[0]), bytes_of(one_by_one)) << "array " << i;
    ASSERT_EQ(bits(parts[0].round()), bits(oracle_sum(values))) << "array " << i;
  }
}

TEST_P(EveryKernel, columns_are_those_of_the_oracle) {
  Random random(3);
  for (int i = 0; i < 400; ++i) {
    const std::size_t columns = 1 + below(random, 40);
    const std::size_t rows = below(random, 3) == 0 ? 250 + below(random, 300) : below(random, 40);
    const std::size_t stride = columns + below(random, 3);
    // Each column has its own range, as levels of a model have.
    std::vector<double> table(rows * stride + columns, 7.0);
    std::vector<double> expected;
    for (std::size_t c = 0; c < columns; ++c) {
      const std::vector<double> column =
          below(random, 4) == 0 ? hard_values(random, rows) : ranged_values(random, rows);
      for (std::size_t r = 0; r < rows; ++r) table[r * stride + c] = column[r];
      expected.push_back(oracle_sum(column));
    }
    std::vector<ExactSum> sums(columns);
    std::vector<ExactSum*> places;
    for (ExactSum& sum : sums) places.push_back(&sum);

    ExactSum::add_columns(std::span<ExactSum* const>(places), table.data(), rows,
                          static_cast<std::ptrdiff_t>(stride));

    for (std::size_t c = 0; c < columns; ++c) {
      ASSERT_EQ(bits(sums[c].round()), bits(expected[c])) << "table " << i << ", column " << c;
    }
  }
}

/// All of a strip fit, or nearly; later blocks of rows may be too small for two doubles with the first.
TEST_P(EveryKernel, columns_that_are_alike_are_those_of_the_oracle) {
  Random random(7);
  constexpr std::size_t kColumns = 20, kRows = 5 * detail::kBlockRows;
  for (const int spread : {3, 14, 16, 20, 24, 28}) {
    for (const int drift : {0, 0, 60, 100}) {
      std::vector<double> table(kRows * kColumns);
      std::vector<std::vector<double>> columns(kColumns);
      for (std::size_t i = 0; i < table.size(); ++i) {
        const std::size_t row = i / kColumns;
        const double scale = row < detail::kBlockRows ? 1 : std::ldexp(1, -drift);
        table[i] = testing::around_one(random, spread) * scale;
        columns[i % kColumns].push_back(table[i]);
      }
      std::vector<ExactSum> sums(kColumns), singles(kColumns);
      std::vector<ExactSum*> places;
      for (ExactSum& sum : sums) places.push_back(&sum);

      ExactSum::add_columns(std::span<ExactSum* const>(places), table.data(), kRows, kColumns);

      for (std::size_t c = 0; c < kColumns; ++c) {
        for (const double value : columns[c]) singles[c].add(value);
        ASSERT_EQ(bits(sums[c].round()), bits(oracle_sum(columns[c]))) << spread << ", " << drift;
        ASSERT_EQ(bytes_of(sums[c]), bytes_of(singles[c])) << spread << ", " << drift;
      }
    }
  }
}

/// The same values of another type, on all paths of Partial.
template <class T>
void check_integers(const std::vector<T>& values, int turn) {
  OracleSum oracle;
  for (const T value : values) oracle.add_integer(value);
  Partial row(Reduction::sum);
  std::vector<Partial> columns(2, Partial(Reduction::sum));
  std::vector<T> twice;
  for (const T value : values) twice.insert(twice.end(), {value, value});

  row.add(std::span<const T>(values));
  Partial::add_columns<T>(columns, twice.data(), values.size(), 2);

  ASSERT_EQ(bits(row.value()), bits(oracle.round())) << turn;
  ASSERT_EQ(bytes_of(columns[0]), bytes_of(row)) << turn;
  ASSERT_EQ(bytes_of(columns[1]), bytes_of(row)) << turn;
}

TEST_P(EveryKernel, sums_of_integers_are_exact_beyond_2_to_the_53) {
  Random random(4);
  for (int i = 0; i < 500; ++i) {
    const std::size_t size = some_size(random);
    std::vector<std::int64_t> wide;
    std::vector<std::int32_t> narrow;
    std::vector<std::int8_t> bytes;
    for (std::size_t k = 0; k < size; ++k) {
      const std::uint64_t word = random() >> below(random, 64);
      wide.push_back(static_cast<std::int64_t>(word) * (below(random, 2) == 0 ? 1 : -1));
      narrow.push_back(static_cast<std::int32_t>(word));
      bytes.push_back(static_cast<std::int8_t>(word & 1));
    }
    if (size > 1) wide[size / 2] = std::numeric_limits<std::int64_t>::min();

    check_integers(wide, i);
    check_integers(narrow, i);
    check_integers(bytes, i);
  }
}

TEST_P(EveryKernel, floats_are_summed_as_what_they_are) {
  Random random(5);
  for (int i = 0; i < 500; ++i) {
    std::vector<float> floats;
    for (const double value : some_values(random)) floats.push_back(static_cast<float>(value));
    const std::vector<double> values(floats.begin(), floats.end());
    ExactSum sum;

    sum.add(std::span<const float>(floats));

    ASSERT_EQ(bits(sum.round()), bits(oracle_sum(values))) << "array " << i;
  }
}

TEST_P(EveryKernel, one_nan_or_infinity_is_seen_at_every_place) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double special : {std::numeric_limits<double>::quiet_NaN(), kInfinity, -kInfinity}) {
    for (std::size_t place = 0; place < 320; ++place) {
      std::vector<double> values(320, place % 2 == 0 ? 1.5 : 1e-200);
      values[place] = special;
      ExactSum sum;
      std::vector<ExactSum> columns(16);
      std::vector<ExactSum*> places;
      for (ExactSum& column : columns) places.push_back(&column);

      sum.add(values);
      ExactSum::add_columns(std::span<ExactSum* const>(places), values.data(), 20, 16);

      ASSERT_EQ(bits(sum.round()), bits(special)) << place;
      ASSERT_EQ(bits(columns[place % 16].round()), bits(special)) << place;
      ASSERT_TRUE(columns[(place + 1) % 16].is_finite()) << place;
    }
  }
}

TEST_P(EveryKernel, extrema_and_missing_values_are_those_of_single_values) {
  Random random(6);
  for (int i = 0; i < 400; ++i) {
    const auto reduction = static_cast<Reduction>(i % 4);
    const std::size_t columns = 1 + below(random, 20);
    const std::size_t rows = below(random, 300);
    std::vector<double> table = hard_values(random, columns * rows);
    for (double& value : table) {
      if (below(random, 5) == 0) value = -999;
    }
    const std::optional<double> missing = i % 3 == 0 ? std::nullopt : std::optional<double>(-999);
    std::vector<Partial> expected(columns, Partial(reduction));
    Partial all(reduction);
    for (std::size_t k = 0; k < table.size(); ++k) {
      if (missing && table[k] == *missing) continue;
      expected[k % columns].add(table[k]);
      all.add(table[k]);
    }
    std::vector<Partial> sums(columns, Partial(reduction));
    Partial whole(reduction);

    Partial::add_columns<double>(sums, table.data(), rows, static_cast<std::ptrdiff_t>(columns), missing);
    missing ? whole.add_present(std::span<const double>(table), *missing) : whole.add(table);

    ASSERT_EQ(bytes_of(whole), bytes_of(all)) << "table " << i;
    for (std::size_t c = 0; c < columns; ++c)
      ASSERT_EQ(bytes_of(sums[c]), bytes_of(expected[c])) << "table " << i;
  }
}

}  // namespace
}  // namespace pileus
