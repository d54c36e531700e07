#pragma once
// The owner's hand on one file: messages one behind the other, in the order of records, variables and levels.

#include <map>
#include <string>
#include <vector>

#include "disk/file_system.h"
#include "formats/format.h"
#include "formats/grib/header.h"

namespace pileus::grib {

class GribWriter : public FileWriter {
 public:
  /// The file is there, and empty. `files` outlives it.
  GribWriter(FileSystem& files, std::string path, const FileDefinition& definition);

  AxisGrowth grow(std::uint32_t axis) override;
  void take_times(std::uint32_t axis, Index record, const RecordTimes& times) override;
  void write_packed(Index record, std::span<const PackedRecord> variables) override;
  std::vector<std::uint64_t> packed_offsets(std::uint32_t variable, Index records) override;
  void remark(const std::string& name, const std::string& text) override;
  void remark_on(std::uint32_t variable, const FileAttribute& attribute) override;
  void finish(std::span<const Index> records_of_axis) override;
  void put_beside(const PutBytes& put) override;

 private:
  struct Messages {
    std::string name;
    MessageTerms terms;
    Headers headers;
  };
  /// A line of what lies beside.
  struct Line {
    std::uint32_t of = 0;  ///< index into all_
    std::uint32_t level = 0;
    RecordTimes times;
    Loss loss;
  };
  /// Of a file that gets them at once, or not at all.
  struct Added {
    std::vector<std::vector<std::byte>> begins;
    std::vector<std::span<const std::byte>> pieces;
    std::vector<std::uint64_t> offsets;  ///< of what is packed
    std::vector<Line> lines;
    std::uint64_t end = 0;
  };

  /// `first`: the level of the first of them.
  void add(std::uint32_t of, std::span<const PackedChunk> levels, std::uint32_t first,
           const RecordTimes& times, Added& added);
  void write(Added& added);
  void write_statics(const FileDefinition& definition);
  std::string line_text(const Line& line) const;

  FileSystem& files_;
  std::string path_;
  std::string title_;
  std::vector<Messages> all_;  ///< variables, then static fields
  std::vector<std::uint32_t> axis_of_;
  std::vector<TimeAxis> axes_;
  std::vector<Index> space_;                         ///< by axis
  std::vector<RecordTimes> times_;                   ///< by axis, of the record that is written
  std::vector<std::vector<std::uint64_t>> offsets_;  ///< by variable, of what is packed
  std::vector<Line> lines_;
  std::vector<FileAttribute> remarks_;
  std::uint64_t end_ = 0;
};

}  // namespace pileus::grib
