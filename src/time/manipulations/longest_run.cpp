// longest_run: the longest time in the window for which the value is not 0 without a break.

#include "loops/double_double.h"
#include "time/manipulations/elementwise.h"
#include "time/manipulations/list.h"

namespace pileus {
namespace {

/// A NaN is not 0. A run ends where the value is missing or absent, and at both ends of the window.
struct LongestRun {
  void add(double weight, double value) {
    if (value == 0) return skip();
    run.add(weight);
    const bool is_longer = run.high > longest.high || (run.high == longest.high && run.low > longest.low);
    if (is_longer) longest = run;
  }
  void add(double weight, const Partial& partial) { add(weight, partial.value()); }
  void skip() { run = DoubleDouble{}; }
  double value() const { return longest.value(); }

  static constexpr const char* kForm = "longest run";
  void encode(Bytes& out) const {
    pileus::encode(run, out);
    pileus::encode(longest, out);
  }
  static LongestRun decode(std::span<const std::byte>& in) {
    const DoubleDouble run = decode_double_double(in);
    return {run, decode_double_double(in)};
  }

  DoubleDouble run, longest;  // s
};

std::unique_ptr<Window> make_longest_run(bool, std::optional<double> missing) {
  return std::make_unique<ElementwiseWindow<LongestRun>>(missing);
}

}  // namespace

const ManipulationDeclaration& manipulations::longest_run() {
  static const ManipulationDeclaration declaration = {
      .name = "longest_run",
      .help =
          "Longest time in each output period for which the value, such as a condition, is not 0 without a "
          "break; units are s.",
      .record_of = RecordOf::output_period,
      .keeps_type = false,
      .holds = RecordHolds::duration,
      .make_window = make_longest_run,
  };
  return declaration;
}

}  // namespace pileus
