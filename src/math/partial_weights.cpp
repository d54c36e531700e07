// The part of Partial that has weights.

#include <algorithm>
#include <cmath>
#include <vector>

#include "loops/sum_kernel.h"
#include "math/bytes.h"
#include "math/exact_moments.h"
#include "math/partial.h"

namespace pileus {
namespace {

/// The lower parts and the upper ones, without those that are zeros.
std::vector<std::span<const double>> parts_of(const SplitValues& values) {
  if (values.lower.empty()) return {values.upper};
  return {values.upper, values.lower};
}

SplitValues part_of(const SplitValues& values, std::size_t first, std::size_t count) {
  return {values.upper.subspan(first, count),
          values.lower.empty() ? values.lower : values.lower.subspan(first, count)};
}

}  // namespace

void Partial::add_weighted(const SplitValues& x, const SplitValues& y, std::span<const double> weights) {
  count_ += static_cast<std::int64_t>(weights.size());
  const detail::MomentSums sums{&other_sum_.made(), nullptr, &products_.made()};
  for (std::size_t done = 0; done < weights.size(); done += detail::kPieceBlock) {
    const std::size_t count = std::min(weights.size() - done, detail::kPieceBlock);
    const auto w = weights.subspan(done, count);
    const SplitValues of_x = part_of(x, done, count);
    if (is_weighted_sum() && of_x.lower.empty()) {
      ExactSum sum_of_values;
      if (detail::add_moments(w, of_x.upper, {sums.x, &sum_of_values, sums.products})) continue;
    }
    sums.x->add(w);
    add_non_finite(of_x.upper, w);
    add_weighted_products(of_x, declaration().takes_pairs ? part_of(y, done, count) : of_x, w);
  }
}

void Partial::add_weights(std::int64_t count, const ExactSum& weights) {
  count_ += count;
  other_sum_.made().merge(weights);
}

void Partial::add_weighted_rows(std::span<Partial* const> partials, std::span<const double> x,
                                std::span<const double> w) {
  std::vector<ExactProducts*> products;
  for (Partial* const partial : partials) products.push_back(&partial->products_.made());
  if (ExactProducts::add_columns(products, x, w)) return;
  const std::size_t columns = partials.size();
  std::vector<double> values(x.size() / columns), weights(values.size());
  for (std::size_t c = 0; c < columns; ++c) {
    for (std::size_t r = 0; r < values.size(); ++r) {
      values[r] = x[c + r * columns];
      weights[r] = w[c + r * columns];
    }
    partials[c]->add_non_finite(values, weights);
    products[c]->add(weights, values);
  }
}

void Partial::add_weighted_products(const SplitValues& x, const SplitValues& y, std::span<const double> w) {
  if (declaration().takes_pairs) add_non_finite(y.upper, w);
  if (is_weighted_sum()) {
    for (const auto part : parts_of(x)) products_.made().add(w, part);
    return;
  }
  for (const auto of_x : parts_of(x))
    for (const auto of_y : parts_of(y)) products_.made().add_weighted(w, of_x, of_y);
  if (!declaration().is_about_mean) return;
  for (const auto part : parts_of(x)) first_sums_.made().x.add(w, part);
  if (!declaration().takes_pairs) return;
  for (const auto part : parts_of(y)) first_sums_.made().y.add(w, part);
}

/// Of a finite weight; sums know of others.
void Partial::add_non_finite(std::span<const double> values, std::span<const double> weights) {
  const auto is_finite = [](double value) { return std::isfinite(value); };
  if (std::ranges::all_of(values, is_finite)) return;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!is_finite(values[i])) sum_.add(std::copysign(1.0, weights[i]) * values[i]);
}

/// REQUIRES: finite values, and weights that are not zero together, but for a sum.
std::optional<std::pair<ExactNumber, ExactNumber>> Partial::unscaled_weighted() const {
  if (other_sum_ && !other_sum_->is_finite()) return std::nullopt;
  const ExactNumber products = products_ ? products_->sum() : ExactNumber();
  if (reduction_ == Reduction::weighted_sum) return std::pair(products, ExactNumber(1));
  const ExactNumber weight(*other_sum_);
  const auto over = [](const ExactNumber& numerator, const ExactNumber& denominator) {
    return denominator.sign() < 0 ? std::pair(-numerator, -denominator) : std::pair(numerator, denominator);
  };
  if (!declaration().is_about_mean) return over(products, weight);
  const ExactNumber x = first_sums_ ? first_sums_->x.sum() : ExactNumber();
  const ExactNumber y = !declaration().takes_pairs ? x : first_sums_ ? first_sums_->y.sum() : ExactNumber();
  return over(weight * products - x * y, weight * weight);
}

void Partial::encode_first_sums(std::vector<std::byte>& out) const {
  if (!declaration().is_about_mean) return;
  const WeightedSums none;
  const WeightedSums& sums = first_sums_ ? *first_sums_ : none;
  sums.x.encode(out);
  if (declaration().takes_pairs) sums.y.encode(out);
}

void Partial::decode_weighted(std::span<const std::byte>& in) {
  other_sum_.made() = ExactSum::decode(in);
  products_.made() = ExactProducts::decode(in, is_weighted_sum() ? 2 : 3);
  bool is_of_none = other_sum_->is_zero() && products_->sum().is_zero();
  if (declaration().is_about_mean) {
    WeightedSums& sums = first_sums_.made();
    sums.x = ExactProducts::decode(in);
    if (declaration().takes_pairs) sums.y = ExactProducts::decode(in);
    is_of_none = is_of_none && sums.x.sum().is_zero() && sums.y.sum().is_zero();
  }
  detail::require(count_ > 0 || is_of_none, "partial: weights of nothing");
  detail::require(!sum_.is_finite() || sum_.is_zero(), "partial: a finite sum beside weights");
}

}  // namespace pileus
