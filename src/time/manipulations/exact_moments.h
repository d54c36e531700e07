#pragma once
// The state of manipulations that are made of weighted means of powers, in exact numbers: variance, standard
// deviation, skewness, kurtosis. Each of them rounds its value once.

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "math/weighted_mean.h"
#include "time/manipulations/state_bytes.h"

namespace pileus {

/// A fraction that is never reduced.
struct ExactFraction {
  ExactNumber numerator, denominator;

  double rounded() const { return divide_rounded(numerator, denominator); }
  int sign() const { return numerator.sign(); }  // denominators are positive
  friend ExactFraction operator*(const ExactFraction& a, const ExactFraction& b) {
    return {a.numerator * b.numerator, a.denominator * b.denominator};
  }
  friend ExactFraction operator+(const ExactFraction& a, const ExactFraction& b) {
    return {a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator};
  }
  friend ExactFraction operator-(const ExactFraction& a, const ExactFraction& b) {
    return a + ExactFraction{-b.numerator, b.denominator};
  }
  friend ExactFraction operator*(int factor, const ExactFraction& a) {
    return {ExactNumber(factor) * a.numerator, a.denominator};
  }
};

/// Σ w xⁿ / Σ w for n from 1 to N.
template <int N>
class ExactMeansOfPowers {
 public:
  template <class Value>
  void add(double weight, const Value& value) {
    for (int n = 1; n <= N; ++n) means_[n - 1].add_power(weight, value, n);
  }
  /// std::nullopt where they are not finite numbers, or there is none.
  std::optional<std::array<ExactFraction, N>> exact() const {
    std::array<ExactFraction, N> fractions;
    for (int n = 0; n < N; ++n) {
      const auto mean = means_[n].exact();
      if (!mean) return std::nullopt;
      fractions[n] = {mean->first, mean->second};
    }
    return fractions;
  }

  std::size_t allocated_bytes() const {
    std::size_t bytes = 0;
    for (const ExactWeightedMean& mean : means_) bytes += mean.allocated_bytes();
    return bytes;
  }
  void encode(Bytes& out) const {
    for (const ExactWeightedMean& mean : means_) mean.encode(out);
  }
  static ExactMeansOfPowers decode(std::span<const std::byte>& in) {
    ExactMeansOfPowers powers;
    for (ExactWeightedMean& mean : powers.means_) mean = decode_weighted_mean(in);
    return powers;
  }

 private:
  std::array<ExactWeightedMean, N> means_;
};

}  // namespace pileus
