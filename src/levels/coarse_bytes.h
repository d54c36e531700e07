#pragma once
// A static array of a coarser level, which is made of the finest as it is read.

#include <memory>
#include <vector>

#include "core/byte_source.h"
#include "core/element_type.h"
#include "core/extents.h"
#include "levels/block_value.h"

namespace pileus {

/// The blocks of a dense array of these extents, fastest first, in its type; `missing` where a block has no
/// number. Where all lengths are 1 it is the array itself, of any type. REQUIRES: numbers are floating-point
/// ones otherwise.
std::shared_ptr<const ByteSource> coarse_bytes(std::shared_ptr<const ByteSource> fine, ElementType type,
                                               const Extents& extents, const Extents& lengths,
                                               BlockValue what, double missing);

}  // namespace pileus
