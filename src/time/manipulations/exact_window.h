#pragma once
// The windows of averages and integrals over time that are rounded once: exact sums for each element.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/missing.h"
#include "math/weighted_means.h"
#include "time/manipulations/missing_elements.h"
#include "time/manipulations/state_bytes.h"
#include "time/window.h"

namespace pileus {

/// The bytes of an element, as ManipulationDeclaration::exact_bytes asks for them.
inline std::uint64_t exact_window_bytes(bool is_apart) {
  return is_apart ? WeightedMeans::kApartBytes : WeightedMeans::kMostColumnBytes;
}

/// Elements that are missing, or of nothing, are left out; where nothing is left the record has the fill
/// value.
class ExactWindow : public Window {
 public:
  enum class Result { mean, total };

  /// `form` names the form of its states in checkpoints.
  ExactWindow(Result result, const char* form, std::optional<double> missing)
      : result_(result), form_(form), missing_(missing), sums_(0) {}

  void add(const Sample& sample, SampleTime time) override;
  std::optional<Array> take_record(double period_s) override;
  std::size_t most_bytes() const override { return most_bytes_; }
  std::optional<WindowState> state() const override;
  void restore(const Extents& extents, const std::vector<WindowPiece>& pieces) override;
  ExactWindow* as_exact() override { return this; }

  /// Goes on from what a window of several values has taken of this one. REQUIRES: it has taken nothing.
  void go_on_from(const Extents& shape, WeightedMeans sums);
  /// Lets its memory go. REQUIRES: it has taken nothing.
  void let_go() { sums_ = WeightedMeans(0); }
  /// What it is made of, rounded: Σ w·x / Σ w or Σ w·x; the fill value where there is no sample.
  void round(const WeightedMeans& sums, std::span<double> values) const;
  /// The state that it would have after go_on_from().
  WindowState state_of(const Extents& shape, const WeightedMeans& sums) const;

 private:
  void begin(const Extents& shape);

  Result result_;
  const char* form_;
  std::optional<double> missing_;
  std::optional<Extents> extents_;  ///< of the window's samples, once there is one
  WeightedMeans sums_;
  std::size_t most_bytes_ = 0;
};

}  // namespace pileus
