// correlation: the covariance of pairs over the window divided by the product of the standard deviations.
// Where one of the two does not vary there is none: NaN.

#include <algorithm>
#include <cmath>

#include "time/manipulations/list.h"
#include "time/manipulations/pair_window.h"

namespace pileus {
namespace {

/// ±√(c² / (v₁ v₂)), rounded once.
struct ExactCorrelation : ExactMeansOfPairs<5>, OfPairs<ExactCorrelation> {
  using ExactMeansOfPairs::add;
  using OfPairs::add;
  double value() const {
    const auto means = exact();
    if (!means) return kNoMoment;
    const auto& [x, y, products, squares, other_squares] = *means;
    const ExactFraction covariance = products - x * y;
    const ExactFraction variances = second_moment(x, squares) * second_moment(y, other_squares);
    if (variances.sign() == 0) return kNoMoment;
    const ExactFraction square = covariance * covariance;
    const double size = square_root_rounded(square.numerator * variances.denominator,
                                            square.denominator * variances.numerator);
    const double bounded = size > 1 ? 1 : size;
    return covariance.sign() < 0 ? -bounded : bounded;
  }
  static constexpr const char* kForm = "exact correlation";
  static ExactCorrelation decode(std::span<const std::byte>& in) { return decoded<ExactCorrelation>(in); }
};

struct RunningCorrelation : RunningMeansOfPairs, OfPairs<RunningCorrelation> {
  using OfPairs::add;
  using RunningMeansOfPairs::add;
  double value() const {
    const auto [x, y, products, squares, other_squares] = means();
    const double variance = second_moment(x, squares).value(),
                 other = second_moment(y, other_squares).value();
    if (!(variance > 0) || !(other > 0)) return kNoMoment;
    // Three roundings may lead beyond 1; NaN stays.
    return std::clamp((products - x * y).value() / std::sqrt(variance) / std::sqrt(other), -1.0, 1.0);
  }
  static constexpr const char* kForm = "correlation";
  static RunningCorrelation decode(std::span<const std::byte>& in) { return decoded<RunningCorrelation>(in); }
};

std::unique_ptr<Window> make_correlation(bool is_exact, std::optional<double> missing) {
  if (is_exact) return std::make_unique<PairWindow<ExactCorrelation>>(missing);
  return std::make_unique<PairWindow<RunningCorrelation>>(missing);
}

}  // namespace

const ManipulationDeclaration& manipulations::correlation() {
  static const ManipulationDeclaration declaration = {
      .name = "correlation",
      .help =
          "Correlation with another field, with=\"v\", over each output period; a pair counts for the time "
          "that it stands for; units are 1.",
      .record_of = RecordOf::output_period,
      .keeps_type = false,
      .holds = RecordHolds::number,
      .make_window = make_correlation,
      .takes_pairs = true,
  };
  return declaration;
}

}  // namespace pileus
