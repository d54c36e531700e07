#pragma once
// What a schedule of the plan says of chains in time, of running windows, of diurnal composites, and of the
// span that counts.

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "core/manipulation.h"
#include "core/step.h"

namespace pileus {

/// The most stages of a chain, with its last one.
inline constexpr std::size_t kMostStages = 4;
/// The most windows of a variable that are under way at once.
inline constexpr std::int64_t kMostRunningWindows = 1000;

/// A stage of a chain but for the last: what it makes of a period is a sample of the next stage, which stands
/// for that period.
struct Stage {
  Manipulation manipulation;
  Frequency period;
  friend bool operator==(const Stage&, const Stage&) = default;
};

/// The model time that counts, in s.
struct Span {
  double from_s = -std::numeric_limits<double>::infinity();
  double until_s = std::numeric_limits<double>::infinity();
  friend bool operator==(const Span&, const Span&) = default;
};

/// The most parts of the day that a composite tells apart: one for each minute.
inline constexpr std::int64_t kMostBinsOfDay = 1440;

/// A diurnal composite: each window has a record for each part of the day, of the samples in that part on
/// all days of the window.
struct Diurnal {
  std::int64_t bins = 0;  ///< how many parts; 0: it is none
  double midnight_s = 0;  ///< a model time at 00:00
  friend bool operator==(const Diurnal&, const Diurnal&) = default;
};

/// Whether the last one's records have the type of the first one's samples.
bool keep_type(const std::vector<Stage>& stages);

/// "maximum over 86400 s, "; "" for none.
std::string text(const std::vector<Stage>& stages);
/// ", from 10 s", ", from 10 s until 20 s"; "" for the whole run.
std::string text(const Span& span);
/// ", in 24 parts of the day"; "" if it is none.
std::string text(const Diurnal& diurnal);

}  // namespace pileus
