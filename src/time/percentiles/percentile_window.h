#pragma once
// The window of percentiles over time: of each element the numbers, up to a count, and from there on how many
// are in which class (distributions/sketches.h).

#include <optional>
#include <vector>

#include "distributions/sketches.h"
#include "time/window.h"

namespace pileus {

/// Samples count alike, however long the time is that they stand for. Elements that are missing are left out;
/// of an element of which nothing is left the record has the fill value.
class PercentileWindow : public Window {
 public:
  static constexpr std::uint64_t kElementBytes = distributions::Sketches::most_bytes_of_one();

  PercentileWindow(double share, std::optional<double> missing) : share_(share), missing_(missing) {}

  void add(const Sample& sample, SampleTime time) override;
  std::optional<Array> take_record(double period_s) override;
  std::size_t most_bytes() const override;
  std::optional<WindowState> state() const override;
  void restore(const Extents& extents, const std::vector<WindowPiece>& pieces) override;

 private:
  void begin(const Extents& shape);

  double share_;
  std::optional<double> missing_;
  std::optional<Extents> extents_;  ///< of the samples, once there is one
  distributions::Sketches sketches_{0};
  bool has_sample_ = false;
  std::size_t most_bytes_ = 0;
};

}  // namespace pileus
