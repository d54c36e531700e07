#include "functions/function_loops.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <vector>

#include "functions/elementary.h"
#include "functions/power.h"
#include "loops/sum_kernel.h"
#include "loops/testing/random_values.h"

namespace pileus::detail {
namespace {

using testing::Random;
using Values = std::vector<double>;

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

/// Runs `body` with the loops of each instruction set that this processor has.
void with_every_set(const std::function<void()>& body) {
  const SumKernel& usual = sum_kernel();
  for (const SumKernel* kernel : sum_kernels()) {
    if (!is_usable(*kernel)) continue;
    use_sum_kernel(*kernel);
    ASSERT_STREQ(function_loops().name, kernel->name);
    body();
  }
  use_sum_kernel(usual);
}

/// Ordinary numbers of fields, and numbers of every other kind; an odd number of them.
Values arguments(Random& random, std::size_t count) {
  const double special[] = {0.0,
                            -0.0,
                            1,
                            -1,
                            std::numeric_limits<double>::infinity(),
                            -std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::quiet_NaN(),
                            std::numeric_limits<double>::denorm_min(),
                            std::numeric_limits<double>::max(),
                            700,
                            -700,
                            709.7827128933840,
                            -745.2,
                            0x1p-1022};
  Values values(count);
  for (double& value : values) {
    const std::size_t kind = testing::below(random, 20);
    value = kind == 0   ? special[testing::below(random, std::size(special))]
            : kind < 4  ? testing::any_finite(random)
            : kind < 10 ? testing::around_one(random, 9)
            : kind < 15 ? std::fabs(testing::around_one(random, 3))
                        : 1 + 0x1p-10 * testing::around_one(random, 12);
  }
  return values;
}

TEST(FunctionLoops, of_every_set_give_the_bits_of_single_numbers) {
  with_every_set([] {
    Random random(5);
    for (int turn = 0; turn < 60; ++turn) {
      const std::size_t size = 1 + testing::below(random, 1500);
      const Values x = arguments(random, size), y = arguments(random, size);
      Values out(size);
      exponentials(x, out.data());
      for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(bits(out[i]), bits(exponential(x[i]))) << x[i];
      logarithms(x, out.data());
      for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(bits(out[i]), bits(logarithm(x[i]))) << x[i];
      powers(x, y.data(), out.data());
      for (std::size_t i = 0; i < size; ++i)
        ASSERT_EQ(bits(out[i]), bits(power(x[i], y[i]))) << x[i] << "^" << y[i];
    }
  });
}

TEST(FunctionLoops, are_sure_of_nearly_all_that_fields_hold) {
  with_every_set([] {
    Random random(6);
    constexpr std::size_t kCount = 100'000;
    Values temperatures(kCount), exponents(kCount), out(kCount);
    for (std::size_t i = 0; i < kCount; ++i) {
      temperatures[i] = 250 + 30 * testing::around_one(random, 0);
      exponents[i] = 0.2 + 0.1 * testing::around_one(random, 0);
    }
    std::vector<std::uint8_t> unsure(kCount);
    const auto share = [&] { return static_cast<double>(std::ranges::count(unsure, 1)) / kCount; };
    const FunctionLoops& loops = function_loops();

    loops.exponential(function_tables(), exponents.data(), kCount, out.data(), unsure.data());
    EXPECT_LT(share(), 0.001);
    loops.logarithm(function_tables(), temperatures.data(), kCount, out.data(), unsure.data());
    EXPECT_LT(share(), 0.003);
    loops.power(function_tables(), temperatures.data(), exponents.data(), kCount, out.data(), unsure.data());
    EXPECT_LT(share(), 0.02);
  });
}

}  // namespace
}  // namespace pileus::detail
