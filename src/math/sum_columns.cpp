#include "math/sum_columns.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

namespace pileus {
namespace {

using Parts = std::array<double, SumColumns::kMostParts>;

/// Into a and b: their sum, and what it lacks. No error as long as nothing overflows.
/// Source: Knuth, The Art of Computer Programming, volume 2, 4.2.2, theorem B.
void add_exactly(std::span<double> a, std::span<double> b) {
  double* const sums = a.data();
  double* const errors = b.data();
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = sums[i], y = errors[i], sum = x + y, of_y = sum - x;
    errors[i] = (x - (sum - of_y)) + (y - of_y);
    sums[i] = sum;
  }
}

bool is_any_not_zero(std::span<const double> values) {
  bool is_any = false;
  for (const double value : values) is_any |= value != 0;
  return is_any;
}

/// The sum as few doubles, the largest first; nullopt if they are not all of it.
std::optional<Parts> split(const ExactSum& sum) {
  Parts parts{};
  if (const auto two = sum.two_doubles()) {
    std::ranges::copy(*two, parts.begin());
    return std::fabs(parts[0]) < SumColumns::kTooLarge ? std::optional(parts) : std::nullopt;
  }
  if (!sum.is_finite()) return std::nullopt;
  const ExactSum::Magnitude magnitude = sum.magnitude();
  const std::span<const std::uint32_t> limbs = magnitude.used();
  int limb = static_cast<int>(limbs.size()) - 1;
  std::uint32_t left = limb < 0 ? 0 : limbs[static_cast<std::size_t>(limb)];
  // Each takes what is left of one limb and 53 bits together with the next one.
  for (double& part : parts) {
    while (left == 0 && --limb >= 0) left = limbs[static_cast<std::size_t>(limb)];
    if (limb < 0) return parts;
    std::uint64_t bits = left;
    left = 0;
    if (limb > 0) {
      const std::uint32_t next = limbs[static_cast<std::size_t>(--limb)];
      bits = bits << 32 | next;
      const int surplus = std::max(0, 64 - std::countl_zero(bits) - 53);
      left = next & static_cast<std::uint32_t>((std::uint64_t{1} << surplus) - 1);
      bits -= left;
    }
    const int exponent = 32 * (limb + static_cast<int>(magnitude.first) + ExactSum::kFirstExponent);
    part = std::ldexp(static_cast<double>(bits), exponent) * (magnitude.negative ? -1 : 1);
    if (!(std::fabs(part) < SumColumns::kTooLarge)) return std::nullopt;
  }
  const auto below = limbs.first(static_cast<std::size_t>(std::max(limb, 0)));
  const bool is_all = left == 0 && std::ranges::all_of(below, [](std::uint32_t bits) { return bits == 0; });
  return is_all ? std::optional(parts) : std::nullopt;
}

}  // namespace

bool are_small(std::span<const double> values) {
  bool is_any_large = false;
  for (const double value : values) is_any_large |= !(std::fabs(value) < SumColumns::kTooLarge);
  return !is_any_large;
}

SumColumns::SumColumns(std::shared_ptr<const SumColumns> whole, std::size_t first, std::size_t size)
    : size_(size), capacity_(0), part_count_(1), whole_(std::move(whole)), first_(first) {
  for (std::size_t p = 1; p < whole_->part_count(); ++p)
    if (is_any_not_zero(std::as_const(*this).part(p))) part_count_ = p + 1;
}

/// Makes the sums its own before they are changed.
void SumColumns::own() {
  if (!whole_) return;
  std::vector<double> parts;
  parts.reserve(size_ * part_count_);
  for (std::size_t p = 0; p < part_count_; ++p) {
    const std::span<const double> values = std::as_const(*this).part(p);
    parts.insert(parts.end(), values.begin(), values.end());
  }
  whole_.reset();
  capacity_ = size_;
  parts_ = std::move(parts);
}

void SumColumns::add_part() { grow(size_, part_count_ + 1); }

