#include "core/index_ranges.h"

#include <algorithm>

#include "core/error.h"
#include "core/model_ranks.h"

namespace pileus {

IndexRanges within(const IndexRanges& ranges, Index first, Index end) {
  IndexRanges found;
  const auto ends_later = [](Index index, const IndexSet::Range& range) {
    return index < range.first + range.count;
  };
  for (auto range = std::upper_bound(ranges.begin(), ranges.end(), first, ends_later);
       range != ranges.end() && range->first < end; ++range) {
    const Index begin = std::max(range->first, first);
    const Index count = std::min(range->first + range->count, end) - begin;
    if (count > 0) found.push_back({begin, count});
  }
  return found;
}

/// Each by its distance from the end of the one before, and its count.
void encode_ranges(const IndexRanges& ranges, Encoder& out) {
  put_number(out, ranges.size());
  Index end = 0;
  for (const IndexSet::Range& range : ranges) {
    put_number(out, static_cast<std::uint64_t>(range.first - end));
    put_number(out, static_cast<std::uint64_t>(range.count));
    end = range.first + range.count;
  }
}

IndexRanges decode_ranges(Decoder& in, Index end) {
  const std::uint64_t count = get_number(in);
  // Each takes two bytes at least.
  if (count > in.rest().size() / 2) throw TransportError("a message holds a wrong length");
  IndexRanges ranges;
  ranges.reserve(count);
  std::uint64_t left = static_cast<std::uint64_t>(end);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t gap = get_number(in), size = get_number(in);
    if (gap > left || size == 0 || size > left - gap)
      throw TransportError("a message holds indices that are not there");
    const Index first = end - static_cast<Index>(left - gap);
    ranges.push_back({first, static_cast<Index>(size)});
    left -= gap + size;
  }
  return ranges;
}

}  // namespace pileus
