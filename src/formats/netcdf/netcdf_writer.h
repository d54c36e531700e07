#pragma once
// The owner's hand on one netCDF-4 file: space for records, compressed records, the cut at its end.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "disk/file_system.h"
#include "formats/format.h"
#include "formats/netcdf/define.h"
#include "formats/netcdf/hdf5_file.h"
#include "formats/netcdf/known_file.h"
#include "formats/netcdf/parts/part_views.h"
#include "formats/repeated_chunks.h"

namespace pileus::netcdf {

class NetcdfWriter : public FileWriter {
 public:
  /// `known`: of the same file, after its definition.
  NetcdfWriter(std::string path, std::shared_ptr<const std::vector<AxisVariables>> axes, KnownFile known,
               FileSystem& files, const OnDisk& on_disk);

  AxisGrowth grow(std::uint32_t index) override;
  void write_packed(Index record, std::span<const PackedRecord> variables) override;
  std::vector<std::uint64_t> packed_offsets(std::uint32_t variable, Index records) override;
  void remark(const std::string& name, const std::string& text) override;
  void remark_on(std::uint32_t variable, const FileAttribute& attribute) override;
  void take_parts(std::vector<PartOfFile> parts, std::vector<PartVariable> variables) override {
    parts_ = boxes_of(parts, variables, *axes_);
  }
  void finish(std::span<const Index> records_of_axis) override;

 private:
  void add_parts();
  void add_repeated();
  void add_audits();
  /// A chunk, or a piece of a record that is cut into several.
  struct Chunk {
    Index record = 0, records = 1;  ///< the first, and how many
    std::uint64_t offset = 0, record_bytes = 0;
  };
  /// What the last growth was for, which may have come in several pieces.
  struct Asked {
    Index space = 0;            ///< records
    std::vector<Chunk> chunks;  ///< that hold records of it
  };
  /// Where the chunk of the i-th variable of the axis lies that begins there.
  using FindChunk = std::function<std::uint64_t(std::size_t i, Index record, const Region& region)>;

  AxisGrowth make(std::uint32_t index, Index first, Index count, std::uint64_t metadata_bytes);
  AxisGrowth repeat(const KnownChange& change, std::uint32_t index, Index first, Index count);
  static void allot(std::vector<Hdf5Dataset>& datasets, const AxisVariables& axis, Index first, Index count);
  static AxisGrowth where(const FindChunk& find, const AxisVariables& axis, Index first, Index count);
  static void note_chunks(const AxisVariables& axis, const AxisGrowth& growth, std::vector<Chunk>& chunks);
  void give_unused_back(std::span<const Index> records_of_axis, bool is_cut);
  void give_pages_back(std::uint64_t first, std::uint64_t end);
  const RecordVariable& described(const PackedRecord& packed) const;
  const RecordVariable& described(std::uint32_t packed) const;
  void check(std::span<const Index> records_of_axis) const;
  void cut(std::span<const Index> records_of_axis);

  std::string path_;
  OnDisk on_disk_;
  FileSystem& files_;
  std::shared_ptr<const std::vector<AxisVariables>> axes_;
  KnownFile known_;
  std::vector<Index> records_;  ///< of each axis
  std::vector<Asked> asked_;    ///< likewise
  /// By variable that may repeat records.
  std::map<std::uint32_t, RepeatedChunks> sources_;
  std::map<std::uint32_t, std::vector<Audit>> audits_;  ///< by variable that is audited: of each record
  PartsOfVariables parts_;
};

}  // namespace pileus::netcdf
