#pragma once
// Means over blocks of an array, of which the coarser levels of a file are made. A sum is exact and is
// divided once, so that nothing depends on the order of its elements.

#include <span>
#include <vector>

#include "core/extents.h"
#include "core/region.h"
#include "levels/block_value.h"

namespace pileus {

/// How many blocks of these lengths there are; the last in a dimension may be shorter.
Extents blocks_of(const Extents& extents, const Extents& lengths);

/// What a box of blocks is made of; it may reach past the extents, as the box may.
Region region_of_blocks(const Region& blocks, const Extents& lengths);
/// The way back. REQUIRES: the region begins and ends with a block.
Region blocks_of_region(const Region& region, const Extents& lengths);

/// The blocks of a dense array of these extents, fastest first, each rounded to a double. Elements that equal
/// `missing`, and NaN, are left out; a block that has no other is NaN. REQUIRES: T is float or double.
template <class T>
std::vector<double> block_values(std::span<const T> values, const Extents& extents, const Extents& lengths,
                                 T missing, BlockValue what = BlockValue::mean);

}  // namespace pileus
