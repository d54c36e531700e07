#pragma once
// The state of skewness and kurtosis for large values: sums of powers of deviations, with about 100 bits.

#include <array>
#include <cstdint>
#include <span>

#include "loops/double_double.h"
#include "time/manipulations/state_bytes.h"

namespace pileus {

/// Σ w dⁿ for n from 1 to N with d the deviation from the first sample, so that a large mean takes no bits
/// away, in the order of the steps. Bits are lost where a dⁿ is below 2^-850 (1e-256), and what is made of
/// the sums is NaN where one is beyond the range of doubles.
template <int N>
class RunningPowers {
 public:
  void add(double weight, double value) {
    if (!has_first_) first_ = value;
    has_first_ = true;
    const WithError difference = two_sum(value, -first_);
    const DoubleDouble deviation{difference.high, difference.error};
    weights_.add(weight);
    DoubleDouble term{weight, 0};
    for (DoubleDouble& sum : sums_) {
      term = term * deviation;
      sum.add(term);
    }
  }
  void add(double weight, const Partial& partial) { add(weight, partial.value()); }

  /// The means of the powers.
  std::array<DoubleDouble, N> means() const {
    std::array<DoubleDouble, N> means;
    for (int n = 0; n < N; ++n) means[n] = sums_[n] / weights_;
    return means;
  }

  void encode(Bytes& out) const {
    Encoder(out).put(first_);
    Encoder(out).put(has_first_);
    pileus::encode(weights_, out);
    for (const DoubleDouble& sum : sums_) pileus::encode(sum, out);
  }
  static RunningPowers decode(std::span<const std::byte>& in) {
    RunningPowers powers;
    Decoder decoder(in);
    powers.first_ = decoder.get<double>();
    powers.has_first_ = decoder.get<std::uint8_t>() != 0;
    in = decoder.rest();
    powers.weights_ = decode_double_double(in);
    for (DoubleDouble& sum : powers.sums_) sum = decode_double_double(in);
    return powers;
  }

 private:
  double first_ = 0;
  bool has_first_ = false;
  DoubleDouble weights_;
  std::array<DoubleDouble, N> sums_;
};

}  // namespace pileus
