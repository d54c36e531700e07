#pragma once
// Times as CMIP wants them: in days, and of what covers a period in the middle of it.

#include <array>

#include "formats/format.h"

namespace pileus {

/// Changes the units of an axis in seconds.
void count_days(TimeAxis& axis);
/// The time of a record, and the two of its bounds, in s, as numbers of its axis.
std::array<double, 3> numbers_of(const TimeAxis& axis, double time_s, double begin_s, double end_s);

}  // namespace pileus
