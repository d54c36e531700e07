#pragma once
// How much of its neighbour each bit of a number tells, and how many bits of the fraction are worth keeping.
// Counts are whole numbers, so that they are the same in whatever pieces, and in whatever order, they are
// made. Source: Klöwer et al. 2021, https://doi.org/10.1038/s43588-021-00156-2, and BitInformation.jl.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/element_type.h"
#include "core/region.h"

namespace pileus {

/// The pairs of neighbours, by bit from the lowest.
struct BitPairs {
  /// Both bits are 1, only the first one is, only the second one.
  struct OfBit {
    std::int64_t both = 0, first = 0, second = 0;
    friend bool operator==(const OfBit&, const OfBit&) = default;
  };
  std::int64_t pairs = 0;
  std::vector<OfBit> bits;  ///< 32 or 64; empty: nothing was counted

  BitPairs& operator+=(const BitPairs& other);
  friend bool operator==(const BitPairs&, const BitPairs&) = default;
};

/// The pairs of elements that follow each other along dimension `along` of a dense box, whose elements count
/// up to `extents` in each dimension: the rest lies past the end of the variable. A number that is not
/// finite, and `missing`, have no neighbours.
/// REQUIRES: float32 or float64; `values` has the box's bytes.
BitPairs count_pairs(std::span<const std::byte> values, ElementType type, const std::vector<Index>& box,
                     const std::vector<Index>& extents, std::size_t along, double missing);

/// The mutual information of each bit and its neighbour's, in bits, from the highest; 0 where it is no more
/// than chance gives with a probability of 0.99.
std::vector<double> information(const BitPairs& pairs);

/// The fewest bits of the fraction that have this part of all information, at least 1; 0 where that is all of
/// them, or where no bit has any. REQUIRES: 0 < level <= 1.
int kept_bits(const BitPairs& pairs, double level);

}  // namespace pileus
