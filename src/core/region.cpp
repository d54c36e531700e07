#include "core/region.h"

#include <algorithm>

namespace pileus {

Region common(const Region& a, const Region& b) {
  Region both;
  for (std::size_t d = 0; d < a.count.size(); ++d) both.add(common(a.along(d), b.along(d)));
  return both;
}

std::vector<Run> contiguous_runs(const Region& region, const Extents& extents) {
  std::vector<Run> runs;
  if (region.size() == 0) return runs;
  const int rank = region.rank();

  // Dimensions below `whole` are covered entirely, so they and the next one lie together.
  int whole = 0;
  Index length = 1;
  while (whole < rank && region.start[whole] == 0 && region.count[whole] == extents[whole]) {
    length *= extents[whole++];
  }
  Index stride = length;
  Index base = 0;
  if (whole < rank) {
    base = region.start[whole] * stride;
    length *= region.count[whole];
    stride *= extents[whole++];
  }

  Index run_count = 1;
  for (int d = whole; d < rank; ++d) run_count *= region.count[d];
  runs.reserve(static_cast<std::size_t>(run_count));
  for (Index run = 0; run < run_count; ++run) {
    Index rest = run, offset = base, dimension_stride = stride;
    for (int d = whole; d < rank; ++d) {
      offset += (region.start[d] + rest % region.count[d]) * dimension_stride;
      rest /= region.count[d];
      dimension_stride *= extents[d];
    }
    runs.push_back({offset, run * length, length});
  }
  return runs;
}

std::string text(const Region& region) {
  std::string out = "[";
  for (int d = 0; d < region.rank(); ++d) {
    if (d > 0) out += ", ";
    out += std::to_string(region.start[d]) + ":" + std::to_string(region.start[d] + region.count[d]);
  }
  return out + "]";
}

}  // namespace pileus