/// The new sums and parts are zero.
void SumColumns::grow(std::size_t size, std::size_t part_count) {
  own();
  if (size > capacity_) {
    const std::size_t capacity = std::max(size, 2 * capacity_);
    std::vector<double> parts(capacity * std::max(part_count, part_count_));
    for (std::size_t p = 0; p < part_count_; ++p)
      std::ranges::copy(part(p), parts.begin() + static_cast<std::ptrdiff_t>(p * capacity));
    parts_ = std::move(parts);
    capacity_ = capacity;
  } else if (part_count > part_count_) {
    parts_.resize(capacity_ * part_count);
  }
  part_count_ = std::max(part_count, part_count_);
  size_ = size;
}

void SumColumns::reserve(std::size_t size) {
  const std::size_t before = size_;
  grow(std::max(size, size_), part_count_);
  size_ = before;
}

void SumColumns::append(std::span<const double> values) {
  const std::size_t first = size_;
  grow(size_ + values.size(), part_count_);
  std::ranges::copy(values, part(0).subspan(first).begin());
}

void SumColumns::append(const SumColumns& more) {
  const std::size_t first = size_;
  grow(size_ + more.size(), std::max(part_count_, more.part_count()));
  for (std::size_t p = 0; p < more.part_count(); ++p)
    std::ranges::copy(more.part(p), part(p).subspan(first).begin());
}

void SumColumns::set_parts(std::vector<double> parts) {
  whole_.reset();
  capacity_ = size_;
  part_count_ = size_ == 0 ? 1 : parts.size() / size_;
  parts_ = std::move(parts);
}

ExactSum SumColumns::sum(std::size_t i) const {
  ExactSum sum;
  for (std::size_t p = 0; p < part_count(); ++p) sum.add(part(p)[i]);
  return sum;
}

ExactSum SumColumns::take(std::size_t i) {
  own();
  const ExactSum taken = sum(i);
  for (std::size_t p = 0; p < part_count(); ++p) part(p)[i] = 0;
  return taken;
}

void SumColumns::make_zero(std::size_t first, std::size_t size) {
  own();
  for (std::size_t p = 0; p < part_count(); ++p) std::ranges::fill(part(p).subspan(first, size), 0);
}

void SumColumns::clear() {
  whole_.reset();
  capacity_ = size_;
  part_count_ = 1;
  parts_.assign(size_, 0);
}

SumColumns SumColumns::copy_of(std::size_t first, std::size_t size) const {
  SumColumns copy(0);
  copy.grow(size, part_count_);
  for (std::size_t p = 0; p < copy.part_count(); ++p)
    std::ranges::copy(part(p).subspan(first, size), copy.part(p).begin());
  return copy;
}

bool SumColumns::set(std::size_t i, const ExactSum& sum) {
  own();
  const std::optional<Parts> parts = split(sum);
  for (std::size_t p = 0; p < part_count(); ++p) part(p)[i] = parts ? (*parts)[p] : 0;
  for (std::size_t p = part_count(); parts && p < kMostParts && (*parts)[p] != 0; ++p) {
    add_part();
    part(p)[i] = (*parts)[p];
  }
  return parts.has_value();
}

std::vector<std::pair<std::size_t, ExactSum>> SumColumns::add(std::span<double> values) {
  own();
  std::vector<std::pair<std::size_t, ExactSum>> unfit;
  for (std::size_t p = 0; p < part_count(); ++p) add_exactly(part(p), values);
  const bool is_rest = is_any_not_zero(values);
  if (is_rest && part_count() < kMostParts) {
    add_part();
    std::ranges::copy(values, part(part_count() - 1).begin());
  } else if (is_rest) {
    // Sums whose parts overlap are laid out anew.
    for (std::size_t i = 0; i < size_; ++i) {
      if (values[i] == 0) continue;
      ExactSum sum = take(i);
      sum.add(values[i]);
      if (!set(i, sum)) unfit.emplace_back(i, std::move(sum));
    }
  }
  bool are_all_small = true;
  for (std::size_t p = 0; p < part_count(); ++p)
    are_all_small = are_all_small && are_small(std::as_const(*this).part(p));
  if (are_all_small) return unfit;
  for (std::size_t i = 0; i < size_; ++i) {
    for (std::size_t p = 0; p < part_count(); ++p) {
      if (std::fabs(part(p)[i]) >= kTooLarge) unfit.emplace_back(i, take(i));
    }
  }
  std::ranges::sort(unfit, {}, [](const auto& sum) { return sum.first; });
  return unfit;
}

}  // namespace pileus
