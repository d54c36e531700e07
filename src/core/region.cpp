#include "core/region.h"

#include <algorithm>

namespace pileus {

Region common(const Region& a, const Region& b) {
  Region both;
  for (std::size_t d = 0; d < a.count.size(); ++d) both.add(common(a.along(d), b.along(d)));
  return both;
}

std::vector<Stretch> contiguous_stretches(const Region& region, const Extents& extents) {
  std::vector<Stretch> stretches;
  if (region.size() == 0) return stretches;
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

  Index stretch_count = 1;
  for (int d = whole; d < rank; ++d) stretch_count *= region.count[d];
  stretches.reserve(static_cast<std::size_t>(stretch_count));
  for (Index stretch = 0; stretch < stretch_count; ++stretch) {
    Index rest = stretch, offset = base, dimension_stride = stride;
    for (int d = whole; d < rank; ++d) {
      offset += (region.start[d] + rest % region.count[d]) * dimension_stride;
      rest /= region.count[d];
      dimension_stride *= extents[d];
    }
    stretches.push_back({offset, stretch * length, length});
  }
  return stretches;
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
