#pragma once
// What a file format does for Pileus: it defines a file, makes space in it record by record, and says at
// which bytes each record lies, so that every server writes its own parts with positioned writes
// (architecture D6). The output space uses it; each format has a folder of its own and hides its library
// there. Everything about a file follows from its definition and the sequence of calls, never from who writes
// which part when.

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "audit/audit.h"
#include "codecs/codec.h"
#include "core/attribute.h"
#include "core/byte_source.h"
#include "core/element_type.h"
#include "core/error.h"
#include "core/region.h"
#include "core/regridding.h"
#include "formats/kinds/file_kind.h"
#include "formats/kinds/on_disk.h"
#include "formats/parts.h"
#include "formats/placements.h"
#include "inputs/source.h"
#include "levels/block_value.h"

namespace pileus {

struct FileAttribute {
  std::string name;
  AttributeValue value;
  friend bool operator==(const FileAttribute&, const FileAttribute&) = default;
};

struct FileDimension {
  std::string name;
  Index size = 0;                         ///< at least 1
  std::vector<double> coordinates;        ///< `size` of them, or none: then there is no coordinate variable
  std::vector<FileAttribute> attributes;  ///< of the coordinate variable, without "bounds"
  std::vector<double> bounds = {};        ///< two for each coordinate, or none
  friend bool operator==(const FileDimension&, const FileDimension&) = default;
};

/// A dimension that grows, its coordinate variable (double) and, if wanted, the bounds of that.
struct TimeAxis {
  std::string name;
  bool has_bounds = false;
  std::vector<FileAttribute> attributes;  ///< without "bounds" or "climatology", which the format writes
  Index block_records = 1;  ///< the most that space is made for at a time: the expected number, or a guess
  Index first_records = 0;  ///< how many at first, at most block_records; 0: as many as those
  bool is_climatology = false;  ///< it calls its bounds climatology, as CF does where records overlap in time
  bool is_written = true;       ///< false: the file does not have it, and no variable does
  friend bool operator==(const TimeAxis&, const TimeAxis&) = default;
};

/// How many records an axis that has space for `space` is made space for next: as many as it has, so that no
/// file reserves more than twice what it comes to hold, and that a large one grows only a few times. No more
/// than are expected: to take back the space of others would hold up the end of the file.
inline Index records_to_add(Index space, Index first_records, Index block_records) {
  if (first_records == 0) return block_records;
  const Index lacking = space < block_records ? block_records - space : block_records;
  return std::min(std::max(space, first_records), lacking);
}

/// A variable with one record for each record of its axis.
struct FileVariable {
  std::string name;
  ElementType type = ElementType::float64;
  std::vector<std::uint32_t> dimensions;  ///< indices into FileDefinition::dimensions, fastest first
  std::uint32_t axis = 0;                 ///< index into FileDefinition::axes
  std::vector<FileAttribute>
      attributes;  ///< without "_FillValue", which the format writes: missing_value(type)
  Compression compression = {};
  /// A chunk without bytes is the one of the record before: readers find its values in both.
  bool may_repeat = false;
  bool is_audited = false;                ///< its chunks come with what rounding did
  std::optional<double> fill_value = {};  ///< of floating-point numbers, in place of missing_value(type)
  /// Its records lie in parts, which the file is told of in its end. It is not compressed then.
  bool is_in_parts = false;
  friend bool operator==(const FileVariable&, const FileVariable&) = default;
};

/// A variable without a time axis, which is written when the file is created.
struct FileStatic {
  std::string name;
  ElementType type = ElementType::float64;
  std::vector<std::uint32_t> dimensions;  ///< as those of a FileVariable
  std::vector<FileAttribute> attributes;  ///< likewise
  Compression compression = {};
  std::string definition = {};  ///< what it is, as a hash: files with other values are other files
  std::shared_ptr<const ByteSource> values = {};  ///< dense, fastest first; to be there by then
  bool has_no_fill_value = false;                 ///< its value is always there, or means nothing
  std::optional<double> fill_value = {};          ///< as that of a FileVariable
  /// Of a coarser level: its values are those of the blocks of another static of the file, an index into
  /// FileDefinition::statics, so that it has none of its own.
  struct Coarse {
    std::uint32_t of = 0;
    std::vector<Index> lengths;  ///< of blocks, fastest first
    BlockValue what = BlockValue::mean;
    friend bool operator==(const Coarse&, const Coarse&) = default;
  };
  std::optional<Coarse> coarse = {};
  friend bool operator==(const FileStatic&, const FileStatic&) = default;
};

/// Levels of resolution, each in a group called by its number. Names of the definition are "1/T" of what lies
/// in group 1; those without a group lie in group 0.
struct FileLevels {
  int count = 1;  ///< 1: there are no groups
  /// The dimensions that become shorter, slowest first, and how many elements are together in the next level.
  std::vector<std::pair<std::string, Index>> dimensions = {};
  std::string healpix = {};  ///< the dimension of cells in nested order; "": there is none
  Index nside = 0;           ///< of HEALPix, of the first level
  friend bool operator==(const FileLevels&, const FileLevels&) = default;
};

struct FileDefinition {
  std::vector<FileDimension> dimensions;
  std::vector<TimeAxis> axes;
  std::vector<FileVariable> variables;
  std::vector<FileAttribute> attributes;
  std::vector<FileStatic> statics = {};
  /// Others with this very definition may follow, so that a format may keep what it made of one.
  bool is_of_series = false;
  const FileKind* kind = &kinds::netcdf4();  ///< the format; it has static storage
  OnDisk on_disk = {};
  FileLevels levels = {};
  friend bool operator==(const FileDefinition&, const FileDefinition&) = default;
};

/// The records that an axis gained. Until they are written the times read as missing_value(float64), so that
/// a record is known to be complete by its time if that is written last; all else reads as 0.
struct AxisGrowth {
  Index first_record = 0;
  Index records = 0;  ///< at least 1; at most TimeAxis::block_records
  /// Each variable of the axis that is not compressed, by increasing index, with the placement of each new
  /// record.
  std::vector<std::pair<std::uint32_t, RecordPlacements>> variables;
  std::vector<std::uint64_t> time_offsets;  ///< of each new record: 8 bytes, a double; empty where take_times
                                            ///< gets them
  std::vector<std::uint64_t>
      bounds_offsets;  ///< of each new record: 16 bytes, two doubles; empty without bounds
};

/// How far the numbers of a chunk are from what they were.
struct Loss {
  double largest = 0, rms = 0;  ///< errors, exact
  double bound = 0;             ///< that none of them is beyond
  std::int64_t missing = 0;     ///< elements without a number
  friend bool operator==(const Loss&, const Loss&) = default;
};

/// A piece of one record, compressed: as it stands in the file.
struct PackedChunk {
  std::vector<std::byte> bytes;
  std::uint32_t skipped_filters = 0;  ///< bit i: the i-th step of compression was left out, as it failed
  std::optional<Loss> loss = {};      ///< where numbers are packed
  std::optional<Audit> audit = {};    ///< where that is asked for
  bool is_repeated() const { return bytes.empty(); }
};

/// When a record is, in seconds of the model.
struct RecordTimes {
  double time_s = 0, begin_s = 0, end_s = 0;
};

/// All pieces of one record of a compressed variable, in the order of FileFormat::packed_regions.
struct PackedRecord {
  std::uint32_t variable = 0;  ///< index into FileDefinition::variables
  std::vector<PackedChunk> chunks;
};

/// The owner's hand on one file. The file is closed between calls: nothing is held back that other servers
/// write. Only for the lane that may call the format's library, one call at a time. Errors: OutputError with
/// the path and the reason; the file is of no use then, but after a DiskFullError that may be repeated: space
/// on the disk is asked for before the library is called, and without it nothing has changed.
class FileWriter {
 public:
  /// Makes space for the next records of the axis, and reserves it on the disk.
  virtual AxisGrowth grow(std::uint32_t axis) = 0;

