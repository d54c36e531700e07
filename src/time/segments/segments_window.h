#pragma once
// A window that keeps samples until a segment of them is whole, lets an operator make of it what has a
// dimension more, and gives the mean of that over all segments. Each element has the same places in the same
// segments, whatever rank it lies on: these follow from the times of samples alone.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pileus/operator.hpp"
#include "plan/plan.h"
#include "time/window.h"

namespace pileus {

class SegmentsWindow : public Window {
 public:
  /// What an operator makes of one segment, or of one of each input: samples are the slowest dimension, and
  /// kMissing stands for no value.
  using Compute =
      std::function<void(const std::vector<operators::Part>& segments, const operators::ResultPart& made)>;

  /// `extents`: of samples. `missing`: the number that stands for no value in them. `modes`: the size of the
  /// dimension that the result has in the place of samples.
  SegmentsWindow(Segments segments, Index modes, std::size_t inputs, Extents extents,
                 std::optional<double> missing, Compute compute);

  /// Samples that are absent are missing ones. One that comes neither one interval after the one before nor
  /// several begins a segment.
  void add(const Sample& sample, SampleTime time) override { take(sample, nullptr, time); }
  void add_pair(const Sample& sample, const Sample& other, SampleTime time) override {
    take(sample, &other, time);
  }
  /// Errors: UsageError if no two samples were the interval apart.
  std::optional<Array> take_record(double period_s) override;
  std::size_t most_bytes() const override;
  std::optional<WindowState> state() const override;
  void restore(const Extents& extents, const std::vector<WindowPiece>& pieces) override;

 private:
  void take(const Sample& sample, const Sample* other, SampleTime time);
  void go_on_to(double end_s);
  void put(std::size_t input, const Sample& sample);
  void skip();
  void end_place();
  void end_segment();
  void make_room();
  void begin_anew();
  Bytes common() const;
  double* place(std::size_t input, std::int64_t sample);

  const Segments segments_;
  const Index modes_;
  const Extents extents_;
  const std::size_t size_;  ///< elements of a sample
  const std::optional<double> missing_;
  const Compute compute_;

  std::vector<std::vector<double>> samples_;  ///< by input, of the segment that is under way
  std::vector<double> sums_;                  ///< over segments, elements fastest
  std::vector<std::uint64_t> counts_;         ///< by element: the segments that have a value
  // The same at all places of a field.
  bool has_begun_ = false, has_even_ = false, has_segment_ = false;
  std::uint8_t uneven_ = 0;  ///< times that were not even, up to 2
  std::int64_t filled_ = 0;  ///< places of the segment under way
  double last_end_s_ = 0, gap_s_ = 0;
};

std::unique_ptr<Window> make_segments_window(const Plan& plan, const Variable& variable,
                                             const Extents& extents, std::optional<double> missing);
/// The most that it keeps of an element of a sample, and that it makes of it at once.
std::uint64_t segments_bytes_of_element(const Variable& variable);

}  // namespace pileus
