// The loops of columns give what exact sums and single operations give, in every set, whatever the numbers.

#include "loops/column_loops.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <string>

#include "loops/ordinary_products.h"
#include "loops/pair.h"
#include "loops/sum_kernel.h"
#include "loops/testing/every_kernel.h"
#include "loops/testing/random_values.h"
#include "math/exact_number.h"
#include "math/exact_sum.h"

namespace pileus::detail {
namespace {

using testing::below;
using testing::Random;

constexpr std::size_t kMostParts = 4;
constexpr double kTooLarge = 0x1p1000;

struct Columns {
  Columns(Random& random, std::size_t size, std::size_t part_count, int spread) {
    for (std::size_t p = 0; p < part_count; ++p) {
      parts.emplace_back(size);
      for (double& value : parts.back())
        value = below(random, 4) == 0 ? 0 : testing::around_one(random, spread);
    }
  }

  ExactSum sum(std::size_t i) const {
    ExactSum sum;
    for (const std::vector<double>& part : parts) sum.add(part[i]);
    return sum;
  }
  std::array<double*, kMostParts> pointers() {
    std::array<double*, kMostParts> all{};
    for (std::size_t p = 0; p < parts.size(); ++p) all[p] = parts[p].data();
    return all;
  }

  std::vector<std::vector<double>> parts;
};

class EveryColumnSet : public testing::EveryKernel {};

TEST_P(EveryColumnSet, has_its_name) { EXPECT_STREQ(column_loops().name, GetParam()->name); }

TEST_P(EveryColumnSet, adds_without_error_and_says_what_is_left) {
  Random random(41);
  bool was_rest = false, was_none = false;
  for (int round = 0; round < 600; ++round) {
    const std::size_t size = below(random, 70), part_count = 1 + below(random, kMostParts);
    Columns columns(random, size, part_count, 1 + static_cast<int>(below(random, 200)));
    const Columns before = columns;
    const double weight = below(random, 2) == 0 ? 1 : testing::around_one(random, 3);
    const Columns added(random, size, 1, below(random, 2) == 0 ? 0 : 60);
    std::vector<double> rest(size, 7);
    const ColumnsAdded answer = column_loops().add(weight, added.parts[0].data(), columns.pointers().data(),
                                                   part_count, rest.data(), size);
    bool is_rest = false;
    for (std::size_t i = 0; i < size; ++i) {
      ExactSum expected = before.sum(i), sum = columns.sum(i);
      expected.add(weight * added.parts[0][i]);
      sum.add(rest[i]);
      ASSERT_TRUE(sum == expected) << i << " of " << size;
      is_rest = is_rest || rest[i] != 0;
    }
    EXPECT_EQ(answer.has_rest, is_rest);
    EXPECT_FALSE(answer.is_large);
    (is_rest ? was_rest : was_none) = true;
  }
  EXPECT_TRUE(was_rest && was_none);
}

TEST_P(EveryColumnSet, says_which_sums_have_grown_too_large) {
  for (const double added : {0x1p999, -0x1p999, 0x1p1000, 0x1p998}) {
    for (std::size_t place = 0; place < 13; ++place) {
      std::vector<double> sums(13, 1), values(13, 1), rest(13);
      sums[place] = added < 0 ? -0x1p999 : 0x1p999;
      values[place] = added;
      double* parts[] = {sums.data()};
      const bool is_large = std::fabs(sums[place] + added) >= kTooLarge;
      EXPECT_EQ(column_loops().add(1, values.data(), parts, 1, rest.data(), 13).is_large, is_large) << added;
    }
  }
}

TEST_P(EveryColumnSet, sees_single_values_that_are_not_small_or_not_ordinary) {
  constexpr double kValues[] = {0.0,
                                -0.0,
                                1,
                                0x1p-800,
                                -0x1.0000000000001p-800,
                                0x1p900,
                                -0x1p900,
                                0x1p999,
                                -0x1p1000,
                                0x1.fffffffffffffp899,
                                0x1p-1074,
                                INFINITY,
                                -INFINITY,
                                NAN,
                                -NAN,
                                0x1.fffffffffffffp999};
  for (const double value : kValues) {
    for (std::size_t place = 0; place < 19; ++place) {
      std::vector<double> values(19, 3);
      values[place] = value;
      EXPECT_EQ(column_loops().are_small(values.data(), 19), std::fabs(value) < kTooLarge) << value;
      EXPECT_EQ(column_loops().are_ordinary(values.data(), 19), are_ordinary_values(values.data(), 19))
          << value;
    }
  }
}

TEST_P(EveryColumnSet, gives_the_errors_of_products) {
  Random random(43);
  for (int round = 0; round < 200; ++round) {
    const Columns values(random, below(random, 70), 1, 300);
    const std::vector<double>& numbers = values.parts[0];
    const double weight = testing::around_one(random, 90);
    std::vector<double> errors(numbers.size());
    column_loops().product_errors(weight, numbers.data(), errors.data(), errors.size());
    for (std::size_t i = 0; i < numbers.size(); ++i)
      ASSERT_EQ(errors[i], std::fma(weight, numbers[i], -(weight * numbers[i])));
  }
}

TEST_P(EveryColumnSet, divides_correctly_or_not_at_all) {
  Random random(47);
  std::size_t known = 0, all = 0;
  for (int round = 0; round < 400; ++round) {
    const std::size_t size = below(random, 40), part_count = 1 + below(random, kMostParts);
    Columns columns(random, size, part_count, static_cast<int>(below(random, 90)));
    const double high = below(random, 3) == 0 ? 10 : testing::around_one(random, 20);
    ColumnDivisor divisor{high, below(random, 2) == 0 ? 0 : high * 0x1.8p-55};
    if (part_count == 2 && size > 0) {  // a tie, which no number of doubles can tell
      columns.parts[0][0] = 1;
      columns.parts[1][0] = 0x1p-53;
      divisor = {2, 0};
    }
    std::vector<double> quotients(size);
    column_loops().divide(columns.pointers().data(), part_count, divisor, quotients.data(), size);
    const ExactNumber exact = ExactNumber(divisor.high) + ExactNumber(divisor.low);
    for (std::size_t i = 0; i < size; ++i) {
      ++all;
      if (std::isnan(quotients[i])) continue;
      ++known;
      const double expected = divide_rounded(ExactNumber(columns.sum(i)), exact);
      ASSERT_EQ(std::bit_cast<std::uint64_t>(quotients[i] + 0.0),
                std::bit_cast<std::uint64_t>(expected + 0.0));
    }
  }
  EXPECT_GT(known, all / 2);
  EXPECT_LT(known, all);
}

INSTANTIATE_TEST_SUITE_P(Sets, EveryColumnSet, ::testing::ValuesIn(sum_kernels()),
                         [](const auto& tested) { return std::string(tested.param->name); });

}  // namespace
}  // namespace pileus::detail
