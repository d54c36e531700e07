#pragma once
// A part is the file of one server, where each server writes a file of its own: it has boxes of the records
// of variables, in the order in which they came. The file that readers open refers to the parts.

#include <cstdint>
#include <string>
#include <vector>

#include "codecs/codec.h"
#include "core/element_type.h"
#include "core/region.h"

namespace pileus {

/// One box of one record, as it stands in the part.
struct PartChunk {
  Index record = 0;  ///< of the whole file
  std::uint64_t offset = 0, size_bytes = 0;
  std::uint32_t skipped_filters = 0;  ///< as of PackedChunk
  friend bool operator==(const PartChunk&, const PartChunk&) = default;
};

/// The same box of all records of a variable.
struct PartDataset {
  std::uint32_t variable = 0;  ///< index into FileDefinition::variables
  std::uint32_t number = 0;    ///< tells those of a variable apart: a model rank or a chunk
  Region region;               ///< of a record, in the order of the file, fastest first
  std::vector<Index> stored;   ///< extents of a chunk, at least those of the region
  std::vector<PartChunk> chunks;
  friend bool operator==(const PartDataset&, const PartDataset&) = default;
};

struct PartOfFile {
  std::string name;               ///< from the folder of the file; "": there is none
  std::vector<Index> first, end;  ///< by axis: the records that it stands for
  std::vector<PartDataset> datasets;
  std::uint64_t size_bytes() const;   ///< a part that has all of this is at least so long
  std::uint64_t chunk_count() const;  ///< in all datasets
  friend bool operator==(const PartOfFile&, const PartOfFile&) = default;
};

/// What parts have to know of a variable.
struct PartVariable {
  std::string name;
  ElementType type = ElementType::float64;
  Compression compression = {};
};

/// The name of a dataset in its part.
std::string name_in_part(const PartVariable& variable, const PartDataset& dataset);

/// Data begin there: what stands before says where they are.
inline constexpr std::uint64_t kHeadOfPart = 4096;

/// What makes a file of a part: behind its data, and then over its beginning, kHeadOfPart bytes.
struct EndOfPart {
  std::uint64_t offset = 0;
  std::vector<std::byte> tail, head;
};

}  // namespace pileus
