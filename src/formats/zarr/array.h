#pragma once
// An array of a Zarr store: which of its elements lie in which file, and where in it. Pure arithmetic.
//
// A record that is large is cut into chunks, and many records share a shard, a file with an index of its
// chunks. Records that are small share chunks. Source: the specifications of Zarr version 3 and of its codec
// sharding_indexed.

#include <cstdint>
#include <string>
#include <vector>

#include "codecs/codec.h"
#include "core/element_type.h"
#include "core/region.h"
#include "formats/blocks.h"
#include "formats/chunk_shape.h"
#include "formats/format.h"

namespace pileus::zarr {

/// Records that a shard holds of every array of one axis: a power of two.
/// `record_bytes`: of its variables.
Index records_of_shard(const std::vector<std::uint64_t>& record_bytes, Index block_records);

struct Array {
  std::string name;
  ElementType type = ElementType::float64;
  std::vector<std::string> dimension_names;  ///< slowest first
  std::vector<Index> extents;                ///< of a record, or of all of it; fastest first
  bool has_records = false;
  Index shard_records = 1;   ///< where it has records
  Index chunk_records = 1;   ///< divides shard_records; 1 where a record has several chunks
  std::vector<Index> chunk;  ///< extents of one, fastest first
  Compression compression = {};
  std::vector<FileAttribute> attributes = {};
  std::optional<double> fill_value = {};  ///< as that of a FileVariable

  /// Of a record, in the order of the index; they may reach past the extents.
  std::vector<Region> regions() const;
  std::size_t chunks_of_record() const;
  /// Chunks in a shard.
  std::size_t chunks_of_shard() const {
    return static_cast<std::size_t>(shard_records / chunk_records) * chunks_of_record();
  }
  /// Without an index: a shard of one chunk is that chunk.
  bool is_sharded() const { return has_records && (chunks_of_shard() > 1 || compression.is_packed()); }
  std::uint64_t index_bytes() const { return is_sharded() ? 16 * chunks_of_shard() + 4 : 0; }
  /// Of a chunk that is not compressed.
  std::uint64_t chunk_bytes() const;
  /// Of a shard that is not compressed, with its index.
  std::uint64_t shard_bytes() const { return index_bytes() + chunks_of_shard() * chunk_bytes(); }
  /// The file of a shard of records, below the store.
  std::string shard_name(Index shard) const;
  /// The file of a chunk without records.
  std::string chunk_name(const Region& region) const;
};

/// What all arrays of records have in common: `type`, `extents` and `compression` decide.
/// `names`: of the dimensions, slowest first, without the axis.
Array record_array(const std::string& name, ElementType type, const std::string& axis,
                   std::vector<std::string> names, std::vector<Index> extents, Index shard_records,
                   const Compression& compression = {}, Index largest_chunk = kLargestPacked);
/// Likewise, without records.
Array static_array(const std::string& name, ElementType type, std::vector<std::string> names,
                   std::vector<Index> extents, const Compression& compression = {});

}  // namespace pileus::zarr
