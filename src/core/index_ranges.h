#pragma once
// Indices of which few follow each other: rising ranges, in as few bytes as they need. They say which points
// a model rank holds.

#include <vector>

#include "core/encoder.h"
#include "core/index_set.h"

namespace pileus {

using IndexRanges = std::vector<IndexSet::Range>;

/// Number of indices.
inline Index size_of(const IndexRanges& ranges) {
  Index size = 0;
  for (const IndexSet::Range& range : ranges) size += range.count;
  return size;
}

/// Adds an index behind all others. REQUIRES: it is greater.
inline void add_index(IndexRanges& ranges, Index index) {
  if (!ranges.empty() && ranges.back().first + ranges.back().count == index) {
    ++ranges.back().count;
  } else {
    ranges.push_back({index, 1});
  }
}

/// Those from `first` up to `end`, which is not among them. REQUIRES: the ranges rise.
IndexRanges within(const IndexRanges& ranges, Index first, Index end);

/// REQUIRES: the ranges rise from 0 or later, and none is empty.
void encode_ranges(const IndexRanges& ranges, Encoder& out);
/// Errors: TransportError if they do not rise or reach beyond `end`.
IndexRanges decode_ranges(Decoder& in, Index end);

}  // namespace pileus
