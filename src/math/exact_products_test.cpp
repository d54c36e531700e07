#include "math/exact_products.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <stdexcept>

#include "loops/sum_kernel.h"
#include "loops/testing/random_values.h"

namespace pileus {
namespace {

using testing::below;
using testing::Random;

/// Slow and obvious: the bits of every product of two mantissas at their place. It shares no code with what
/// it checks but the form of the bytes.
class Oracle {
 public:
  void add(double x, double y) {
    if (!std::isfinite(x) || !std::isfinite(y) || x == 0 || y == 0) return;
    int of_x = 0, of_y = 0;
    const double fraction_x = std::frexp(std::fabs(x), &of_x), fraction_y = std::frexp(std::fabs(y), &of_y);
    auto bits = static_cast<unsigned __int128>(std::ldexp(fraction_x, 53)) *
                static_cast<unsigned __int128>(std::ldexp(fraction_y, 53));
    const int sign = std::signbit(x) == std::signbit(y) ? 1 : -1;
    for (int place = of_x + of_y - 106 - kLowest; bits != 0; bits >>= 1, ++place) {
      if ((bits & 1) != 0)
        counts_[static_cast<std::size_t>(place / 32)] += sign * (std::int64_t{1} << place % 32);
    }
  }

  /// Those of ExactNumber::encode: sign, exponent, number of limbs, limbs; all little-endian.
  std::vector<std::byte> bytes() const {
    std::vector<std::int64_t> limbs = carried(1);
    const bool is_negative = limbs.back() < 0;
    if (is_negative) limbs = carried(-1);
    std::size_t first = 0, end = limbs.size();
    while (end > 0 && limbs[end - 1] == 0) --end;
    while (first < end && limbs[first] == 0) ++first;
    std::vector<std::byte> bytes = {std::byte{is_negative}};
    put(bytes, first == end ? 0 : static_cast<int>(first) + kLowest / 32);
    put(bytes, static_cast<std::int64_t>(end - first));
    for (std::size_t i = first; i < end; ++i) put(bytes, limbs[i]);
    return bytes;
  }

 private:
  static constexpr int kLowest = -2304;  // bit 0 of limb 0 stands for 2^kLowest

  std::vector<std::int64_t> carried(std::int64_t sign) const {
    std::vector<std::int64_t> limbs = counts_;
    std::int64_t carry = 0;
    for (std::size_t i = 0; i < limbs.size(); ++i) {
      const std::int64_t limb = sign * limbs[i] + carry;
      const bool is_last = i + 1 == limbs.size();
      limbs[i] = is_last ? limb : limb & 0xFFFFFFFF;
      carry = (limb - (limb & 0xFFFFFFFF)) / (std::int64_t{1} << 32);
    }
    return limbs;
  }
  static void put(std::vector<std::byte>& bytes, std::int64_t value) {
    for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<std::byte>(value >> (8 * i) & 255));
  }

  std::vector<std::int64_t> counts_ = std::vector<std::int64_t>(142, 0);
};

std::vector<std::byte> bytes_of(const ExactProducts& products) {
  std::vector<std::byte> bytes;
  products.encode(bytes);
  return bytes;
}

ExactProducts products_of(const std::vector<double>& x, const std::vector<double>& y) {
  ExactProducts products;
  products.add(x, y);
  return products;
}

/// Every kernel that runs here; the one in use is put back.
class ExactProductsOnEveryPath : public ::testing::Test {
 protected:
  void TearDown() override { detail::use_sum_kernel(before_); }
  template <class Run>
  void on_every_kernel(const Run& run) {
    for (const detail::SumKernel* kernel : detail::sum_kernels()) {
      if (!detail::is_usable(*kernel)) continue;
      detail::use_sum_kernel(*kernel);
      SCOPED_TRACE(kernel->name);
      run();
    }
  }

