#pragma once
// What a schedule of the plan says of chains in time, of running windows, and of the span that counts.

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

/// Whether the last one's records have the type of the first one's samples.
bool keep_type(const std::vector<Stage>& stages);

/// "maximum over 86400 s, "; "" for none.
std::string text(const std::vector<Stage>& stages);
/// ", from 10 s", ", from 10 s until 20 s"; "" for the whole run.
std::string text(const Span& span);

}  // namespace pileus
