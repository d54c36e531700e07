#include "math/exact_products.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "loops/sum_kernel.h"
#include "math/bytes.h"

namespace pileus {
namespace {

using detail::kBlock;

// Both factors of a small product grow by 2^540: then its lowest bit is at least 2^-1068. Both of a large one
// shrink by 2^600: the smaller of them is above 2^-40, and nothing is lost.
constexpr double kGrown = 0x1p540;
constexpr double kShrunk = 0x1p-600;

enum class Range : std::uint8_t { nothing, usual, small, large };

Range range_of(double x, double y) {
  if (x == 0 || y == 0 || !std::isfinite(x) || !std::isfinite(y)) return Range::nothing;
  const double product = std::fabs(x * y);
  if (product < detail::kSmallestProduct) return Range::small;
  return product > detail::kLargestProduct ? Range::large : Range::usual;
}

/// Pairs that have been made multipliable, laid side by side.
struct Gathered {
  std::array<double, kBlock> x, y;
  std::size_t count = 0;

  void add(double one, double other) {
    x[count] = one;
    y[count++] = other;
  }
  /// Where one factor alone is too large to be cut in two, it is brought towards the other.
  void add_usual(double one, double other) {
    if (std::fabs(one) > detail::kLargestProduct) return add(one * kShrunk, other / kShrunk);
    if (std::fabs(other) > detail::kLargestProduct) return add(one / kShrunk, other * kShrunk);
    add(one, other);
  }
};

unsigned add_multiplied(ExactSum& sum, std::span<const double> x, std::span<const double> y,
                        unsigned refused) {
  std::array<double, kBlock> products;
  std::array<double, kBlock> errors;
  const unsigned flags =
      detail::sum_kernel().multiply_block(x.data(), y.data(), x.size(), products.data(), errors.data());
  if ((flags & refused) != 0) return flags;
  sum.add(std::span<const double>(products.data(), x.size()));
  if ((flags & detail::kSomeErrors) != 0) sum.add(std::span<const double>(errors.data(), x.size()));
  return flags;
}

}  // namespace

void ExactProducts::add(std::span<const double> x, std::span<const double> y) {
  while (!x.empty()) {
    const std::size_t count = std::min(x.size(), kBlock);
    const unsigned flags = add_multiplied(usual_, x.first(count), y.first(count), detail::kSomeInexact);
    if ((flags & detail::kSomeInexact) != 0) add_unusual(x.first(count), y.first(count));
    x = x.subspan(count);
    y = y.subspan(count);
  }
}

void ExactProducts::add_sums(std::span<const double> sums) {
  for (const double sum : sums) usual_.add(sum);
}

void ExactProducts::add_unusual(std::span<const double> x, std::span<const double> y) {
  for (const Range range : {Range::usual, Range::small, Range::large}) {
    Gathered pairs;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (range_of(x[i], y[i]) != range) continue;
      const double scale = range == Range::small ? kGrown : kShrunk;
      range == Range::usual ? pairs.add_usual(x[i], y[i]) : pairs.add(x[i] * scale, y[i] * scale);
    }
    if (pairs.count == 0) continue;
    ExactSum& sum = range == Range::usual ? usual_ : range == Range::small ? small_.made() : large_.made();
    add_multiplied(sum, std::span(pairs.x).first(pairs.count), std::span(pairs.y).first(pairs.count), 0);
  }
}

bool ExactProducts::add_columns(std::span<ExactProducts* const> sums, std::span<const double> x,
                                std::span<const double> y) {
  std::vector<double> products(x.size()), errors(x.size());
  unsigned flags = 0;
  for (std::size_t done = 0; done < x.size(); done += kBlock) {
    flags |= detail::sum_kernel().multiply_block(x.data() + done, y.data() + done,
                                                 std::min(x.size() - done, kBlock), products.data() + done,
                                                 errors.data() + done);
  }
  if ((flags & detail::kSomeInexact) != 0) return false;
  std::vector<ExactSum*> usual;
  for (ExactProducts* const sum : sums) usual.push_back(&sum->usual_);
  const std::size_t rows = x.size() / sums.size();
  const auto stride = static_cast<std::ptrdiff_t>(sums.size());
  ExactSum::add_columns<double>(usual, products.data(), rows, stride);
  if ((flags & detail::kSomeErrors) != 0) ExactSum::add_columns<double>(usual, errors.data(), rows, stride);
  return true;
}

void ExactProducts::add_weighted(std::span<const double> w, std::span<const double> x,
                                 std::span<const double> y) {
  std::array<double, kBlock> products, errors;
  while (!w.empty()) {
    const std::size_t count = std::min(w.size(), kBlock);
    const auto of_y = y.first(count);
    const unsigned flags =
        detail::sum_kernel().multiply_block(w.data(), x.data(), count, products.data(), errors.data());
    if ((flags & detail::kSomeInexact) != 0) {
      add_unusual_weighted(w.first(count), x.first(count), of_y);
    } else {
      add(std::span(products).first(count), of_y);
      if ((flags & detail::kSomeErrors) != 0) add(std::span(errors).first(count), of_y);
    }
    w = w.subspan(count), x = x.subspan(count), y = y.subspan(count);
  }
}

/// A product of the first two that two doubles do not hold is rare: all three go through integers.
void ExactProducts::add_unusual_weighted(std::span<const double> w, std::span<const double> x,
                                         std::span<const double> y) {
  Gathered usual;
  std::array<double, kBlock> third, products, errors;
  for (std::size_t i = 0; i < w.size(); ++i) {
    const Range range = range_of(w[i], x[i]);
    if (range == Range::nothing || !std::isfinite(y[i])) continue;
    const bool is_cut = std::max(std::fabs(w[i]), std::fabs(x[i])) <= detail::kLargestProduct;
    if (range == Range::usual && is_cut) {
      third[usual.count] = y[i];
      usual.add(w[i], x[i]);
    } else {
      rest_ += ExactNumber(w[i]) * ExactNumber(x[i]) * ExactNumber(y[i]);
    }
  }
  detail::sum_kernel().multiply_block(usual.x.data(), usual.y.data(), usual.count, products.data(),
                                      errors.data());
  add(std::span(products).first(usual.count), std::span(third).first(usual.count));
  add(std::span(errors).first(usual.count), std::span(third).first(usual.count));
}

void ExactProducts::merge(const ExactProducts& other) {
  usual_.merge(other.usual_);
  if (other.small_) small_.made().merge(*other.small_);
  if (other.large_) large_.made().merge(*other.large_);
  rest_ += other.rest_;
}

ExactNumber ExactProducts::sum() const {
  ExactNumber sum = rest_ + ExactNumber(usual_);
  if (small_) sum += ExactNumber(*small_).times_power_of_two(-2 * 540);
  if (large_) sum += ExactNumber(*large_).times_power_of_two(2 * 600);
  return sum;
}

void ExactProducts::encode(std::vector<std::byte>& out) const { sum().encode(out); }

ExactProducts ExactProducts::decode(std::span<const std::byte>& in, int factors) {
  ExactProducts products;
  products.rest_ = ExactNumber::decode(in);
  const ExactNumber& sum = products.rest_;
  detail::require(
      sum.is_zero() || (sum.lowest_bit() >= -1074 * factors && sum.highest_bit() < 1024 * factors + 64),
      "exact products: beyond the range of products of doubles");
  return products;
}

}  // namespace pileus
