// kurtosis: m₄ / m₂² of the population (3 of a normal distribution), with mₙ = Σ w (x - mean)ⁿ / Σ w over the
// window, in which a sample counts for the seconds of the window that it stands for. Samples that are all
// equal have none: NaN.

#include <array>
#include <span>

#include "time/manipulations/central_moments.h"
#include "time/manipulations/elementwise.h"
#include "time/manipulations/exact_moments.h"
#include "time/manipulations/list.h"
#include "time/manipulations/running_moments.h"

namespace pileus {
namespace {

/// Rounded once.
struct ExactKurtosis : ExactMeansOfPowers<4> {
  double value() const {
    const auto means = exact();
    if (!means) return kNoMoment;
    const auto& [mean, squares, cubes, fourths] = *means;
    const ExactFraction second = second_moment(mean, squares);
    if (second.sign() == 0) return kNoMoment;
    const ExactFraction fourth = fourth_moment(mean, squares, cubes, fourths), square = second * second;
    return divide_rounded(fourth.numerator * square.denominator, fourth.denominator * square.numerator);
  }

  static constexpr const char* kForm = "exact kurtosis";
  static ExactKurtosis decode(std::span<const std::byte>& in) { return {ExactMeansOfPowers<4>::decode(in)}; }
};

/// A few units in the last place from the rounded value where the mean is not further from the first sample
/// than a thousand standard deviations.
struct RunningKurtosis : RunningPowers<4> {
  double value() const {
    const auto [mean, squares, cubes, fourths] = means();
    const DoubleDouble second = second_moment(mean, squares);
    if (!(second.value() > 0)) return kNoMoment;
    return (fourth_moment(mean, squares, cubes, fourths) / (second * second)).value();
  }

  static constexpr const char* kForm = "kurtosis";
  static RunningKurtosis decode(std::span<const std::byte>& in) { return {RunningPowers<4>::decode(in)}; }
};

std::unique_ptr<Window> make_kurtosis(bool is_exact, std::optional<double> missing) {
  if (is_exact) return std::make_unique<ElementwiseWindow<ExactKurtosis>>(missing);
  return std::make_unique<ElementwiseWindow<RunningKurtosis>>(missing);
}

}  // namespace

const ManipulationDeclaration& manipulations::kurtosis() {
  static const ManipulationDeclaration declaration = {
      .name = "kurtosis",
      .help =
          "Kurtosis of the population over each output period, 3 of a normal distribution; a sample counts "
          "for the time that it stands for; units are 1.",
      .record_of = RecordOf::output_period,
      .keeps_type = false,
      .holds = RecordHolds::number,
      .make_window = make_kurtosis,
  };
  return declaration;
}

}  // namespace pileus
