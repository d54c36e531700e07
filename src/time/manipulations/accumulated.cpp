// accumulated: the integral over the window, Σ w·x with w the seconds of the window that the sample x stands
// for. A step that spans two windows gives each its share.

#include "loops/double_double.h"
#include "time/manipulations/elementwise.h"
#include "time/manipulations/exact_window.h"
#include "time/manipulations/list.h"

namespace pileus {
namespace {

/// The integral is summed in the order of the steps, with about 106 bits.
struct RunningIntegral {
  void add(double weight, double value) { sum.add_product(weight, value); }
  void add(double weight, const Partial& partial) { add(weight, partial.value()); }
  double value() const { return sum.value(); }

  static constexpr const char* kForm = "integral";
  void encode(Bytes& out) const { pileus::encode(sum, out); }
  static RunningIntegral decode(std::span<const std::byte>& in) { return {decode_double_double(in)}; }
  DoubleDouble sum;
};

std::unique_ptr<Window> make_integral(bool is_exact, std::optional<double> missing) {
  if (is_exact) return std::make_unique<ExactWindow>(ExactWindow::Result::total, "exact integral", missing);
  return std::make_unique<ElementwiseWindow<RunningIntegral>>(missing);
}

std::string units_of_integral(const std::string& units) { return units == "1" ? "s" : units + " s"; }

}  // namespace

const ManipulationDeclaration& manipulations::accumulated() {
  static const ManipulationDeclaration declaration = {
      .name = "accumulated",
      .help =
          "Integral over each output period: every sample times the seconds that it stands for; units gain "
          "\" s\".",
      .cell_method = "sum",
      .record_of = RecordOf::output_period,
      .keeps_type = false,
      .units = units_of_integral,
      .make_window = make_integral,
      .exact_bytes = exact_window_bytes,
      .can_share_windows = true,
      .is_of_parts = true,
  };
  return declaration;
}

}  // namespace pileus
