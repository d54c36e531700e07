#pragma once
// What add_links() and all that is built on it must give, one element after the other and without a thought
// for speed.

#include <gtest/gtest.h>

#include <bit>
#include <optional>
#include <string>
#include <vector>

#include "core/missing.h"
#include "core/regridding.h"

namespace pileus::testing {

/// One element of the source of a link; nullopt: it is missing.
struct LinkedElement {
  std::optional<double> value;
  double weight = 1;
};

/// One element of a point of the result, for any sum but a copy.
inline double slow_sum(LinkSum sum, LinkMissing missing, const std::vector<LinkedElement>& elements) {
  double total = 0, weight_of_all = 0, weight_of_present = 0;
  bool has_negative = false;
  std::size_t present = 0;
  for (const LinkedElement& element : elements) {
    weight_of_all += element.weight;
    has_negative = has_negative || element.weight < 0;
    if (!element.value) continue;
    total += element.weight * *element.value;
    weight_of_present += element.weight;
    ++present;
  }
  if (present == 0) return kMissing;
  const bool is_whole = present == elements.size();
  if (!is_whole && (missing == LinkMissing::missing || has_negative)) return kMissing;
  if (sum == LinkSum::mean) return total / static_cast<double>(present);
  if (is_whole) return total;
  return weight_of_present == 0 ? kMissing : total / weight_of_present * weight_of_all;
}

/// Every NaN is like every other: the bits of a NaN depend on the order of the operands of one addition.
inline ::testing::AssertionResult same_bits(double made, double right) {
  const bool both_nan = made != made && right != right;
  if (both_nan || std::bit_cast<std::uint64_t>(made) == std::bit_cast<std::uint64_t>(right))
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << std::hexfloat << made << " where " << right << " is right";
}

}  // namespace pileus::testing
