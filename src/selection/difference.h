#pragma once
// How far a record is from the last one of its variable that was written, in sums that are exact: servers
// that compare parts of it come to the same answer however it is spread.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/element_type.h"
#include "core/encoder.h"
#include "core/region.h"
#include "math/exact_sum.h"
#include "selection/write_if.h"

namespace pileus {

/// Of a part of a record.
struct Difference {
  ExactSum squares;         ///< of differences
  ExactSum squares_before;  ///< of what was written
  double largest = 0, largest_before = 0;
  std::int64_t count = 0;  ///< elements with numbers
  bool is_other = false;   ///< some have a number in one record alone, or one that is not finite
  Difference& operator+=(const Difference& other);
};

/// Of two dense boxes of one shape; their elements count up to `extents` in each dimension, and are zeros
/// beyond. `missing` stands for no value.
/// REQUIRES: float32 or float64; both have the box's bytes.
Difference difference_of(std::span<const std::byte> now, std::span<const std::byte> before, ElementType type,
                         const std::vector<Index>& box, const std::vector<Index>& extents, double missing);

/// Tells whether the record is to be written.
bool is_beyond(const Difference& difference, const WriteIf& limit);

void put(Encoder& out, const Difference& difference);
/// Errors: TransportError.
Difference get_difference(Decoder& in);

}  // namespace pileus
