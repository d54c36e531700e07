// variance: Σ w (x - m)² / Σ w over the window, with m the weighted mean: the population variance, in which a
// sample counts for the seconds of the window that it stands for.

#include <span>

#include "time/manipulations/central_moments.h"
#include "time/manipulations/elementwise.h"
#include "time/manipulations/exact_moments.h"
#include "time/manipulations/list.h"
#include "time/manipulations/running_variance.h"

namespace pileus {
namespace {

/// Σ w x² / Σ w - m² in exact numbers, rounded once.
struct ExactVariance : ExactMeansOfPowers<2> {
  double value() const {
    const auto means = exact();
    if (!means) return kNoMoment;
    return second_moment((*means)[0], (*means)[1]).rounded();
  }

  static constexpr const char* kForm = "exact variance";
  static ExactVariance decode(std::span<const std::byte>& in) { return {ExactMeansOfPowers<2>::decode(in)}; }
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
      .origin = UnitOrigin::dropped,
  };
  return declaration;
}

}  // namespace pileus
