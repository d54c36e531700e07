#pragma once
// Into which file of its series a record goes, and which files are complete: by model time, by steps, or one
// file for the whole run (architecture D11).

#include <cstdint>
#include <string>

#include "core/step.h"

namespace pileus {

class FilePeriods {
 public:
  /// One file for each `frequency`; not given: one for each `frequency_steps`; 0 too: one for the whole run.
  FilePeriods(const Frequency& frequency, std::int64_t frequency_steps)
      : frequency_(frequency),
        times_(frequency.is_given() ? frequency : Frequency(1)),
        is_in_time_(frequency.is_given()),
        steps_(frequency_steps) {}

  /// The last file of which nothing is written when the run starts.
  std::int64_t closed_before(double start_time_s) const {
    return is_in_time_ ? times_.last_at_or_before(start_time_s, times_.start_length()) : 0;
  }
  /// The file of a record that ends at `end_s` and became known in `step`.
  std::int64_t period_of(double end_s, double tolerated_length_s, const Step& step) const {
    if (is_in_time_) return times_.first_at_or_after(end_s, tolerated_length_s);
    return steps_ > 0 ? step.done() / steps_ + (step.done() % steps_ != 0) : 1;
  }
  /// The last file that is full after `step`. One that ends just after it may get what a sliver of a step
  /// brings, which ends there too.
  std::int64_t full_after(const Step& step) const {
    if (is_in_time_)
      return times_.last_at_or_before(step.time, step.is_initial() ? times_.start_length() : 0);
    return steps_ > 0 ? step.done() / steps_ : 0;
  }
  /// The same while a window is in progress, whose record belongs to the file of `last_s` if the run ends
  /// here.
  std::int64_t full_before(double last_s, const Step& step) const {
    return period_of(last_s, step.length, step) - 1;
  }
  /// "every 30 s", "every 5 steps", "once"; equal series alone have equal texts.
  std::string text() const {
    if (is_in_time_) return "every " + pileus::text(frequency_);
    return steps_ > 0 ? "every " + std::to_string(steps_) + " steps" : "once";
  }

 private:
  Frequency frequency_;
  Boundaries times_;
  bool is_in_time_;
  std::int64_t steps_;
};

}  // namespace pileus
