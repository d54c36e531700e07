#pragma once
// Steps of the model and the boundaries in model time that they cross (architecture D11).

#include <cstdint>

namespace pileus {

/// One step of the model. Model time is the time at the END of the step, in seconds from the run's origin.
struct Step {
  std::int64_t index = 0;
  double time = 0;            ///< s
  double length = 0;          ///< s; the step covers (time - length, time]
  std::uint8_t is_final = 0;  ///< 1: the model said that no other follows
  friend bool operator==(const Step&, const Step&) = default;
};

/// A time within this fraction of the step's length of a boundary is on the boundary.
inline constexpr double kBoundaryTolerance = 1e-6;

/// The multiples of a period, counted from the run's origin: boundary k lies at k * period.
class Boundaries {
 public:
  /// REQUIRES: period > 0, finite.
  explicit Boundaries(double period_s) : period_(period_s) {}

  double period() const { return period_; }
  double at(std::int64_t k) const { return static_cast<double>(k) * period_; }

  /// The greatest k with at(k) <= time, where a time just below a boundary is on it.
  std::int64_t last_at_or_before(double time, double step_length) const;
  /// The smallest k with at(k) >= time, where a time just above a boundary is on it.
  std::int64_t first_at_or_after(double time, double step_length) const;
  /// The boundary that `time` is on, or `time` itself.
  double snapped(double time, double step_length) const;

 private:
  double period_;
};

}  // namespace pileus
