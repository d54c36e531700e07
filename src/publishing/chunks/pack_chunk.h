#pragma once
// Parts of one record to a compressed chunk. For workers; knows no file library.

#include <vector>

#include "core/encoder.h"
#include "files/value_layout.h"
#include "formats/format.h"
#include "information/bit_pairs.h"
#include "selection/difference.h"
#include "time/record.h"

namespace pileus {

/// What the parts hold of the chunk `region` (in the order of the file), as it is in the file before it is
/// compressed. Elements past the extents are zero. REQUIRES: the parts cover the rest of it.
Bytes bytes_of_chunk(const std::vector<Record>& parts, const ValueLayout& layout, const Region& region);

/// How far such bytes are from others. `extents`: of the variable.
Difference difference_in_chunk(const Bytes& now, const Bytes& before, const ValueLayout& layout,
                               const Region& region, const std::vector<Index>& extents);

/// Brings what the parts hold of the chunk `region` (in the order of the file) into the layout of the file,
/// lays it together, rounds numbers to so many bits once they have the type of the file (0: to none) and
/// compresses it. Elements past the extents are zero. REQUIRES: the parts cover the rest of it.
PackedChunk pack_chunk(const FileFormat& format, const std::vector<Record>& parts, const ValueLayout& layout,
                       const Region& region, const Storage& storage, int bits);

/// Bytes of which blocks are made at a time, so that no server has all that a coarse chunk is made of twice.
inline constexpr Index kBlocksAtOnce = Index{4} << 20;

/// The same of a coarser level. `region`: what the blocks of the chunk are made of, aligned to blocks;
/// `lengths`: of blocks; `extents`: of the finest level. Blocks are made of what that has in the file, and
/// are rounded as that is.
PackedChunk pack_blocks(const FileFormat& format, const std::vector<Record>& parts, const ValueLayout& layout,
                        const Region& region, const Extents& lengths, const Extents& extents,
                        const Compression& compression);

/// The pairs of neighbours in it, along the fastest dimension of the file that has more than one element, as
/// they are in the file before they are rounded. `extents`: of the variable.
BitPairs pairs_in_chunk(const std::vector<Record>& parts, const ValueLayout& layout, const Region& region,
                        const std::vector<Index>& extents);

}  // namespace pileus
