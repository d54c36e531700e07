#pragma once
// Steps of the model, and the boundaries in model time that they cross (architecture D11).

#include <cstdint>
#include <string>

#include "core/calendar.h"
#include "core/months.h"

namespace pileus {

/// One step of the model. Model time is the time at the END of the step, in seconds from the run's origin.
/// The first step of a run may have a length of 0. It then is the state at the start, which stands for a
/// point in time and counts in no window.
struct Step {
  std::int64_t index = 0;
  double time = 0;                 ///< s
  double length = 0;               ///< s; the step covers (time - length, time]
  std::uint8_t is_final = 0;       ///< 1: the model said that this is the last step
  std::uint8_t is_checkpoint = 0;  ///< 1: the state after this step is kept, to continue from
  std::uint8_t is_first = 0;       ///< 1: it is the first step of this run, and brings the static fields
  /// 1: the last step once more, with what its being the final one makes due. The index is one more than that
  /// of the last step, so that the two are told apart; time and length are those of the last step.
  std::uint8_t is_closing = 0;
  bool is_initial() const { return length == 0; }
  /// The index of the step that the model has done.
  std::int64_t done() const { return index - is_closing; }
  friend bool operator==(const Step&, const Step&) = default;
};

/// A time is on a boundary if it is within this fraction of the step's length of it.
inline constexpr double kBoundaryTolerance = 1e-6;

/// The start of a run is on a boundary if it is within this fraction of the period of it: a model that starts
/// from a file of its own has a clock with the rounding of all steps before.
inline constexpr double kStartTolerance = 1e-9;

/// The largest number of months that makes sense, as dates end with the year 9999.
inline constexpr std::int64_t kMostMonths = 12 * 9999;

/// How often something is done: every so many seconds of model time, or every so many calendar months.
struct Frequency {
  double seconds = 0;
  std::int64_t months = 0;                            ///< 0: `seconds` count
  Calendar calendar = Calendar::proleptic_gregorian;  ///< of months, as the epoch
  Date epoch;                                         ///< when model time 0 is; exists in the calendar
  int from_month = 0;                                 ///< of months: as Months::from

  Frequency() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a time is a frequency
  Frequency(double every_s) : seconds(every_s) {}
  /// REQUIRES: 0 < months.count <= kMostMonths.
  Frequency(const Months& every, Calendar of_months, const Date& model_time_0)
      : months(every.count), calendar(of_months), epoch(model_time_0), from_month(every.from) {}
  Frequency(std::int64_t every_months, Calendar of_months, const Date& model_time_0)
      : Frequency(Months{every_months}, of_months, model_time_0) {}

  /// False if it means "never", or if the frequency is given in other terms than time.
  bool is_given() const { return seconds > 0 || months > 0; }
  friend bool operator==(const Frequency&, const Frequency&) = default;
};

/// "10 s", "3 months from 1850-01-01 00:00:00 (noleap)", "3 months from March, after 1850-01-01 00:00:00
/// (noleap)", "never". Two frequencies have the same text exactly
/// if they are equal.
std::string text(const Frequency& frequency);

/// The times at which something with a frequency is done. With a frequency in seconds, boundary k lies at k
/// times the seconds from the run's origin. With one in months, it lies at the start of the month that is k
/// times so many months after the month of the epoch, or after the last one at or before that in which a
/// period begins. Boundary 0 is at the origin, or before it if no period begins there.
class Boundaries {
 public:
  /// REQUIRES: frequency.is_given(), and finite.
  explicit Boundaries(const Frequency& frequency);

  const Frequency& frequency() const { return frequency_; }
  /// Seconds from one boundary to the next; with months, their average.
  double period() const { return period_s_; }
  /// The length of a step whose tolerance covers the rounding of at().
  double rounded_length() const { return frequency_.months > 0 ? 1 : period_s_; }
  double at(std::int64_t k) const;

  /// The greatest k with at(k) <= time; a time just below a boundary counts as on it.
  std::int64_t last_at_or_before(double time, double step_length) const;
  /// The smallest k with at(k) >= time; a time just above a boundary counts as on it.
  std::int64_t first_at_or_after(double time, double step_length) const;
  /// The boundary that `time` is on; otherwise `time` itself.
  double snapped(double time, double step_length) const;
  /// The length of a step with the tolerance that a run's start has.
  double start_length() const { return kStartTolerance / kBoundaryTolerance * period_s_; }

 private:
  double within_reach(double time) const;
  double guess(double time) const;  ///< a number near the k at which at(k) is `time`

  Frequency frequency_;
  double period_s_;
  Date first_month_;  ///< the month of boundary 0, if the frequency is in months
};

}  // namespace pileus
