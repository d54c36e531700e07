// standard_deviation: the root of the variance over the window, in which a sample counts for the seconds
// of the window that it stands for.

#include <cmath>
#include <span>

#include "math/square_root.h"
#include "time/manipulations/central_moments.h"
#include "time/manipulations/elementwise.h"
#include "time/manipulations/exact_moments.h"
#include "time/manipulations/list.h"
#include "time/manipulations/running_variance.h"

namespace pileus {
namespace {

struct ExactDeviation : ExactMeansOfPowers<2> {
  double value() const {
    const auto means = exact();
    if (!means) return kNoMoment;
    const ExactFraction variance = second_moment((*means)[0], (*means)[1]);
    return square_root_rounded(variance.numerator, variance.denominator);
  }

  static constexpr const char* kForm = "exact standard deviation";
  static ExactDeviation decode(std::span<const std::byte>& in) { return {ExactMeansOfPowers<2>::decode(in)}; }
};

struct RunningDeviation : RunningVariance {
  double value() const { return std::sqrt(RunningVariance::value()); }

  static constexpr const char* kForm = "standard deviation";
  static RunningDeviation decode(std::span<const std::byte>& in) { return {RunningVariance::decode(in)}; }
};

std::unique_ptr<Window> make_standard_deviation(bool is_exact, std::optional<double> missing) {
  if (is_exact) return std::make_unique<ElementwiseWindow<ExactDeviation>>(missing);
  return std::make_unique<ElementwiseWindow<RunningDeviation>>(missing);
}

}  // namespace

const ManipulationDeclaration& manipulations::standard_deviation() {
  static const ManipulationDeclaration declaration = {
      .name = "standard_deviation",
      .help =
          "Root of the population variance over each output period; a sample counts for the time that it "
          "stands for.",
      .cell_method = "standard_deviation",
      .record_of = RecordOf::output_period,
      .keeps_type = false,
      .make_window = make_standard_deviation,
      .origin = UnitOrigin::dropped,
  };
  return declaration;
}

}  // namespace pileus
