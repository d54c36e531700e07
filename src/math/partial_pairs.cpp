// The part of Partial that has second moments.

#include <algorithm>
#include <array>
#include <type_traits>

#include "loops/sum_kernel.h"
#include "math/bytes.h"
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

void Partial::add_products(const SplitValues& x, const SplitValues& y) {
  ExactProducts& products = products_.made();
  products.add(x.upper, y.upper);
  if (!x.lower.empty()) products.add(x.lower, y.upper);
  if (!y.lower.empty()) products.add(x.upper, y.lower);
  if (!x.lower.empty() && !y.lower.empty()) products.add(x.lower, y.lower);
}

template <class T>
void Partial::add_squares(std::span<const T> values) {
  while (!values.empty()) {
    const auto block = values.first(std::min(values.size(), detail::kBlock));
    values = values.subspan(block.size());
    const Widened<T> widened(block);
    sum_.add(block);
    add_products(widened.values(), widened.values());
  }
}
template void Partial::add_squares(std::span<const double>);
template void Partial::add_squares(std::span<const float>);
template void Partial::add_squares(std::span<const std::int8_t>);
template void Partial::add_squares(std::span<const std::int32_t>);
template void Partial::add_squares(std::span<const std::int64_t>);

void Partial::add_pairs(const SplitValues& x, const SplitValues& y) {
  count_ += static_cast<std::int64_t>(x.upper.size());
  for (const std::span<const double> part : {x.upper, x.lower}) sum_.add(part);
  for (const std::span<const double> part : {y.upper, y.lower}) other_sum_.made().add(part);
  add_products(x, y);
}

/// n² times the moment: n Σxy, about the mean less Σx Σy. REQUIRES: finite sums.
ExactNumber Partial::moment() const {
  if (!products_) return {};
  if (!declaration().is_about_mean) return ExactNumber(count_) * products_->sum();
  const ExactNumber x(sum_);
  const ExactNumber y = other_sum_ ? ExactNumber(*other_sum_) : x;
  return ExactNumber(count_) * products_->sum() - x * y;
}

// Bytes: of a covariance the sum of the others; the sum of the products.
void Partial::encode_products(std::vector<std::byte>& out) const {
  if (declaration().takes_pairs) (other_sum_ ? *other_sum_ : ExactSum()).encode(out);
  (products_ ? *products_ : ExactProducts()).encode(out);
}

void Partial::decode_products(std::span<const std::byte>& in) {
  if (declaration().takes_pairs) other_sum_.made() = ExactSum::decode(in);
  products_.made() = ExactProducts::decode(in);
  detail::require(count_ > 0 || (products_->sum().is_zero() && (!other_sum_ || other_sum_->is_zero())),
                  "partial: products of nothing");
  const bool can_be_negative = declaration().takes_pairs || !sum_.is_finite();
  detail::require(can_be_negative || moment().sign() >= 0, "partial: a negative variance");
}

}  // namespace pileus
