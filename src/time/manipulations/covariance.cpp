// covariance: Σ w (x - mean of x) (y - mean of y) / Σ w of the population over the window, in which a pair
// counts for the seconds of the window that it stands for.

#include "time/manipulations/list.h"
#include "time/manipulations/pair_window.h"

namespace pileus {
namespace {

/// Σ w x y / Σ w less the product of the means, in exact numbers, rounded once.
struct ExactCovariance : ExactMeansOfPairs<3>, OfPairs<ExactCovariance> {
  using ExactMeansOfPairs::add;
  using OfPairs::add;
  double value() const {
    const auto means = exact();
    if (!means) return kNoMoment;
    const auto& [x, y, products] = *means;
    return (products - x * y).rounded();
  }
  static constexpr const char* kForm = "exact covariance";
  static ExactCovariance decode(std::span<const std::byte>& in) { return decoded<ExactCovariance>(in); }
};

struct RunningCovariance : RunningMeansOfPairs, OfPairs<RunningCovariance> {
  using OfPairs::add;
  using RunningMeansOfPairs::add;
  double value() const {
    const auto [x, y, products, squares, other_squares] = means();
    return (products - x * y).value();
  }
  static constexpr const char* kForm = "covariance";
  static RunningCovariance decode(std::span<const std::byte>& in) { return decoded<RunningCovariance>(in); }
};

std::unique_ptr<Window> make_covariance(bool is_exact, std::optional<double> missing) {
  if (is_exact) return std::make_unique<PairWindow<ExactCovariance>>(missing);
  return std::make_unique<PairWindow<RunningCovariance>>(missing);
}

}  // namespace

const ManipulationDeclaration& manipulations::covariance() {
  static const ManipulationDeclaration declaration = {
      .name = "covariance",
      .help =
          "Population covariance with another field, with=\"v\", over each output period; a pair counts "
          "for the time that it stands for; units are those of the product.",
      .record_of = RecordOf::output_period,
      .keeps_type = false,
      .holds = RecordHolds::change,
      .make_window = make_covariance,
      .takes_pairs = true,
  };
  return declaration;
}

}  // namespace pileus
