#pragma once
// The book of the files that one server owns: how each is defined, which are under way, which were published
// or are lost. Belongs to the strand of its FileOwner; what is const in it may be read on every lane.

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "dropped/dropped_axes.h"
#include "exec/pauses.h"
#include "exec/strand.h"
#include "files/file_lane.h"
#include "files/file_layout.h"
#include "files/file_names.h"
#include "files/remarks.h"
#include "publishing/owner/continued_files.h"
#include "publishing/owner/file_history.h"
#include "publishing/owner/library_file.h"

namespace pileus {

/// The means with which an owner makes its files. All outlive it.
struct OwnerMeans {
  FileSystem& files;
  FileFormat& format;
  Strand& home;               ///< of the owner itself
  Strand& library;            ///< for all calls of the file library
  Executor& writers;          ///< for what blocks on the disk
  FullDisks* full = nullptr;  ///< null: nothing is tried again
};

/// One file that is not published yet.
struct OpenFile {
  explicit OpenFile(const FileDefinition& definition);

  std::vector<Index> records() const;  ///< by axis
  bool is_lost() const { return !error.empty(); }

  std::shared_ptr<FileLane> lane;
  std::shared_ptr<LibraryFile> library;        ///< belongs to the library's lane
  FileChanges planned;                         ///< what its records bring
  std::vector<std::uint32_t> order;            ///< axes, as they gained records
  std::vector<Index> written;                  ///< by axis: records whose compressed variables are written
  std::vector<std::vector<RecordMark>> marks;  ///< by axis
  std::vector<std::vector<std::uint64_t>> time_offsets, bounds_offsets;
  std::vector<MissingPart> missing, missing_before;  ///< the latter: those that the run before knew
  std::vector<PartOfFile> parts, parts_before;       ///< of servers; the latter: of the run before
  std::vector<ServerRank> reported;                  ///< writers whose parts are on the disk
  const FileUnderWay* before = nullptr;              ///< of the run before, until it is laid out again
  std::vector<FileAttribute> attributes;             ///< of the file
  FileHistory history;
  std::deque<FileChange> changes;  ///< the first one is under way if is_changing
  bool is_changing = false;
  bool is_complete = false;                         ///< the clock says that no record will follow
  LastStep last_step;                               ///< with which it said so
  DroppedRecords dropped;                           ///< records that were left out, once it said so
  std::chrono::steady_clock::time_point completed;  ///< when it said so
  /// Since when it waits for its static variables.
  std::optional<Pauses::Clock::time_point> lacks_statics_since;
  /// Records of the file that the run before published and that keeps the name, as it has more; 0: there is
  /// none.
  std::int64_t stays_with = 0;
  bool is_closing = false;  ///< the writers have been told
  bool is_finishing = false;
  std::string error;
};

class OwnedFiles {
 public:
  /// `writers`: by file, the servers that report their parts. `holes`: what no model rank holds of a
  /// variable. `continued`: the files of the run before, null for a fresh start; it outlives the book.
  OwnedFiles(const Plan& plan, ServerRank self, const FileNames& names,
             std::vector<std::vector<ServerRank>> writers, const OwnerMeans& means,
             const std::map<VariableId, std::string>& holes, const ContinuedFiles* continued);

  const Plan& plan() const { return plan_; }
  ServerRank self() const { return self_; }
  const FileNames& names() const { return names_; }
  const std::vector<ServerRank>& writers_of(FileId file) const { return writers_of_[file.index]; }
  const ContinuedFiles* continued() const { return continued_; }

  /// The definitions of the files of this server.
  std::map<FileId, FileDefinition>& definitions() { return definitions_; }
  const std::map<FileId, FileDefinition>& definitions() const { return definitions_; }
  const FileDefinition& definition(FileId file) const { return definitions_.at(file); }
  /// The number of chunks of one record, by variable; 0 where it is not compressed.
  const std::vector<std::size_t>& chunk_counts(FileId file) const { return chunk_counts_.at(file); }
  /// Chunks of one record of the axis.
  std::size_t packed_chunks(FileId file, std::uint32_t axis) const;

  std::map<FilePeriod, OpenFile>& under_way() { return open_; }
  const std::map<FilePeriod, OpenFile>& under_way() const { return open_; }
  /// The file of the period, which is under way from here on.
  OpenFile& open(FilePeriod key);
  OpenFile* find(FilePeriod key);
  OpenFile& at(FilePeriod key) { return open_.at(key); }
  void close(FilePeriod key) { open_.erase(key); }

  /// `closed_through`: of the series, the last period that no later record can belong to.
  void add_published(FilePeriod key, std::int64_t closed_through);
  void add_lost(FilePeriod key, std::int64_t closed_through);
  /// Tells whether the file was lost, in this run or in the one before, so that later records of it are
  /// dropped.
  bool is_lost(FilePeriod key) const;

  /// Tells whether no later record of it is wanted: it was lost, or replaced in the run before.
  bool is_over(FilePeriod key) const;
  bool has_published(FileId file) const;
  /// Tells whether its name has to wait for the files of earlier periods, as each replaces the one before.
  /// The one of that name is perhaps still read: records of the run before are copied from it, or a
  /// checkpoint waits for what it holds.
  bool is_held_back(FilePeriod key) const;
  /// A published file is read under its name.
  void begin_reading(FilePeriod key) { read_.insert(key); }
  void end_reading(FilePeriod key) { read_.erase(key); }

  /// INT64_MIN: none was ever under way.
  std::int64_t last_period(FileId file) const;
  /// The first that is under way, or lost; INT64_MAX: none is.
  std::int64_t first_open_period(FileId file) const;
  std::int64_t first_lost_period(FileId file) const;
  /// The state of the series, but for its timeline.
  SeriesState series_state(FileId file) const;
  /// Ranges of periods that the book holds, for a test that it stays small.
  std::size_t held_ranges() const;

 private:
  void join_over_skipped(FileId file, std::int64_t closed_through);

  const Plan& plan_;
  ServerRank self_;
  const FileNames& names_;
  std::vector<std::vector<ServerRank>> writers_of_;
  OwnerMeans means_;
  const ContinuedFiles* continued_;
  std::map<FileId, FileDefinition> definitions_;
  std::map<FileId, std::vector<std::size_t>> chunk_counts_;
  std::map<FilePeriod, OpenFile> open_;
  std::map<FileId, std::int64_t> last_period_;
  std::map<FileId, Periods> published_, lost_;
  std::set<FilePeriod> read_;  ///< published files that are read under their names
};

}  // namespace pileus
