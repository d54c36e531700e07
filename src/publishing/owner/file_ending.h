#pragma once
// How a file whose parts are all there becomes one under its name, or is given up: first its times, then the
// library's last words, then its name.

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "files/published_file.h"
#include "files/remarks.h"
#include "publishing/owner/file_course.h"
#include "publishing/owner/kept_files.h"
#include "publishing/owner/learned_bits.h"
#include "publishing/owner/owned_files.h"

namespace pileus {

class FileEnding {
 public:
  /// All outlive it. Every call comes from the owner's strand.
  FileEnding(OwnedFiles& book, const KeptFiles& kept, const LearnedBits& learned, const OwnerMeans& means,
             FileCourse& course)
      : book_(book), kept_(kept), learned_(learned), means_(means), course_(course) {}

  /// REQUIRES: all writers have reported, and nothing of the file is under way.
  /// `late`: records to be written yet, by their numbers.
  void begin(FilePeriod key, OpenFile& file, std::deque<std::pair<Index, PackedRecord>> late);
  /// The file of the run before keeps the name: what this run has of it is removed, unless a checkpoint
  /// refers to it.
  void let_go(FilePeriod key);
  /// The news of a file that has just come to its name.
  PublishedFile published_file(FilePeriod key, const OpenFile& file) const;

 private:
  /// The end of a file needs these of it, on every lane.
  struct Ending {
    FilePeriod key;
    std::shared_ptr<LibraryFile> library;
    std::vector<std::vector<RecordMark>> marks;
    std::vector<std::vector<std::uint64_t>> time_offsets, bounds_offsets;
    std::vector<Index> records;
    std::vector<PartOfFile> parts, parts_before;
    std::deque<Remark> remarks;                       ///< that the file has not got yet
    std::deque<std::pair<Index, PackedRecord>> late;  ///< likewise
    /// Of the file that it replaces, which is of another run.
    std::vector<std::string> replaced_parts = {};
  };
  using Shared = std::shared_ptr<Ending>;

  std::deque<Remark> remarks_of(FilePeriod key, const OpenFile& file) const;
  static void write_times(PartFile& parts, const Ending& ending);
  void finish_library(const Shared& ending);
  void finish_now(Ending& ending) const;
  void publish_beside(FilePeriod key, bool stays) const;
  void publish(const Shared& ending);
  std::int64_t publish_now(FilePeriod key, std::int64_t records, std::optional<std::int64_t> last_cut,
                           bool replaces) const;
  std::int64_t records_that_stay(FilePeriod key, std::int64_t records) const;
  void discard(FilePeriod key, const std::shared_ptr<LibraryFile>& library, const DiskFailure& why);
  void remove(FilePeriod key) const;
  void remove_parts(FilePeriod key) const;
  void remove_part(const std::string& path) const;
  void end_parts_before(const Ending& ending) const;
  void take_parts(Ending& ending) const;

  OwnedFiles& book_;
  const KeptFiles& kept_;
  const LearnedBits& learned_;
  OwnerMeans means_;
  FileCourse& course_;
};

}  // namespace pileus
