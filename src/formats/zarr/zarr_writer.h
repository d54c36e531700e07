#pragma once
// The owner's hand on one store: shards for records, compressed chunks, the metadata at its end, without
// which there is no store for any reader.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "disk/file_system.h"
#include "formats/folders/folder_table.h"
#include "formats/format.h"
#include "formats/repeated_chunks.h"
#include "formats/zarr/array.h"
#include "formats/zarr/shards.h"

namespace pileus::zarr {

class ZarrWriter : public FileWriter {
 public:
  /// The folder is there, and empty. `files` outlives it.
  ZarrWriter(FileSystem& files, std::string path, const FileDefinition& definition, Index largest_packed);

  AxisGrowth grow(std::uint32_t axis) override;
  void write_packed(Index record, std::span<const PackedRecord> variables) override;
  std::vector<std::uint64_t> packed_offsets(std::uint32_t variable, Index records) override;
  void remark(const std::string& name, const std::string& text) override;
  void remark_on(std::uint32_t variable, const FileAttribute& attribute) override;
  void finish(std::span<const Index> records_of_axis) override;

 private:
  /// Of the shards of one array, the one that is being filled, and where each record of a compressed one
  /// begins in the range of the folder.
  struct Filling {
    std::vector<ChunkPlace> chunks;
    std::uint64_t length = 0;    ///< bytes, of its chunks
    std::uint64_t appended = 0;  ///< likewise, with those of the record that is being written
    std::vector<std::uint64_t> records;
    RepeatedChunks sources;     ///< where records may stand for later ones: those that do
    std::vector<Audit> audits;  ///< where that is asked for: of each record

    /// Of a record behind all others, in its shard.
    std::uint64_t begin_of(Index record, const Array& array) const {
      return record % array.shard_records == 0 ? 0 : length;
    }
    /// Also of the last record, when it comes once more.
    std::uint64_t first_of(Index record, const Array& array) const {
      return record < std::ssize(records) ? length : begin_of(record, array);
    }
  };
  /// Of files that were cut, in bytes.
  using Lengths = std::map<std::string, std::uint64_t>;
  struct Axis {
    Index shard_records = 1;
    Index space = 0;                 ///< records
    std::vector<std::size_t> times;  ///< indices of arrays: the times, their bounds
    std::vector<std::uint32_t> variables;
  };

  std::string below(std::string_view name) const { return path_ + "/" + std::string(name); }
  const Array& array_of(std::uint32_t variable) const { return arrays_[first_variable_ + variable]; }
  void define(const FileDefinition& definition, Index largest_packed);
  void find_copies(const FileDefinition& definition);
  void put_whole(const std::string& name, std::span<const std::byte> bytes);
  void make_file(const std::string& name, std::uint64_t length);
  void make_shards(const Axis& axis, Index shard);
  void write_table(std::size_t first_piece);
  void append(Index record, const PackedRecord& packed);
  std::vector<ChunkPlace> chunks_of(const Array& array, const Filling& filling, Index shard);

  void cut_shards(const Array& array, Index space, Index records, Lengths& lengths);
  void end_packed(const Array& array, const Filling& filling, Index records);
  void add_sources(std::vector<Array>& arrays);
  void add_audits(std::vector<Array>& arrays);
  void copy_times(std::span<const Index> records_of_axis);
  void write_metadata(std::span<const Index> records_of_axis);

  FileSystem& files_;
  std::string path_;
  std::vector<FileAttribute> attributes_;
  FileLevels levels_;
  std::vector<Axis> axes_;
  std::vector<Array> arrays_;  ///< coordinates and statics, then those of axes, then variables
  std::size_t first_variable_ = 0;
  std::vector<std::pair<Array, std::size_t>> copies_;  ///< of the times, for other groups: of which array
  std::vector<std::uint32_t> axis_of_;                 ///< by array; UINT32_MAX: none
  std::vector<Filling> filling_;                       ///< by variable
  std::vector<bool> variables_may_repeat_, variables_are_audited_;
  std::vector<std::string> names_of_axes_;
  std::string table_name_;
  folders::FolderTable table_;
  std::uint64_t table_bytes_ = 0;
};

}  // namespace pileus::zarr
