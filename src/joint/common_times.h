#pragma once
// The times that several files have records for: these are the steps of a component that is made of what
// others publish. Pure arithmetic.

#include <cstddef>
#include <span>
#include <vector>

namespace pileus {

/// Two times, in seconds since the same date, are one if they differ by no more than this: half of the
/// shortest time that a configuration can have, or the rounding of a time that is far from the date.
bool is_same_time(double a, double b);

struct CommonTime {
  double time_s = 0;                 ///< as the first timeline has it
  std::vector<std::size_t> records;  ///< by timeline: which of its times it is
};

/// The times that all timelines have. REQUIRES: the times of each rise.
std::vector<CommonTime> common_times(std::span<const std::vector<double>> timelines);

/// For how long the first of the common times stands: as long as the second, or, where there is none, since
/// model time 0; and never for what was before that time. 0 for a state at the start.
double first_length(std::span<const CommonTime> times);

}  // namespace pileus
