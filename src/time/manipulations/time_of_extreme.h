#pragma once
// The windows of the time when the smallest or the largest sample is reached first.

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "time/manipulations/elementwise.h"

namespace pileus {

/// The model time at the end of what the sample stands for in the window. A NaN makes it NaN. Samples are
/// compared as doubles, and -0 < +0.
template <bool kIsMaximum>
struct TimeOfExtreme {
  void add(SampleTime time, double value) {
    if (has_value && !is_better(value)) return;
    has_value = true;
    best = value;
    time_s = time.end_s;
  }
  void add(SampleTime time, const Partial& partial) { add(time, partial.value()); }
  double value() const { return std::isnan(best) ? best : time_s; }

  static constexpr const char* kForm = kIsMaximum ? "time of maximum" : "time of minimum";
  void encode(Bytes& out) const {
    Encoder encoder(out);
    encoder.put(has_value);
    encoder.put(best);
    encoder.put(time_s);
  }
  static TimeOfExtreme decode(std::span<const std::byte>& in) {
    TimeOfExtreme state;
    Decoder decoder(in);
    state.has_value = decoder.get<std::uint8_t>() != 0;
    state.best = decoder.get<double>();
    state.time_s = decoder.get<double>();
    in = decoder.rest();
    return state;
  }

  bool is_better(double value) const {
    if (std::isnan(best) || std::isnan(value)) return !std::isnan(best);
    const double smaller = kIsMaximum ? best : value, larger = kIsMaximum ? value : best;
    return smaller < larger || (smaller == larger && std::signbit(smaller) && !std::signbit(larger));
  }

  bool has_value = false;
  double best = 0, time_s = 0;
};

template <bool kIsMaximum>
std::unique_ptr<Window> make_time_of_extreme(bool, std::optional<double> missing) {
  return std::make_unique<ElementwiseWindow<TimeOfExtreme<kIsMaximum>>>(missing);
}

}  // namespace pileus
