// accumulated: the integral over the window, Σ w·x with w the seconds of the window that the sample x stands
// for. A step that spans two windows gives each its share.

#include "loops/double_double.h"
#include "time/manipulations/elementwise.h"
#include "time/manipulations/exact_window.h"

namespace pileus {
namespace {

/// In the order of the steps, with about 106 bits.
struct RunningIntegral {
  void add(double weight, double value) { sum.add_product(weight, value); }
  void add(double weight, const Partial& partial) { add(weight, partial.value()); }
  double value() const { return sum.value(); }

  static constexpr const char* kForm = "integral";
  void encode(Bytes& out) const { pileus::encode(sum, out); }
  static RunningIntegral decode(std::span<const std::byte>& in) { return {decode_double_double(in)}; }
  DoubleDouble sum;
};

}  // namespace

std::unique_ptr<Window> make_exact_integral(std::optional<double> missing) {
  return std::make_unique<ExactWindow>(ExactWindow::Result::total, "exact integral", missing);
}
std::unique_ptr<Window> make_running_integral(std::optional<double> missing) {
  return std::make_unique<ElementwiseWindow<RunningIntegral>>(missing);
}

}  // namespace pileus
