// variance: Σ w (x - m)² / Σ w over the window, with m the weighted mean: the population variance, in which a
// sample counts for the seconds of the window that it stands for.

#include <cmath>

#include "loops/double_double.h"
#include "math/weighted_mean.h"
#include "time/manipulations/elementwise.h"
#include "time/manipulations/list.h"

namespace pileus {
namespace {

/// Σ w x² / Σ w - m² in exact numbers, rounded once.
struct ExactVariance {
  void add(double weight, double value) {
    mean.add(weight, value);
    squares.add_square(weight, value);
  }
  void add(double weight, const Partial& partial) {
    mean.add(weight, partial);
    squares.add_square(weight, partial);
  }
  double value() const {
    const auto m = mean.exact(), s = squares.exact();
    if (!m || !s) return std::numeric_limits<double>::quiet_NaN();
    const ExactNumber square = m->second * m->second;
    return divide_rounded(s->first * square - m->first * m->first * s->second, s->second * square);
  }

  std::size_t allocated_bytes() const { return mean.allocated_bytes() + squares.allocated_bytes(); }

  static constexpr const char* kForm = "exact variance";
  void encode(Bytes& out) const {
    mean.encode(out);
    squares.encode(out);
  }
  static ExactVariance decode(std::span<const std::byte>& in) {
    ExactVariance variance;
    variance.mean = decode_weighted_mean(in);
    variance.squares = decode_weighted_mean(in);
    return variance;
  }

  ExactWeightedMean mean, squares;
};

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

std::unique_ptr<Window> make_variance(bool is_exact, std::optional<double> missing) {
  if (is_exact) return std::make_unique<ElementwiseWindow<ExactVariance>>(missing);
  return std::make_unique<ElementwiseWindow<RunningVariance>>(missing);
}

std::string units_of_variance(const std::string& units) { return units == "1" ? "1" : "(" + units + ")2"; }

}  // namespace

const ManipulationDeclaration& manipulations::variance() {
  static const ManipulationDeclaration declaration = {
      .name = "variance",
      .help =
          "Population variance over each output period; a sample counts for the time that it stands for; "
          "units are squared.",
      .cell_method = "variance",
      .record_of = RecordOf::output_period,
      .keeps_type = false,
      .units = units_of_variance,
      .make_window = make_variance,
  };
  return declaration;
}

}  // namespace pileus
