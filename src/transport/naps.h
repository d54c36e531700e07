#pragma once
// How long an endpoint sleeps that has to look again by itself whether something has come.

#include <algorithm>
#include <chrono>

namespace pileus {

// A nap lasts an eighth of the time in which nothing has happened, within these limits. After a long quiet it
// may last longer, but no more than a 64th of the quiet: whoever waits for the sleeper then was busy so long.
inline constexpr std::chrono::microseconds kShortestNap{100};
inline constexpr std::chrono::microseconds kLongestNap{1000};
inline constexpr std::chrono::microseconds kLongestNapInQuiet{5000};

inline std::chrono::microseconds nap_after(std::chrono::microseconds idle) {
  return std::max(std::clamp(idle / 8, kShortestNap, kLongestNap), std::min(idle / 64, kLongestNapInQuiet));
}

}  // namespace pileus
