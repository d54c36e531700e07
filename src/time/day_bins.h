#pragma once
// The parts of the day that a diurnal composite tells apart: which of them a sample counts in, and what
// records they give of a window. Pure arithmetic on model times; ScheduleCursor asks it.

#include <cstdint>
#include <vector>

#include "core/stages.h"

namespace pileus {

class DayBins {
 public:
  explicit DayBins(const Diurnal& diurnal) : diurnal_(diurnal) {}
  bool are_none() const { return diurnal_.bins == 0; }
  std::int64_t count() const { return diurnal_.bins; }
  const Diurnal& diurnal() const { return diurnal_; }

  /// The edge that `time_s` is within `tolerance_s` of; otherwise `time_s`.
  double snapped(double time_s, double tolerance_s) const;

  /// The bin that a time lies in.
  std::int64_t at(double time_s) const { return bin_of(last_edge_at_or_before(time_s)); }

  struct Share {
    std::int64_t bin;
    double weight_s;
  };
  /// How what lies between two times is shared among the bins, in the order of time; whole days come first.
  std::vector<Share> shares(double begin_s, double end_s) const;

  /// What a bin has of a window: from the begin of its first part to the end of its last one. `time_s`: the
  /// middle of the first one, as in the examples of CF 1.11, section 7.4.
  struct Part {
    std::int64_t bin;
    double time_s, begin_s, end_s;
  };
  /// The bins that have some of the window, by time.
  std::vector<Part> parts(double begin_s, double end_s) const;

 private:
  double edge(std::int64_t number) const;
  std::int64_t last_edge_at_or_before(double time_s) const;
  std::int64_t bin_of(std::int64_t number) const;

  Diurnal diurnal_;
};

}  // namespace pileus