  /// Appends one record of compressed variables of one axis. They have no place before: their length is not
  /// known. All chunks of a record that another stands for are without bytes. It may be written yet, if it is
  /// the last one.
  /// REQUIRES: there is space for the record; no record twice but for that; variables by increasing index.
  virtual void write_packed(Index record, std::span<const PackedRecord> variables) = 0;

  /// The times of a record, before write_packed of it: for formats whose times stand with what is compressed.
  virtual void take_times(std::uint32_t /*axis*/, Index /*record*/, const RecordTimes& /*times*/) {}

  /// Where the chunks of the first `records` records of a compressed variable begin, record by record.
  /// It takes long. REQUIRES: they are written.
  virtual std::vector<std::uint64_t> packed_offsets(std::uint32_t variable, Index records) = 0;

  /// Adds an attribute of the file: what is only known when everything else is written.
  virtual void remark(const std::string& name, const std::string& text) = 0;

  /// The same for a variable: a whole number of 32 bits, or a real one.
  virtual void remark_on(std::uint32_t variable, const FileAttribute& attribute) = 0;

  /// Where the records of variables lie that are in parts, to be written with the end. `variables`: all of
  /// the file. It may be called again before the end: then this counts.
  virtual void take_parts(std::vector<PartOfFile> /*parts*/, std::vector<PartVariable> /*variables*/) {
    throw UsageError("this format has no parts");
  }

