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
/// decode(span, which loses what is read); allocated_bytes() where it has memory elsewhere.
template <class State>
class ElementwiseWindow : public Window {
 public:
  explicit ElementwiseWindow(std::optional<double> missing) : missing_(missing) {}

  void add(const Sample& sample, double weight_s) override {
    if (weight_s <= 0 || is_absent(sample)) return;
    begin(pileus::extents(sample));
    if (const auto* partials = std::get_if<PartialArray>(&sample)) {
      for (std::size_t i = 0; i < states_.size(); ++i) {
        const Partial partial = (*partials->values)[i];
        if (!(missing_ && is_of_nothing(partial))) take(i, weight_s, partial);
      }
    } else {
      const std::optional<double> missing = missing_in(sample, missing_);
      const std::vector<double> values = to_doubles(sample);
      for (std::size_t i = 0; i < states_.size(); ++i) {
        if (values[i] == missing) continue;
        if (const auto* integer = beyond_doubles(*std::get_if<Array>(&sample), i)) {
          take(i, weight_s, partial_of(*integer));
        } else {
          take(i, weight_s, values[i]);
        }
      }
    }
  }

  std::optional<Array> take_record() override {
    if (!extents_) return std::nullopt;
    most_bytes_ = most_bytes();  // within a window states only grow
    std::vector<double> values;
    values.reserve(states_.size());
    for (std::size_t i = 0; i < states_.size(); ++i)
      values.push_back(has_value_[i] ? states_[i].value() : kMissing);
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
    for (const WindowPiece& piece : pieces) {
      require_form(piece, State::kForm);
      for_each_element(piece, extents, [&](std::size_t place, std::span<const std::byte> bytes) {
        require_whole(!bytes.empty());
        has_value_[place] = bytes[0] != std::byte{0};
        bytes = bytes.subspan(1);
        states_[place] = State::decode(bytes);
        require_whole(bytes.empty());
      });
    }
  }

 private:
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
  void take(std::size_t i, double weight_s, const Value& value) {
    states_[i].add(weight_s, value);
    has_value_[i] = true;
  }

  std::optional<double> missing_;
  std::optional<Extents> extents_;  ///< of the window's samples, once there is one
  std::vector<State> states_;
  std::vector<bool> has_value_;
  std::size_t most_bytes_ = 0;  ///< in windows before this one
};

}  // namespace pileus
