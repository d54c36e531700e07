#pragma once
// A time manipulation of one value: takes samples with their weights, gives the record. What makes them is
// what each manipulation declares (core/manipulation.h).

#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "core/manipulation.h"
#include "math/sample.h"
#include "time/window_state.h"

namespace pileus {

class ExactWindow;

/// The time of a window that a sample stands for.
struct SampleTime {
  /// `end_s`: NaN where nobody asks, as only few manipulations do.
  SampleTime(double weight_s, double end_s = std::numeric_limits<double>::quiet_NaN())
      : weight_s(weight_s), end_s(end_s) {}
  double weight_s;  ///< how much of it
  double end_s;     ///< model time at its end, which is that of the sample or of the window
};

class Window {
 public:
  virtual ~Window() = default;

  /// Lets a sample count. Order: samples come by increasing step; whoever owns the window ensures it.
  /// Errors: UsageError if a sample's shape differs from that of the window's first one.
  virtual void add(const Sample& sample, SampleTime time) = 0;
  /// The same of a pair. Only windows of pairs look at the other one.
  virtual void add_pair(const Sample& sample, const Sample& /*other*/, SampleTime time) { add(sample, time); }
  /// The record of the window, which is empty afterwards; nullopt when every sample was absent.
  /// `period_s`: how long the window is; NaN where nobody asks, as only tendency does.
  virtual std::optional<Array> take_record(double period_s = std::numeric_limits<double>::quiet_NaN()) = 0;
  /// The most memory that it has held from one sample to the next.
  virtual std::size_t most_bytes() const = 0;

  /// The state of what it has taken, for a run that continues from here; nullopt where no sample counted.
  /// Windows that compare with the one before them have one from their first sample on.
  virtual std::optional<WindowState> state() const = 0;
  /// Goes on from pieces of states that together have `extents`. Elements of which there is no piece have
  /// taken nothing. REQUIRES: nothing was added.
  /// Errors: TransportError where the pieces are of another form.
  virtual void restore(const Extents& extents, const std::vector<WindowPiece>& pieces) = 0;
  /// Itself, if it is one of those that can be one window together.
  virtual ExactWindow* as_exact() { return nullptr; }
};

inline std::unique_ptr<Window> make_window(Manipulation manipulation, bool is_exact,
                                           std::optional<double> missing = {}) {
  return manipulation->make_window(is_exact, missing);
}

}  // namespace pileus