  /// Cuts every axis to its number of records and gives the space of the others back to the disk; the file is
  /// final afterwards, and yet to be synced.
  /// REQUIRES: every part is written; one number for each axis, none above what was made space for.
  virtual void finish(std::span<const Index> records_of_axis) = 0;

  /// What the file beside it has, where the format has one. REQUIRES: it is finished.
  virtual void put_beside(const PutBytes& /*put*/) {}

  virtual ~FileWriter() = default;
};

/// Both grids of a regridding.
struct GridsOfWeights {
  Index source = 0, target = 0;  ///< points
  /// Where points of the target lie; empty: nobody compares them.
  std::function<CellPlaces(Index first, Index count)> target_places = {};
};

class FileFormat {
 public:
  /// Defines a new file, with its coordinates and attributes and no records.
  /// Errors: UsageError if the definition contradicts itself; OutputError if the file exists or cannot be
  /// written: then there is no new file.
  virtual std::unique_ptr<FileWriter> create(const std::string& path, const FileDefinition& definition) = 0;

  /// The pieces that a record of a compressed variable is cut into, equal in size: the last in a dimension
  /// may reach past the extents. They do not depend on who holds what.
  virtual std::vector<Region> packed_regions(const std::vector<Index>& extents, ElementType type,
                                             const Compression& compression) const = 0;

  /// Compresses one of them, as dense bytes. Thread-safe.
  virtual PackedChunk pack(std::span<const std::byte> chunk, ElementType type,
                           const Compression& compression) const = 0;

  /// A record may only stand for later ones of the same so many of the axis; 0: for all.
  virtual Index records_of_stretch(const FileDefinition& definition, std::uint32_t axis) const = 0;

  /// What makes a file of a part of `size_bytes` bytes. Thread-safe.
  virtual EndOfPart end_of_part(const PartOfFile& /*part*/, const std::vector<PartVariable>& /*variables*/,
                                std::uint64_t /*size_bytes*/) const {
    throw UsageError("this format has no parts");
  }
  /// How many chunks a part says that it has, by its first kHeadOfPart bytes; 0: it is no file yet.
  virtual std::uint64_t chunks_in_part(std::span<const std::byte> /*head*/) const { return 0; }
  /// The parts that a file refers to, from its folder. Errors: OutputError.
  virtual std::vector<std::string> parts_of(const std::string& /*path*/) { return {}; }

  /// The links of some points of a regridding's result, of a file of weights between these grids.
  /// Errors: UsageError if there is no such file, or it has others.
  virtual LinkRows read_links(const std::string& path, const GridsOfWeights& grids, Index first,
                              Index count) = 0;

