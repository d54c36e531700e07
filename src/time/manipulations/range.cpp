// range: the maximum minus the minimum of the samples that stand for some of the window.

#include <cmath>
#include <limits>

#include "time/manipulations/elementwise.h"
#include "time/manipulations/list.h"

namespace pileus {
namespace {

/// Of the samples as doubles, which makes it the difference of the two records of maximum and minimum. A NaN
/// makes it NaN.
struct Range {
  void add(double, double value) {
    if (value < low) low = value;
    if (value > high) high = value;
    if (std::isnan(value)) low = high = value;  // nothing is below or above it
  }
  void add(double weight, const Partial& partial) { add(weight, partial.value()); }
  double value() const { return high - low; }

  static constexpr const char* kForm = "range";
  void encode(Bytes& out) const {
    Encoder encoder(out);
    encoder.put(low);
    encoder.put(high);
  }
  static Range decode(std::span<const std::byte>& in) {
    Decoder decoder(in);
    const auto low = decoder.get<double>(), high = decoder.get<double>();
    in = decoder.rest();
    return {low, high};
  }

  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
};

std::unique_ptr<Window> make_range(bool, std::optional<double> missing) {
  return std::make_unique<ElementwiseWindow<Range>>(missing);
}

}  // namespace

const ManipulationDeclaration& manipulations::range() {
  static const ManipulationDeclaration declaration = {
      .name = "range",
      .help = "Largest minus smallest of the samples that stand for some of the output period.",
      .cell_method = "range",
      .record_of = RecordOf::output_period,
      .keeps_type = false,
      .make_window = make_range,
      .origin = UnitOrigin::dropped,
  };
  return declaration;
}

}  // namespace pileus
