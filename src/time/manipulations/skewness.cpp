// skewness: m₃ / m₂^(3/2) of the population, with mₙ = Σ w (x - mean)ⁿ / Σ w over the window, in which a
// sample counts for the seconds of the window that it stands for. Samples that are all equal have none: NaN.

#include <array>
#include <cmath>
#include <span>

#include "math/square_root.h"
#include "time/manipulations/central_moments.h"
#include "time/manipulations/elementwise.h"
#include "time/manipulations/exact_moments.h"
#include "time/manipulations/list.h"
#include "time/manipulations/running_moments.h"

namespace pileus {
namespace {

/// ±√(m₃² / m₂³), rounded once.
struct ExactSkewness : ExactMeansOfPowers<3> {
  double value() const {
    const auto means = exact();
    if (!means) return kNoMoment;
    const auto& [mean, squares, cubes] = *means;
    const ExactFraction second = second_moment(mean, squares), third = third_moment(mean, squares, cubes);
    if (second.sign() == 0) return kNoMoment;
    const ExactFraction square = third * third, cube = second * second * second;
    const double size =
        square_root_rounded(square.numerator * cube.denominator, square.denominator * cube.numerator);
    return third.sign() < 0 ? -size : size;
  }

  static constexpr const char* kForm = "exact skewness";
  static ExactSkewness decode(std::span<const std::byte>& in) { return {ExactMeansOfPowers<3>::decode(in)}; }
};

/// A few units in the last place from the rounded value where the mean is not further from the first sample
/// than a thousand standard deviations.
struct RunningSkewness : RunningPowers<3> {
  double value() const {
    const auto [mean, squares, cubes] = means();
    const double second = second_moment(mean, squares).value();
    if (!(second > 0)) return kNoMoment;
    return third_moment(mean, squares, cubes).value() / second / std::sqrt(second);
  }

  static constexpr const char* kForm = "skewness";
  static RunningSkewness decode(std::span<const std::byte>& in) { return {RunningPowers<3>::decode(in)}; }
};

std::unique_ptr<Window> make_skewness(bool is_exact, std::optional<double> missing) {
  if (is_exact) return std::make_unique<ElementwiseWindow<ExactSkewness>>(missing);
  return std::make_unique<ElementwiseWindow<RunningSkewness>>(missing);
}

}  // namespace

const ManipulationDeclaration& manipulations::skewness() {
  static const ManipulationDeclaration declaration = {
      .name = "skewness",
      .help =
          "Skewness of the population over each output period; a sample counts for the time that it stands "
          "for; units are 1.",
      .record_of = RecordOf::output_period,
      .keeps_type = false,
      .holds = RecordHolds::number,
      .make_window = make_skewness,
  };
  return declaration;
}

}  // namespace pileus
