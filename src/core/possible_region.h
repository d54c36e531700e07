#pragma once
// Whether a region that came from outside can be one.

#include <algorithm>
#include <cstdlib>

#include "core/region.h"

namespace pileus {

/// Its ends and its number of elements can be computed without an overflow.
inline bool is_countable(const Region& region) {
  constexpr Index kMost = Index{1} << 60;
  const auto is_small = [](Index number) { return number >= -kMost && number <= kMost; };
  if (!std::ranges::all_of(region.start, is_small)) return false;
  Index size = 1;
  for (const Index count : region.count) {
    if (!is_small(count) || (count != 0 && size > kMost / std::abs(count))) return false;
    size *= std::max<Index>(1, std::abs(count));
  }
  return true;
}

/// It is countable, and has as many starts as counts, none of them negative.
inline bool is_possible(const Region& region) {
  const auto is_negative = [](Index number) { return number < 0; };
  return region.start.size() == region.count.size() && is_countable(region) &&
         std::ranges::none_of(region.start, is_negative) && std::ranges::none_of(region.count, is_negative);
}

}  // namespace pileus
