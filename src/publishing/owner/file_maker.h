#pragma once
// Makes files through the library: space for records and records of compressed variables, one change after
// the other. What it makes of a file follows from the order of its records alone.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "files/owner_and_writers.h"
#include "publishing/owner/file_course.h"
#include "publishing/owner/owned_files.h"

namespace pileus {

class FileMaker {
 public:
  /// All outlive it. Every call comes from the owner's strand.
  FileMaker(OwnedFiles& book, const OwnerMeans& means, FileWriters& writers, FileCourse& course)
      : book_(book), means_(means), writers_(writers), course_(course) {}

  /// A chunk of a compressed variable; it may come before the clock's word of its record.
  void add(PackedPart part);
  /// Starts the first of the file's changes; false if chunks of it lack. It never waits for a later step, so
  /// earlier steps free their memory. REQUIRES: there is a change, and none is under way.
  bool start_change(FilePeriod key, OpenFile& file);
  void tell_progress(FilePeriod key, const OpenFile& file, std::uint32_t axis);
  void tell_progress_of_packed(FilePeriod key, const OpenFile& file);

  /// Last records of the file, for which others stood until now, by their numbers.
  std::deque<std::pair<Index, PackedRecord>> take_late(FilePeriod key);

  /// Chunks of the file are of no use any more.
  void drop(FilePeriod key) {
    packed_.erase(key);
    late_.erase(key);
  }
  /// No further file is begun.
  void drop_unopened();
  /// "waits for 2 chunks of w of record 3". REQUIRES: the change is a record of compressed variables.
  std::string lacking_chunks(FilePeriod key, const FileChange& change) const;

 private:
  using WrittenChunks = std::vector<std::pair<std::uint32_t, ChunkLayout>>;
  /// The chunks of one record of all variables of an axis: by variable and index.
  using PackedChunks = std::map<std::pair<std::uint32_t, std::uint32_t>, PackedChunk>;
  using PackedRecords = std::map<std::pair<std::uint32_t, Index>, PackedChunks>;

  void grow(FilePeriod key, const FileChange& change, OpenFile& file);
  void grown(FilePeriod key, std::uint32_t axis, const std::vector<AxisGrowth>& growths);
  void write_packed(FilePeriod key, const FileChange& change, OpenFile& file);
  void packed_written(FilePeriod key, const FileChange& change, const WrittenChunks& written);
  void make_if_new(FilePeriod key, LibraryFile& library) const;
  void ended(FilePeriod key, const DiskFailure& failure, std::uint64_t layout);

  OwnedFiles& book_;
  OwnerMeans means_;
  FileWriters& writers_;
  FileCourse& course_;
  std::map<FilePeriod, PackedRecords> packed_;  ///< by axis and record
  /// The same of last records that are written in the end.
  std::map<FilePeriod, PackedRecords> late_;
};

}  // namespace pileus
