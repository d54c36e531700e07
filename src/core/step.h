#pragma once
// Steps of the model and the boundaries in model time that they cross (architecture D11).

#include <cstdint>
#include <string>

#include "core/calendar.h"

namespace pileus {

/// One step of the model. Model time is the time at the END of the step, in seconds from the run's origin.
/// The first step of a run may have no length: it is the state at the start, which stands for a point in time
/// and counts in no window.
struct Step {
  std::int64_t index = 0;
  double time = 0;                 ///< s
  double length = 0;               ///< s; the step covers (time - length, time]
  std::uint8_t is_final = 0;       ///< 1: the model said that no other follows
  std::uint8_t is_checkpoint = 0;  ///< 1: the state after this step is kept, to continue from
  std::uint8_t is_first = 0;       ///< 1: no step came before it in this run; static fields come with it
  bool is_initial() const { return length == 0; }
  friend bool operator==(const Step&, const Step&) = default;
};

/// A time within this fraction of the step's length of a boundary is on the boundary.
inline constexpr double kBoundaryTolerance = 1e-6;

/// The start of a run within this fraction of the period of a boundary is on it: the clock of a model that
/// starts from a file of its own carries the rounding of the steps before.
inline constexpr double kStartTolerance = 1e-9;

/// More make no sense: the years that dates have.
inline constexpr std::int64_t kMostMonths = 12 * 9999;

/// How often something is done: every so many seconds of model time, or every so many calendar months.
struct Frequency {
  double seconds = 0;
  std::int64_t months = 0;                            ///< 0: `seconds` count
  Calendar calendar = Calendar::proleptic_gregorian;  ///< of months, as the epoch
  Date epoch;                                         ///< when model time 0 is; exists in the calendar

  Frequency() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a time is a frequency
  Frequency(double every_s) : seconds(every_s) {}
  /// REQUIRES: 0 < months <= kMostMonths.
  Frequency(std::int64_t every_months, Calendar of, const Date& model_time_0)
      : months(every_months), calendar(of), epoch(model_time_0) {}

  /// false: never, or in other terms than time.
  bool is_given() const { return seconds > 0 || months > 0; }
  friend bool operator==(const Frequency&, const Frequency&) = default;
};

/// "10 s", "3 months from 1850-01-01 00:00:00 (noleap)", "never". Equal frequencies, and no others, have
/// equal texts.
std::string text(const Frequency& frequency);

/// The times at which something that has a frequency is done. Boundary k lies at k times its seconds from the
/// run's origin; of months, at the start of the month that is k times so many after the month of the epoch.
/// Boundary 0 is at the origin, or before it where the epoch is within a month.
class Boundaries {
 public:
  /// REQUIRES: frequency.is_given(), and finite.
  explicit Boundaries(const Frequency& frequency);

  const Frequency& frequency() const { return frequency_; }
  /// Seconds from one boundary to the next; of months, on average.
  double period() const { return period_s_; }
  /// The length of a step whose tolerance covers what at() is rounded by.
  double rounded_length() const { return frequency_.months > 0 ? 1 : period_s_; }
  double at(std::int64_t k) const;

  /// The greatest k with at(k) <= time, where a time just below a boundary is on it.
  std::int64_t last_at_or_before(double time, double step_length) const;
  /// The smallest k with at(k) >= time, where a time just above a boundary is on it.
  std::int64_t first_at_or_after(double time, double step_length) const;
  /// The boundary that `time` is on, or `time` itself.
  double snapped(double time, double step_length) const;
  /// The length of a step whose tolerance is that of a start.
  double start_length() const { return kStartTolerance / kBoundaryTolerance * period_s_; }

 private:
  double within_reach(double time) const;
  double guess(double time) const;  ///< a number near the k at which at(k) is `time`

  Frequency frequency_;
  double period_s_;
  Date first_month_;  ///< of boundary 0, where there are months
};

}  // namespace pileus
