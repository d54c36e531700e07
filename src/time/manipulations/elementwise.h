#pragma once
// A window that keeps a state for each element of its samples, for the manipulations that do.

#include <optional>
#include <utility>
#include <vector>

#include "core/error.h"
#include "time/window.h"

namespace pileus {

/// State: add(weight, double), add(weight, Partial) and value().
template <class State>
class ElementwiseWindow : public Window {
 public:
  void add(const Sample& sample, double weight_s) override {
    if (weight_s <= 0 || is_absent(sample)) return;
    begin(extents(sample));
    if (const auto* partials = std::get_if<PartialArray>(&sample)) {
      for (std::size_t i = 0; i < states_.size(); ++i) states_[i].add(weight_s, (*partials->values)[i]);
    } else {
      const std::vector<double> values = to_doubles(sample);
      for (std::size_t i = 0; i < states_.size(); ++i) states_[i].add(weight_s, values[i]);
    }
  }

  std::optional<Array> take_record() override {
    if (!extents_) return std::nullopt;
    std::vector<double> values;
    values.reserve(states_.size());
    for (const State& state : states_) values.push_back(state.value());
    states_.clear();
    return make_array(std::move(values), *std::exchange(extents_, std::nullopt));
  }

 private:
  void begin(const std::vector<Index>& shape) {
    if (!extents_) {
      extents_ = shape;
      states_.resize(static_cast<std::size_t>(Region{{}, shape}.size()));
    } else if (*extents_ != shape) {
      throw UsageError("the shape of a field has changed within a window");
    }
  }

  std::optional<std::vector<Index>> extents_;  ///< of the window's samples, once there is one
  std::vector<State> states_;
};

}  // namespace pileus