  /// See ReadGrid.
  virtual GridOfFile read_grid(const std::string& path) = 0;

  /// Latitude and longitude in degrees of points of the source grid of a file of weights; empty where it does
  /// not have them. Errors: UsageError.
  virtual std::array<std::vector<double>, 2> read_places(const std::string& path, Index first,
                                                         Index count) = 0;

  /// A file that inputs are read from. Errors: UsageError if it is not there or cannot be read.
  virtual std::unique_ptr<InputSource> open_input(const std::string& path) = 0;

  virtual ~FileFormat() = default;
};

/// What stands for "no value" in every file: an element of `type`. Source: the fill values of netCDF.
inline std::variant<double, float, std::int32_t, std::int64_t, std::int8_t, char> missing_value(
    ElementType type) {
  switch (type) {
    case ElementType::float64: return 9.9692099683868690e+36;
    case ElementType::float32: return 9.9692099683868690e+36F;
    case ElementType::int32: return std::int32_t{-2147483647};
    case ElementType::int64: return std::int64_t{-9223372036854775806};
    case ElementType::boolean: return std::int8_t{-127};
    case ElementType::character: return char{0};
  }
  return 0.0;
}

/// Bytes that lie together both in the file and in the dense array of a part.
struct FileStretch {
  std::uint64_t file_offset = 0;
  std::size_t part_offset = 0;
  std::size_t length = 0;
  friend bool operator==(const FileStretch&, const FileStretch&) = default;
};

/// The fewest stretches in which the elements of `part` lie, in bytes, by increasing file offset. An empty
/// part has none. REQUIRES: the blocks cover the part, and no two overlap.
inline std::vector<FileStretch> stretches_of(const RecordPlacement& placement, const Region& part,
                                             std::size_t element_size) {
  std::vector<FileStretch> stretches;
  const int rank = part.rank();
  for (const Block& block : placement.blocks) {
    Region common = part;
    for (int d = 0; d < rank; ++d) {
      common.start[d] = std::max(part.start[d], block.region.start[d]);
      common.count[d] = std::max<Index>(
          0, std::min(part.start[d] + part.count[d], block.region.start[d] + block.region.count[d]) -
                 common.start[d]);
    }
    if (common.size() == 0) continue;

    // Dimensions that are covered entirely on both sides, and the next one, lie together on both sides.
    int together = 0;
    Index length = 1;
    bool is_whole = true;
    while (together < rank && is_whole) {
      length *= common.count[together];
      is_whole = common.count[together] == block.region.count[together] &&
                 common.count[together] == part.count[together];
      ++together;
    }
    const Index stretch_count = common.size() / length;
    for (Index stretch = 0; stretch < stretch_count; ++stretch) {
      Index in_block = 0, in_part = 0, block_stride = 1, part_stride = 1, rest = stretch;
      for (int d = 0; d < rank; ++d) {
        const Index at = common.start[d] + (d < together ? 0 : rest % common.count[d]);
        if (d >= together) rest /= common.count[d];
        in_block += (at - block.region.start[d]) * block_stride;
        in_part += (at - part.start[d]) * part_stride;
        block_stride *= block.region.count[d];
        part_stride *= part.count[d];
      }
      stretches.push_back({block.offset + static_cast<std::uint64_t>(in_block) * element_size,
                           static_cast<std::size_t>(in_part) * element_size,
                           static_cast<std::size_t>(length) * element_size});
    }
  }
  std::sort(stretches.begin(), stretches.end(),
            [](const FileStretch& a, const FileStretch& b) { return a.file_offset < b.file_offset; });

  std::vector<FileStretch> merged;
  for (const FileStretch& stretch : stretches) {
    const bool continues = !merged.empty() &&
                           merged.back().file_offset + merged.back().length == stretch.file_offset &&
                           merged.back().part_offset + merged.back().length == stretch.part_offset;
    if (continues) {
      merged.back().length += stretch.length;
    } else {
      merged.push_back(stretch);
    }
  }
  return merged;
}

}  // namespace pileus
