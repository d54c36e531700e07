#include "math/weighted_mean.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/bytes.h"

namespace pileus {
namespace {

enum NonFinite : std::uint8_t { kNone = 0, kPlusInfinity = 1, kMinusInfinity = 2, kNan = 3 };

std::uint8_t code_of(double non_finite) {
  if (std::isnan(non_finite)) return kNan;
  return non_finite == 0 ? kNone : non_finite > 0 ? kPlusInfinity : kMinusInfinity;
}

double non_finite_of(std::uint8_t code) {
  using Limits = std::numeric_limits<double>;
  switch (code) {
    case kNone: return 0;
    case kPlusInfinity: return Limits::infinity();
    case kMinusInfinity: return -Limits::infinity();
    case kNan: return Limits::quiet_NaN();
    default: throw std::invalid_argument("weighted mean: unknown kind of value");
  }
}

}  // namespace

void ExactWeightedMean::add_fraction(const ExactNumber& numerator, const ExactNumber& denominator) {
  const auto is_below = [](const Term& term, const ExactNumber& other) { return term.denominator < other; };
  auto term = std::lower_bound(terms_.begin(), terms_.end(), denominator, is_below);
  if (term == terms_.end() || term->denominator != denominator) {
    term = terms_.insert(term, {denominator, ExactNumber()});
  }
  term->sum += numerator;
}

void ExactWeightedMean::add_non_finite(double product) {
  non_finite_ = detail::with_one_nan(non_finite_ + product);
}

void ExactWeightedMean::add(double weight, const Partial& partial) {
  weights_.add(weight);
  const auto fraction = std::isfinite(weight) ? partial.exact() : std::nullopt;
  if (fraction) {
    add_fraction(ExactNumber(weight) * fraction->first, fraction->second);
  } else {
    add_non_finite(weight * partial.value());
  }
}

void ExactWeightedMean::add(double weight, double value) {
  weights_.add(weight);
  if (std::isfinite(weight) && std::isfinite(value)) {
    add_fraction(ExactNumber(weight) * ExactNumber(value), ExactNumber(1));
  } else {
    add_non_finite(weight * value);
  }
}

void ExactWeightedMean::add_power(double weight, const Partial& partial, int n) {
  weights_.add(weight);
  const auto fraction = std::isfinite(weight) ? partial.exact() : std::nullopt;
  if (fraction) {
    ExactNumber numerator(weight), denominator(1);
    for (int i = 0; i < n; ++i) {
      numerator = numerator * fraction->first;
      denominator = denominator * fraction->second;
    }
    add_fraction(numerator, denominator);
  } else {
    add_non_finite(weight * std::pow(partial.value(), n));
  }
}

void ExactWeightedMean::add_power(double weight, double value, int n) {
  weights_.add(weight);
  if (std::isfinite(weight) && std::isfinite(value)) {
    const ExactNumber exact(value);
    ExactNumber product(weight);
    for (int i = 0; i < n; ++i) product = product * exact;
    add_fraction(product, ExactNumber(1));
  } else {
    add_non_finite(weight * std::pow(value, n));
  }
}

/// Σ w·v as numerator and denominator.
std::pair<ExactNumber, ExactNumber> ExactWeightedMean::fraction() const {
  ExactNumber numerator;
  ExactNumber denominator(1);
  for (const Term& term : terms_) {
    numerator = numerator * term.denominator + term.sum * denominator;
    denominator = denominator * term.denominator;
  }
  return {numerator, denominator};
}

double ExactWeightedMean::total() const {
  if (code_of(non_finite_) != kNone) return non_finite_;
  const auto [numerator, denominator] = fraction();
  return divide_rounded(numerator, denominator);
}

std::optional<std::pair<ExactNumber, ExactNumber>> ExactWeightedMean::exact() const {
  if (code_of(non_finite_) != kNone || !weights_.is_finite() || weights_.is_zero()) return std::nullopt;
  auto [numerator, denominator] = fraction();
  return std::pair(std::move(numerator), denominator * ExactNumber(weights_));
}

double ExactWeightedMean::value() const {
  if (code_of(non_finite_) != kNone) {
    const double sign = weights_.is_finite() ? ExactNumber(weights_).sign() : weights_.round();
    return detail::with_one_nan(non_finite_ / sign);
  }
  const auto [numerator, denominator] = fraction();
  return divide_rounded(numerator, denominator * ExactNumber(weights_));
}

std::size_t ExactWeightedMean::allocated_bytes() const {
  std::size_t bytes = terms_.capacity() * sizeof(Term);
  for (const Term& term : terms_) bytes += term.denominator.allocated_bytes() + term.sum.allocated_bytes();
  return bytes;
}

// Bytes: kind of the products that are not finite, weights, number of sums that are not zero, those sums.
void ExactWeightedMean::encode(std::vector<std::byte>& out) const {
  const auto is_used = [](const Term& term) { return !term.sum.is_zero(); };
  detail::put(out, code_of(non_finite_));
  weights_.encode(out);
  detail::put(out, static_cast<std::uint64_t>(std::count_if(terms_.begin(), terms_.end(), is_used)));
  for (const Term& term : terms_) {
    if (!is_used(term)) continue;
    term.denominator.encode(out);
    term.sum.encode(out);
  }
}

ExactWeightedMean ExactWeightedMean::decode(std::span<const std::byte>& in) {
  ExactWeightedMean mean;
  mean.non_finite_ = non_finite_of(detail::take<std::uint8_t>(in));
  mean.weights_ = ExactSum::decode(in);
  detail::require(mean.weights_.is_finite() || code_of(mean.non_finite_) != kNone,
                  "weighted mean: a weight that is not finite without its product");
  const auto count = detail::take<std::uint64_t>(in);
  for (std::uint64_t i = 0; i < count; ++i) {
    Term term{ExactNumber::decode(in), ExactNumber::decode(in)};
    detail::require(term.denominator.sign() > 0 && !term.sum.is_zero(), "weighted mean: a term of zero");
    detail::require(mean.terms_.empty() || mean.terms_.back().denominator < term.denominator,
                    "weighted mean: terms out of order");
    mean.terms_.push_back(std::move(term));
  }
  return mean;
}

}  // namespace pileus
