#pragma once
// A timeline as one line of characters: for people who look at a report where there is no display.

#include <span>
#include <string>
#include <vector>

#include "report/timeline.h"

namespace pileus {

/// For each of `width` even stretches of the run the most of the points that reach into it.
std::vector<double> most_over_time(std::span<const TimelinePoint> points, double TimelinePoint::*value,
                                   std::size_t width);
/// For each of them how much a sum grew, a second.
std::vector<double> growth_over_time(std::span<const TimelinePoint> points, double TimelinePoint::*value,
                                     std::size_t width);

/// A character for each value, the higher the nearer to `top`; a blank for nothing. Blocks of Unicode, or
/// ASCII.
std::string sparkline(std::span<const double> values, double top, bool is_ascii);

}  // namespace pileus
