#pragma once
// One file as its owner makes it through the library: which calls the records of its axes bring, in which
// order, and what came of them. The bytes of a file follow from these calls alone, so whoever makes them
// again gets the same layout.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "disk/file_system.h"
#include "files/file_frames.h"
#include "formats/format.h"

namespace pileus {

/// A change of the file through the library, of which one follows the other: space for records, or one record
/// of the compressed variables of an axis.
struct FileChange {
  bool is_growth = true;
  std::uint32_t axis = 0;
  Index records = 0;  ///< space asked for, or the record
  friend bool operator==(const FileChange&, const FileChange&) = default;
};

/// The changes that each record brings. They are the same for all who are told of the same records.
class FileChanges {
 public:
  explicit FileChanges(const FileDefinition& definition);
  /// The changes that the next record of the axis brings.
  std::vector<FileChange> add_record(std::uint32_t axis);
  /// The number of changes of all records so far.
  std::size_t count() const { return count_; }

 private:
  struct Axis {
    Index block_records = 1, first_records = 0;
    bool has_packed = false;
    Index records = 0, space = 0;
  };
  std::vector<Axis> axes_;
  std::size_t count_ = 0;
};

/// All calls come from the library's lane. Errors: OutputError; the file is of no use then, unless it is a
/// DiskFullError that may be repeated.
class LibraryFile {
 public:
  LibraryFile(FileSystem& files, std::size_t axes) : files_(files), space_(axes, 0) {}

  bool is_made() const { return writer_ != nullptr; }
  void make(FileFormat& format, const std::string& path, const FileDefinition& definition);
  /// Adds to `growths` what the axis gains, which stays if it fails on the way. The format may make space in
  /// smaller pieces than it is asked for.
  void grow_to(std::uint32_t axis, Index records, std::vector<AxisGrowth>& growths);
  void write_packed(std::uint32_t axis, Index record, const RecordTimes& times,
                    std::span<const PackedRecord> variables);
  /// A hash of where everything lies, after all that was done so far.
  std::uint64_t layout() const { return layout_; }

  FileWriter& writer() { return *writer_; }
  void close() { writer_.reset(); }
  /// Makes it as if it had never been made. The caller removes the file itself.
  void discard();

 private:
  void note_growth(const Placement& placement);
  void note(std::span<const std::byte> bytes);
  void note_length();

  FileSystem& files_;
  std::string path_;
  std::unique_ptr<FileWriter> writer_;
  std::vector<Index> space_;  ///< by axis: records that there is space for
  std::uint64_t layout_ = 0;
};

}  // namespace pileus
