#include "math/sum_columns.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "loops/column_loops.h"

namespace pileus {
namespace {

using Parts = std::array<double, SumColumns::kMostParts>;

/// So many are added in one go, what is left of them meanwhile on the stack.
constexpr std::size_t kBlock = 256;

bool is_any_not_zero(std::span<const double> values) {
  std::uint64_t bits = 0;
  for (const double value : values) bits |= std::bit_cast<std::uint64_t>(value) << 1;  // but for the sign
  return bits != 0;
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

static_assert(SumColumns::kTooLarge == 0x1p1000 && detail::kTooLargeExponent == 1000);

bool are_small(std::span<const double> values) {
  return detail::column_loops().are_small(values.data(), values.size());
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
  part_count = std::max(part_count, part_count_);
  if (size > capacity_ && part_count_ > 1) {
    const std::size_t capacity = std::max(size, 2 * capacity_);
    std::vector<double> parts((part_count - 1) * capacity + size);
    for (std::size_t p = 0; p < part_count_; ++p)
      std::ranges::copy(part(p), parts.begin() + static_cast<std::ptrdiff_t>(p * capacity));
    parts_ = std::move(parts);
    capacity_ = capacity;
  } else {
    capacity_ = std::max(capacity_, size);
    parts_.resize((part_count - 1) * capacity_ + size);
  }
  part_count_ = part_count;
  size_ = size;
}

void SumColumns::reserve(std::size_t size) {
  own();
  if (part_count_ > 1) return;  // rare; grows by itself
  capacity_ = std::max(capacity_, size);
  parts_.reserve(size);
}

void SumColumns::append(std::span<const double> values) {
  if (part_count_ == 1) {
    own();
    parts_.insert(parts_.end(), values.begin(), values.end());
    size_ += values.size();
    capacity_ = std::max(capacity_, size_);
    return;
  }
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

void SumColumns::cut(std::size_t size) {
  own();
  // Parts before the last keep their length, and those of sums to come begin as zeros.
  for (std::size_t p = 0; p + 1 < part_count_; ++p) std::ranges::fill(part(p).subspan(size), 0);
  size_ = size;
  parts_.resize((part_count_ - 1) * capacity_ + size);
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

SumColumns::Unfit SumColumns::add(std::span<const double> values, double weight) {
  own();
  const detail::ColumnLoops& loops = detail::column_loops();
  Unfit unfit;
  std::array<double, kBlock> rest;
  for (std::size_t first = 0; first < size_; first += kBlock) {
    const std::size_t size = std::min(kBlock, size_ - first);
    std::array<double*, kMostParts> parts{};
    for (std::size_t p = 0; p < part_count_; ++p) parts[p] = part(p).data() + first;
    const detail::ColumnsAdded added =
        loops.add(weight, values.data() + first, parts.data(), part_count_, rest.data(), size);
    const std::size_t before = unfit.size();
    if (added.has_rest) keep_rest(first, std::span(rest).first(size), unfit);
    if (added.is_large) give_back_large(first, size, unfit);
    const auto those_of_block = std::ranges::subrange(unfit.begin() + std::ptrdiff_t(before), unfit.end());
    std::ranges::sort(those_of_block, {}, [](const auto& sum) { return sum.first; });
  }
  return unfit;
}

/// What an addition has left over becomes one more part; where there can be none, sums whose parts overlap
/// are laid out anew.
void SumColumns::keep_rest(std::size_t first, std::span<const double> rest, Unfit& unfit) {
  if (part_count_ < kMostParts) {
    add_part();
    std::ranges::copy(rest, part(part_count_ - 1).subspan(first).begin());
    return;
  }
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (rest[i] == 0) continue;
    ExactSum sum = take(first + i);
    sum.add(rest[i]);
    if (!set(first + i, sum)) unfit.emplace_back(first + i, std::move(sum));
  }
}

void SumColumns::give_back_large(std::size_t first, std::size_t size, Unfit& unfit) {
  for (std::size_t i = first; i < first + size; ++i) {
    for (std::size_t p = 0; p < part_count_; ++p) {
      if (std::fabs(part(p)[i]) >= kTooLarge) unfit.emplace_back(i, take(i));
    }
  }
}

}  // namespace pileus
