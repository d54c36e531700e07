#pragma once
// The windows of what a value has changed by since the end of the window before.

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "loops/double_double.h"
#include "math/weighted_mean.h"
#include "time/manipulations/elementwise.h"

namespace pileus {

/// One exact value, or one that is not finite.
inline ExactWeightedMean exact_value(const auto& value) {
  ExactWeightedMean exact;
  exact.add(1, value);
  return exact;
}

/// The last value that is not missing, and the one that was so at the end of the windows before or else is
/// the first one. Rounded once.
struct ExactChange {
  void add(double, const auto& value) {
    last = exact_value(value);
    if (!has_base) base = last;
    has_base = true;
  }
  void begin_next() { base = last; }
  double divided_by(double divisor) const {
    const auto a = last.exact(), b = base.exact();
    if (!a || !b || !std::isfinite(divisor)) return (last.value() - base.value()) / divisor;
    const ExactNumber numerator = a->first * b->second - b->first * a->second;
    return divide_rounded(numerator, a->second * b->second * ExactNumber(divisor));
  }

  std::size_t allocated_bytes() const { return last.allocated_bytes() + base.allocated_bytes(); }
  static constexpr const char* kForm = "exact change";
  void encode(Bytes& out) const {
    Encoder(out).put(has_base);
    last.encode(out);
    base.encode(out);
  }
  template <class State = ExactChange>
  static State decode(std::span<const std::byte>& in) {
    State state;
    Decoder decoder(in);
    state.has_base = decoder.get<std::uint8_t>() != 0;
    in = decoder.rest();
    state.last = decode_weighted_mean(in);
    state.base = decode_weighted_mean(in);
    return state;
  }

  bool has_base = false;
  ExactWeightedMean last, base;
};

/// The same of numbers. Both doubles of each are used by integers alone.
struct RunningChange {
  void add(double, double value) { take({value, 0}); }
  void add(double weight, const Partial& partial) { add(weight, partial.value()); }
  void add_integer(double, std::int64_t value) {
    const std::int64_t rest = value & 0xFFFFFFFF;
    DoubleDouble sum{static_cast<double>(value - rest), 0};
    sum.add(static_cast<double>(rest));
    take(sum);
  }
  void begin_next() { base = last; }
  double divided_by(double divisor) const { return (last - base).divide(divisor); }

  static constexpr const char* kForm = "change";
  void encode(Bytes& out) const {
    Encoder(out).put(has_base);
    pileus::encode(last, out);
    pileus::encode(base, out);
  }
  template <class State = RunningChange>
  static State decode(std::span<const std::byte>& in) {
    State state;
    Decoder decoder(in);
    state.has_base = decoder.get<std::uint8_t>() != 0;
    in = decoder.rest();
    state.last = decode_double_double(in);
    state.base = decode_double_double(in);
    return state;
  }

  void take(const DoubleDouble& value) {
    last = value;
    if (!has_base) base = last;
    has_base = true;
  }

  bool has_base = false;
  DoubleDouble last, base;
};

/// `State`: ExactChange or RunningChange.
template <class State>
struct Difference : State {
  double value() const { return State::divided_by(1); }
  static Difference decode(std::span<const std::byte>& in) { return State::template decode<Difference>(in); }
};
template <class State>
struct Tendency : State {
  double value(double period_s) const { return State::divided_by(period_s); }
  static Tendency decode(std::span<const std::byte>& in) { return State::template decode<Tendency>(in); }
};

template <template <class> class Result>
std::unique_ptr<Window> make_change(bool is_exact, std::optional<double> missing) {
  if (is_exact) return std::make_unique<ElementwiseWindow<Result<ExactChange>>>(missing);
  return std::make_unique<ElementwiseWindow<Result<RunningChange>>>(missing);
}

}  // namespace pileus
