#pragma once
// How many bytes Partials take on their way between servers, before there are any. It knows what
// Partials::encode writes, so that nobody else has to.

#include <cstdint>

#include "core/reduction.h"
#include "math/exact_factor.h"

namespace pileus {

struct ByteBounds {
  std::uint64_t least = 0, most = 0;
  ByteBounds& operator+=(const ByteBounds& other) {
    least += other.least;
    most += other.most;
    return *this;
  }
};

/// Magnitudes of values that are added up; a 0 is always among them.
struct SummedRange {
  double smallest = 0, largest = 0;
};

/// The bytes of `count` Partials with that factor. `most` holds for sums of values within the range.
ByteBounds encoded_bytes(Reduction reduction, std::uint64_t count, const ExactFactor& factor,
                         const SummedRange& range);

}  // namespace pileus
