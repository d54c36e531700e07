#include "math/limbs.h"

#include <gtest/gtest.h>

#include <limits>
#include <utility>
#include <vector>

namespace pileus::detail {
namespace {

Limbs limbs_of(const std::vector<Limb>& limbs) { return Limbs(std::span<const Limb>(limbs)); }

Quotient quotient_of(const std::vector<Limb>& a, const std::vector<Limb>& b) { return divide(a, b); }

double rounded(const std::vector<Limb>& limbs, std::int64_t exponent, bool has_more = false) {
  return round_limbs(false, limbs, exponent, has_more);
}

TEST(Limbs, move_and_copy_with_and_without_allocation) {
  for (const std::size_t size : {3U, 40U}) {
    Limbs original(size);
    original[size - 1] = 7;

    Limbs copy = original;
    const Limbs moved = std::move(original);
    copy[0] = 5;

    EXPECT_EQ(moved.size(), size);
    EXPECT_EQ(moved[size - 1], 7U);
    EXPECT_EQ(moved[0], 0U);
    EXPECT_EQ(copy[0], 5U);
  }
}

TEST(Limbs, lose_zeros_at_their_ends) {
  Limbs limbs = limbs_of({0, 0, 4, 0, 5, 0});

  limbs.trim_high();
  const std::size_t removed = limbs.trim_low();

  EXPECT_EQ(removed, 2U);
  EXPECT_EQ(limbs, limbs_of({4, 0, 5}));
}

TEST(Limbs, multiply_with_all_carries) {
  // (2^64 - 1)^2 = 2^128 - 2^65 + 1
  const std::vector<Limb> ones{0xFFFFFFFF, 0xFFFFFFFF};

  EXPECT_EQ(multiply(ones, ones), limbs_of({1, 0, 0xFFFFFFFE, 0xFFFFFFFF}));
}

TEST(LimbsDivide, says_whether_something_is_left) {
  // (2^64 - 1) / (2^32 + 1) = 2^32 - 1 exactly; 7 / 2 leaves 1; 5 / 2^32 is 0.
  const Quotient exact = quotient_of({0xFFFFFFFF, 0xFFFFFFFF}, {1, 1});

  EXPECT_EQ(exact.limbs, limbs_of({0xFFFFFFFF}));
  EXPECT_TRUE(exact.is_exact);
  EXPECT_EQ(quotient_of({7}, {2}).limbs, limbs_of({3}));
  EXPECT_FALSE(quotient_of({7}, {2}).is_exact);
  EXPECT_TRUE(quotient_of({5}, {0, 1}).limbs.empty());
  EXPECT_FALSE(quotient_of({5}, {0, 1}).is_exact);
}

TEST(LimbsDivide, corrects_a_limb_that_was_guessed_one_too_large) {
  // u = 2^127 - 2^95, v = 2^95 + 1. The leading limbs suggest 2^32 - 1, but (2^32 - 1) v = u + 2^32 - 1;
  // (2^32 - 2) v = u - (2^95 - 2^32 + 2).
  const Quotient quotient = quotient_of({0, 0, 0x80000000, 0x7FFFFFFF}, {1, 0, 0x80000000});

  EXPECT_EQ(quotient.limbs, limbs_of({0xFFFFFFFE}));
  EXPECT_FALSE(quotient.is_exact);
}

TEST(LimbsDivide, undoes_multiplication) {
  std::vector<Limb> a;
  std::vector<Limb> b;
  for (Limb i = 1; i < 40; ++i) {
    a.push_back(i * 0x9E3779B9U);
    b.push_back(~(i * 0x85EBCA6BU));
    const Limbs product = multiply(a, b);

    EXPECT_EQ(divide(product.span(), b).limbs, limbs_of(a));
    EXPECT_TRUE(divide(product.span(), a).is_exact);
  }
}

TEST(RoundLimbs, goes_to_even_on_ties_and_up_above_them) {
  // 2^53 + 1 is half way between 2^53 and 2^53 + 2; 2^53 + 3 between 2^53 + 2 and 2^53 + 4.
  EXPECT_EQ(rounded({1, 1U << 21}, 0), 0x1p53);
  EXPECT_EQ(rounded({3, 1U << 21}, 0), 0x1p53 + 4);
  EXPECT_EQ(rounded({1, 0, 1U << 21}, 0), 0x1p85);
  EXPECT_EQ(rounded({1, 1, 1U << 21}, 0), 0x1p85 + 0x1p33);
  EXPECT_EQ(rounded({0, 1, 1U << 21}, 0, true), 0x1p85 + 0x1p33);
}

TEST(RoundLimbs, carries_into_the_next_power_and_into_infinity) {
  // 2^64 - 1 rounds to 2^64.
  EXPECT_EQ(rounded({0xFFFFFFFF, 0xFFFFFFFF}, 0), 0x1p64);
  EXPECT_EQ(rounded({0xFFFFFFFF, 0xFFFFFFFF}, 960), std::numeric_limits<double>::infinity());
  EXPECT_EQ(rounded({0xFFFFF800, 0xFFFFFFFF}, 960), std::numeric_limits<double>::max());
  EXPECT_EQ(rounded({1}, 1024), std::numeric_limits<double>::infinity());
}

TEST(RoundLimbs, ends_below_half_of_the_smallest_double) {
  const double smallest = std::numeric_limits<double>::denorm_min();

  EXPECT_EQ(rounded({1}, -1074), smallest);
  EXPECT_EQ(rounded({1}, -1075), 0);
  EXPECT_EQ(rounded({3}, -1076), smallest);
  EXPECT_EQ(rounded({0xFFFFFFFF}, -1107), 0);
  EXPECT_EQ(rounded({1}, -5000), 0);
  EXPECT_EQ(rounded({0xFFFFFFFF, 0xFFFFFFFF}, -1086), 0x1p-1022);  // the largest subnormal and more
}

}  // namespace
}  // namespace pileus::detail
