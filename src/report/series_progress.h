#pragma once
// Up to which model time the files of a series are all published: the epoch of that series, and the seed of
// the epoch of the run (event_log.h). Belongs to the strand that owns the files.

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>

#include "plan/plan.h"
#include "time/file_periods.h"

namespace pileus {

class SeriesProgress {
 public:
  explicit SeriesProgress(const PlannedFile& file)
      : periods_(file.write_frequency, file.write_frequency_steps), write_frequency_(file.write_frequency) {}

  /// A step of the run's clock, in order.
  void advance(const Step& step, double start_time_s) {
    if (!has_begun_) start_s_ = start_time_s;
    has_begun_ = true;
    last_s_ = step.time;
    if (!write_frequency_.is_given()) ends_s_[periods_.period_of(step.time, step.length, step)] = step.time;
  }

  /// `published_through`: the last period up to which every file is published; INT64_MAX for all of the run.
  /// The model time up to which no record lacks in published files: the end of that period. -infinity while
  /// that is nothing of this run.
  /// Order: it never goes back.
  double through_s(std::int64_t published_through) {
    constexpr double kNothing = -std::numeric_limits<double>::infinity();
    if (!has_begun_ || published_through == INT64_MIN) return kNothing;
    const double end_s = published_through == INT64_MAX ? last_s_ : end_of(published_through);
    return end_s > start_s_ ? std::min(end_s, last_s_) : kNothing;
  }

 private:
  double end_of(std::int64_t period) {
    if (write_frequency_.is_given()) return Boundaries(write_frequency_).at(period);
    const auto after = ends_s_.upper_bound(period);
    if (after == ends_s_.begin()) return start_s_;
    ends_s_.erase(ends_s_.begin(), std::prev(after));  // nobody asks for them again
    return ends_s_.begin()->second;
  }

  FilePeriods periods_;
  Frequency write_frequency_;
  bool has_begun_ = false;
  double start_s_ = 0, last_s_ = 0;
  std::map<std::int64_t, double> ends_s_;  ///< counted in steps: the last time of each period
};

}  // namespace pileus
