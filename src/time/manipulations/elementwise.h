#pragma once
// A window that holds a state for each element of its samples, for the manipulations that do. Elements that
// are missing are left out; of an element of which nothing is left the record has the fill value.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/missing.h"
#include "time/manipulations/missing_elements.h"
#include "time/manipulations/state_bytes.h"
#include "time/window.h"

namespace pileus {

/// An integer that no double may hold; null for other elements.
inline const std::int64_t* beyond_doubles(const Array& array, std::size_t i) {
  constexpr std::int64_t kExact = std::int64_t{1} << 53;
  if (array.type != ElementType::int64) return nullptr;
  const std::int64_t& value = array.as<std::int64_t>()[i];
  return value < -kExact || value > kExact ? &value : nullptr;
}
inline Partial partial_of(std::int64_t value) {
  Partial partial(Reduction::sum);
  partial.add(std::span<const std::int64_t>(&value, 1));
  return partial;
}

/// State: add(weight, double), add(weight, Partial), value(), kForm, encode(Bytes&) and
/// decode(span, which loses what is read); allocated_bytes() where it has memory elsewhere. What only some
/// ask: add() with a SampleTime for the weight, value(period_s), add_integer(weight, those that no double
/// may hold), skip() for a sample without this element, and begin_next() where it goes on behind the record.
template <class State>
class ElementwiseWindow : public Window {
  static constexpr bool kGoesOn = requires(State & state) { state.begin_next(); };

 public:
  explicit ElementwiseWindow(std::optional<double> missing) : missing_(missing) {}

  void add(const Sample& sample, SampleTime time) override {
    if (time.weight_s <= 0) return;
    if (is_absent(sample)) {
      for (State& state : states_) skip(state);
      return;
    }
    begin(pileus::extents(sample));
    has_sample_ = true;
    if (const auto* partials = std::get_if<PartialArray>(&sample)) {
      for (std::size_t i = 0; i < states_.size(); ++i) {
        const Partial partial = (*partials->values)[i];
        if (missing_ && is_of_nothing(partial)) {
          skip(states_[i]);
        } else {
          take(i, time, partial);
        }
      }
    } else {
      const std::optional<double> missing = missing_in(sample, missing_);
      const std::vector<double> values = to_doubles(sample);
      for (std::size_t i = 0; i < states_.size(); ++i) {
        if (values[i] == missing) {
          skip(states_[i]);
        } else if (const auto* integer = beyond_doubles(*std::get_if<Array>(&sample), i)) {
          take_integer(i, time, *integer);
        } else {
          take(i, time, values[i]);
        }
      }
    }
  }

  std::optional<Array> take_record(double period_s) override {
    if (!std::exchange(has_sample_, false)) return std::nullopt;
    most_bytes_ = most_bytes();  // within a window states only grow
    std::vector<double> values;
    values.reserve(states_.size());
    for (std::size_t i = 0; i < states_.size(); ++i)
      values.push_back(has_value_[i] ? value_of(states_[i], period_s) : kMissing);
    if constexpr (kGoesOn) {
      for (State& state : states_) state.begin_next();
      has_value_.assign(states_.size(), false);
      return make_array(std::move(values), *extents_);
    }
    states_.clear();
    has_value_.clear();
    return make_array(std::move(values), *std::exchange(extents_, std::nullopt));
  }

  std::size_t most_bytes() const override {
    std::size_t bytes = states_.capacity() * sizeof(State);
    if constexpr (requires(const State& state) { state.allocated_bytes(); })
      for (const State& state : states_) bytes += state.allocated_bytes();
    return std::max(most_bytes_, bytes);
  }

  std::optional<WindowState> state() const override {
    if (!extents_) return std::nullopt;
    WindowState kept{State::kForm, *extents_, {}, 0, {}, {}};
    if constexpr (kGoesOn) Encoder(kept.common).put(has_sample_);
    Bytes element;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      element.assign(1, std::byte{has_value_[i]});
      states_[i].encode(element);
      kept.add(element);
    }
    return kept;
  }

  void restore(const Extents& extents, const std::vector<WindowPiece>& pieces) override {
    begin(extents);
    has_sample_ = !kGoesOn;
    for (const WindowPiece& piece : pieces) {
      require_form(piece, State::kForm);
      if constexpr (kGoesOn)
        has_sample_ = has_sample_ || Decoder(piece.state.common).get<std::uint8_t>() != 0;
      for_each_element(piece, extents, [&](std::size_t place, std::span<const std::byte> bytes) {
        require_whole(!bytes.empty());
        has_value_[place] = bytes[0] != std::byte{0};
        bytes = bytes.subspan(1);
        states_[place] = State::decode(bytes);
        require_whole(bytes.empty());
      });
    }
  }

 protected:
  void begin(const Extents& shape) {
    if (!extents_) {
      extents_ = shape;
      states_.resize(static_cast<std::size_t>(Region{{}, shape}.size()));
      has_value_.resize(states_.size());
    } else if (*extents_ != shape) {
      throw UsageError("the shape of a field has changed within a window");
    }
  }

  template <class Value>
  void take(std::size_t i, SampleTime time, const Value& value) {
    if constexpr (requires(State & state) { state.add(time, value); }) {
      states_[i].add(time, value);
    } else {
      states_[i].add(time.weight_s, value);
    }
    has_value_[i] = true;
  }

 private:
  void take_integer(std::size_t i, SampleTime time, std::int64_t value) {
    if constexpr (requires(State & state) { state.add_integer(time.weight_s, value); }) {
      states_[i].add_integer(time.weight_s, value);
      has_value_[i] = true;
    } else {
      take(i, time, partial_of(value));
    }
  }
  static void skip(State& state) {
    if constexpr (requires { state.skip(); }) state.skip();
  }
  static double value_of(const State& state, double period_s) {
    if constexpr (requires { state.value(period_s); }) {
      return state.value(period_s);
    } else {
      return state.value();
    }
  }

  std::optional<Extents> extents_;  ///< of the samples, once there is one
  std::vector<State> states_;
  std::vector<bool> has_value_;  ///< in the window

 protected:
  std::optional<double> missing_;
  bool has_sample_ = false;  ///< there was one in the window

 private:
  std::size_t most_bytes_ = 0;  ///< in windows before this one
};

}  // namespace pileus
