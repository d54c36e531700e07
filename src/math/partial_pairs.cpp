// The part of Partial that has second moments.

#include <algorithm>
#include <array>
#include <type_traits>

#include "loops/sum_kernel.h"
#include "math/bytes.h"
#include "math/exact_moments.h"
#include "math/partial.h"

namespace pileus {
namespace {

/// A block of values as doubles; what a double cannot hold of a large integer is in `lower`.
template <class T>
class Widened {
 public:
  /// REQUIRES: at most detail::kBlock values, which outlive this.
  explicit Widened(std::span<const T> values) {
    if constexpr (std::is_same_v<T, double>) {
      split_.upper = values;
    } else if constexpr (std::is_same_v<T, std::int64_t>) {
      split(values);
    } else {
      std::ranges::transform(values, upper_.begin(), [](T value) { return static_cast<double>(value); });
      split_.upper = std::span(upper_).first(values.size());
    }
  }
  Widened(const Widened&) = delete;
  Widened& operator=(const Widened&) = delete;

  const SplitValues& values() const { return split_; }

 private:
  void split(std::span<const std::int64_t> values) {
    constexpr std::int64_t kExact = std::int64_t{1} << 53;
    const bool is_small =
        std::ranges::all_of(values, [](std::int64_t value) { return value >= -kExact && value <= kExact; });
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::int64_t low = is_small ? 0 : values[i] & 0xFFFFFFFF;
      upper_[i] = static_cast<double>(values[i] - low);
      lower_[i] = static_cast<double>(low);
    }
    split_.upper = std::span(upper_).first(values.size());
    if (!is_small) split_.lower = std::span(lower_).first(values.size());
  }

  std::array<double, std::is_same_v<T, double> ? 1 : detail::kBlock> upper_;
  std::array<double, std::is_same_v<T, std::int64_t> ? detail::kBlock : 1> lower_;
  SplitValues split_;
};

}  // namespace

Partial Partial::of_moments(Reduction reduction, std::int64_t count, const ExactSum& x, const ExactSum& y,
                            const ExactProducts& products) {
  Partial partial(reduction);
  partial.count_ = count;
  partial.sum_ = x;
  if (partial.declaration().takes_pairs) partial.other_sum_.made() = y;
  partial.products_.made() = products;
  return partial;
}

void Partial::add_products(const SplitValues& x, const SplitValues& y) {
  ExactProducts& products = products_.made();
  products.add(x.upper, y.upper);
  if (!x.lower.empty()) products.add(x.lower, y.upper);
  if (!y.lower.empty()) products.add(x.upper, y.lower);
  if (!x.lower.empty() && !y.lower.empty()) products.add(x.lower, y.lower);
}

template <class T>
void Partial::add_squares(std::span<const T> values) {
  const detail::MomentSums sums{&sum_, nullptr, &products_.made()};
  while (!values.empty()) {
    const auto block = values.first(std::min(values.size(), detail::kPieceBlock));
    values = values.subspan(block.size());
    const Widened<T> widened(block);
    const SplitValues& split = widened.values();
    if (split.lower.empty() && detail::add_moments(split.upper, {}, sums)) continue;
    sum_.add(block);
    add_products(split, split);
  }
}
template void Partial::add_squares(std::span<const double>);
template void Partial::add_squares(std::span<const float>);
template void Partial::add_squares(std::span<const std::int8_t>);
template void Partial::add_squares(std::span<const std::int32_t>);
template void Partial::add_squares(std::span<const std::int64_t>);

/// REQUIRES: at least kStrip columns. The last strip may have columns of the one before, which it leaves.
void Partial::add_square_columns(std::span<Partial> partials, const double* values, std::size_t rows,
                                 std::ptrdiff_t stride_elements) {
  constexpr std::size_t kRows = detail::kPieceBlock / 2;  // of a strip, which then stays in the first cache
  for (std::size_t done = 0; done < rows; done += kRows) {
    const std::size_t count = std::min(rows - done, kRows);
    const double* const block = values + static_cast<std::ptrdiff_t>(done) * stride_elements;
    for (std::size_t next = 0; next < partials.size(); next += detail::kStrip) {
      const std::size_t first = std::min(next, partials.size() - detail::kStrip);
      std::array<detail::MomentSums, detail::kStrip> sums;
      for (std::size_t c = next - first; c < detail::kStrip; ++c) {
        Partial& partial = partials[first + c];
        sums[c] = {&partial.sum_, nullptr, &partial.products_.made()};
      }
      const unsigned left = detail::add_square_columns(sums, block + first, count, stride_elements);
      for (std::size_t c = next - first; c < detail::kStrip; ++c) {
        Partial& partial = partials[first + c];
        if ((left >> c & 1) != 0) {
          partial.add_strided(block + first + c, count, stride_elements);
        } else {
          partial.count_ += static_cast<std::int64_t>(count);
        }
      }
    }
  }
}

void Partial::add_pairs(const SplitValues& x, const SplitValues& y) {
  count_ += static_cast<std::int64_t>(x.upper.size());
  if (x.lower.empty() && y.lower.empty()) return add_plain_pairs(x.upper, y.upper);
  for (const std::span<const double> part : {x.upper, x.lower}) sum_.add(part);
  for (const std::span<const double> part : {y.upper, y.lower}) other_sum_.made().add(part);
  add_products(x, y);
}

void Partial::add_plain_pairs(std::span<const double> x, std::span<const double> y) {
  const detail::MomentSums sums{&sum_, &other_sum_.made(), &products_.made()};
  while (!x.empty()) {
    const std::size_t count = std::min(x.size(), detail::kPieceBlock);
    const auto of_x = x.first(count), of_y = y.first(count);
    x = x.subspan(count);
    y = y.subspan(count);
    if (detail::add_moments(of_x, of_y, sums)) continue;
    sum_.add(of_x);
    other_sum_.made().add(of_y);
    add_products({of_x}, {of_y});
  }
}

/// n² times the moment: n Σxy, about the mean less Σx Σy. REQUIRES: finite sums.
ExactNumber Partial::moment() const {
  if (!products_) return {};
  if (!declaration().is_about_mean) return ExactNumber(count_) * products_->sum();
  const ExactNumber x(sum_);
  const ExactNumber y = other_sum_ ? ExactNumber(*other_sum_) : x;
  return ExactNumber(count_) * products_->sum() - x * y;
}

// Bytes: of a covariance the sum of the others, or that of the weights; the sum of the products; with weights
// what the moment about the mean needs besides.
void Partial::encode_products(std::vector<std::byte>& out) const {
  if (declaration().takes_pairs || is_weighted()) (other_sum_ ? *other_sum_ : ExactSum()).encode(out);
  (products_ ? *products_ : ExactProducts()).encode(out);
  if (is_weighted()) encode_first_sums(out);
}

void Partial::decode_products(std::span<const std::byte>& in) {
  if (is_weighted()) return decode_weighted(in);
  if (declaration().takes_pairs) other_sum_.made() = ExactSum::decode(in);
  products_.made() = ExactProducts::decode(in);
  detail::require(count_ > 0 || (products_->sum().is_zero() && (!other_sum_ || other_sum_->is_zero())),
                  "partial: products of nothing");
  const bool can_be_negative = declaration().takes_pairs || !sum_.is_finite();
  detail::require(can_be_negative || moment().sign() >= 0, "partial: a negative variance");
}

}  // namespace pileus