 private:
  const detail::SumKernel& before_ = detail::sum_kernel();
};

TEST_F(ExactProductsOnEveryPath, small_cases_are_right) {
  on_every_kernel([] {
    EXPECT_EQ(round(products_of({1, 2, 3}, {4, 5, -6}).sum()), -4);
    EXPECT_TRUE(products_of({}, {}).sum().is_zero());
    EXPECT_TRUE(products_of({-0.0, 0.0}, {3, -5e-324}).sum().is_zero());
    // (1 + 2^-52)² = 1 + 2^-51 + 2^-104: the last bit is beyond a double.
    const double x = 1 + 0x1p-52;
    EXPECT_EQ(round(products_of({x, 1, 1}, {x, -1, -0x1p-51}).sum()), 0x1p-104);
  });
}

TEST_F(ExactProductsOnEveryPath, products_beyond_the_range_of_doubles_are_kept) {
  constexpr double kLargest = std::numeric_limits<double>::max(), kLeast = 5e-324;
  on_every_kernel([&] {
    EXPECT_EQ(products_of({kLeast}, {kLeast}).sum(), ExactNumber(1).times_power_of_two(-2148));
    EXPECT_EQ(products_of({kLargest}, {-kLargest}).sum(), -(ExactNumber(kLargest) * ExactNumber(kLargest)));
    EXPECT_EQ(round(products_of({kLargest, kLargest}, {kLargest, -kLargest}).sum()), 0);
    // A factor that is too large to be cut in two, with one that brings it back.
    EXPECT_EQ(products_of({kLargest, 3e-310}, {3e-310, kLargest}).sum(),
              ExactNumber(2) * ExactNumber(kLargest) * ExactNumber(3e-310));
  });
}

TEST_F(ExactProductsOnEveryPath, pairs_that_are_not_finite_are_left_out) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  on_every_kernel([&] {
    EXPECT_EQ(round(products_of({kInfinity, 2, nan, 0, 5}, {0, 3, 1, nan, -kInfinity}).sum()), 6);
  });
}

/// 10^4 arrays for each kernel, cut and joined at random: not one bit off.
TEST_F(ExactProductsOnEveryPath, agree_with_the_oracle_in_every_bit) {
  on_every_kernel([] {
    Random random(4);
    for (int run = 0; run < 10000; ++run) {
      const std::size_t size = run % 50 == 0 ? testing::hard_size(random) : below(random, 40);
      const std::vector<double> x = testing::hard_values(random, size);
      const std::vector<double> y = below(random, 2) == 0 ? x : testing::hard_values(random, size);
      Oracle oracle;
      for (std::size_t i = 0; i < size; ++i) oracle.add(x[i], y[i]);

      std::vector<ExactProducts> parts(1 + below(random, 3));
      for (std::size_t done = 0; done < size;) {
        const std::size_t count = 1 + below(random, size - done);
        parts[below(random, parts.size())].add(std::span(x).subspan(done, count),
                                               std::span(y).subspan(done, count));
        done += count;
      }
      ExactProducts joined;
      for (const ExactProducts& part : parts) {
        const std::vector<std::byte> sent = bytes_of(part);
        std::span<const std::byte> in(sent);
        joined.merge(below(random, 2) == 0 ? part : ExactProducts::decode(in));
      }

      ASSERT_EQ(bytes_of(products_of(x, y)), oracle.bytes()) << "run " << run;
      ASSERT_EQ(bytes_of(joined), oracle.bytes()) << "run " << run;
    }
  });
}

TEST(ExactProducts, refuses_bytes_beyond_the_range_of_products) {
  for (const std::int64_t exponent : {-2149, 2200}) {
    std::vector<std::byte> bytes;
    ExactNumber(1).times_power_of_two(exponent).encode(bytes);
    std::span<const std::byte> in(bytes);
    EXPECT_THROW(ExactProducts::decode(in), std::invalid_argument) << exponent;
  }
}

}  // namespace
}  // namespace pileus
