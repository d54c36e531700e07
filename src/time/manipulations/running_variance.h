#pragma once
// The state of variance and standard deviation for large values.

#include <cstdint>
#include <span>

#include "loops/double_double.h"
#include "math/partial.h"
#include "time/manipulations/state_bytes.h"

namespace pileus {

/// The variance is made of deviations from the first sample, so that a large mean takes no bits away, in the
/// order of the steps. A few units in the last place from the rounded value.
struct RunningVariance {
  void add(double weight, double value) {
    if (!has_first) first = value;
    has_first = true;
    const double deviation = value - first;
    weights.add(weight);
    sum.add_product(weight, deviation);
    const WithError square = two_product(deviation, deviation);
    squares.add_product(weight, square.high);
    squares.add_product(weight, square.error);
  }
  void add(double weight, const Partial& partial) { add(weight, partial.value()); }
  double value() const {
    // Σ w (d - m)² = Σ w d² - 2 m Σ w d + m² Σ w with 106 bits. That m is rounded changes it by
    // (m - mean)² Σ w, which is far below the last place.
    const double m = sum.divide(weights.high);
    const WithError square = two_product(m, m);
    DoubleDouble rest = squares;
    rest.add_product(-2 * m, sum.high);
    rest.add_product(-2 * m, sum.low);
    rest.add_product(square.high, weights.high);
    rest.add_product(square.high, weights.low);
    rest.add_product(square.error, weights.high);
    const double variance = rest.divide(weights.high);
    return variance < 0 ? 0 : variance;
  }

  static constexpr const char* kForm = "variance";
  void encode(Bytes& out) const {
    Encoder(out).put(first);
    Encoder(out).put(has_first);
    for (const DoubleDouble& one : {weights, sum, squares}) pileus::encode(one, out);
  }
  static RunningVariance decode(std::span<const std::byte>& in) {
    RunningVariance variance;
    Decoder decoder(in);
    variance.first = decoder.get<double>();
    variance.has_first = decoder.get<std::uint8_t>() != 0;
    in = decoder.rest();
    for (DoubleDouble* one : {&variance.weights, &variance.sum, &variance.squares})
      *one = decode_double_double(in);
    return variance;
  }

  double first = 0;
  bool has_first = false;
  DoubleDouble weights, sum, squares;
};

}  // namespace pileus
