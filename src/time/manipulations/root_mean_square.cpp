// root_mean_square: √(Σ w·x² / Σ w) over the window, in which a sample counts for the seconds of the window
// that it stands for.

#include <cmath>

#include "loops/double_double.h"
#include "math/square_root.h"
#include "math/weighted_mean.h"
#include "time/manipulations/elementwise.h"
#include "time/manipulations/list.h"

namespace pileus {
namespace {

/// Rounded once, from exact numbers.
struct ExactRootMeanSquare {
  void add(double weight, double value) { squares.add_power(weight, value, 2); }
  void add(double weight, const Partial& partial) { squares.add_power(weight, partial, 2); }
  double value() const {
    const auto mean = squares.exact();
    return mean ? square_root_rounded(mean->first, mean->second) : std::sqrt(squares.value());
  }

  std::size_t allocated_bytes() const { return squares.allocated_bytes(); }

  static constexpr const char* kForm = "exact root mean square";
  void encode(Bytes& out) const { squares.encode(out); }
  static ExactRootMeanSquare decode(std::span<const std::byte>& in) { return {decode_weighted_mean(in)}; }

  ExactWeightedMean squares;
};

/// The squares are summed in the order of the steps, with about 106 bits where each |x| is 0, or at least
/// 2^-484 (1e-145) and w·x² is in the range of doubles. Beyond that range the result is infinite; below
/// 2^-484 bits are lost, and below 2^-537 it is 0.
struct RunningRootMeanSquare {
  void add(double weight, double value) {
    const WithError square = two_product(value, value);
    weights.add(weight);
    squares.add_product(weight, square.high);
    if (std::isfinite(square.high)) squares.add_product(weight, square.error);
  }
  void add(double weight, const Partial& partial) { add(weight, partial.value()); }
  double value() const { return std::sqrt(squares.divide(weights)); }

  static constexpr const char* kForm = "root mean square";
  void encode(Bytes& out) const {
    pileus::encode(weights, out);
    pileus::encode(squares, out);
  }
  static RunningRootMeanSquare decode(std::span<const std::byte>& in) {
    const DoubleDouble weights = decode_double_double(in);
    return {weights, decode_double_double(in)};
  }

  DoubleDouble weights, squares;
};

std::unique_ptr<Window> make_root_mean_square(bool is_exact, std::optional<double> missing) {
  if (is_exact) return std::make_unique<ElementwiseWindow<ExactRootMeanSquare>>(missing);
  return std::make_unique<ElementwiseWindow<RunningRootMeanSquare>>(missing);
}

}  // namespace

const ManipulationDeclaration& manipulations::root_mean_square() {
  static const ManipulationDeclaration declaration = {
      .name = "root_mean_square",
      .help =
          "Root of the mean of the squares over each output period; a sample counts for the time that it "
          "stands for.",
      .cell_method = "root_mean_square",
      .record_of = RecordOf::output_period,
      .keeps_type = false,
      .make_window = make_root_mean_square,
  };
  return declaration;
}

}  // namespace pileus
