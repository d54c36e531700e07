#pragma once
// The files that checkpoints wait for: of each cut those that were under way at its step, until every writer
// and the owner have on the disk what they wrote of them. A file that is published or fails meanwhile is
// through. Belongs to the strand of the owner.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/wait.h"
#include "files/owner_and_writers.h"
#include "plan/plan.h"
#include "publishing/owner/file_history.h"
#include "publishing/owner/file_state.h"

namespace pileus {

/// Who keeps what a cut asks for.
class CutKeeper {
 public:
  virtual ~CutKeeper() = default;
  /// Syncs what the owner wrote of the file, and reads what its first records are, so many of each axis; then
  /// FileCuts::owner_synced is called, unless it fails.
  virtual void sync(std::int64_t step, FilePeriod file, const std::vector<Index>& records) = 0;
  /// The step's entries of all files; exactly once for each FileCuts::begin.
  virtual void keep(std::int64_t step, std::vector<StateEntry> entries) = 0;
};

class FileCuts {
 public:
  /// A file under way: its state but for what `history` says of it later.
  struct Wanted {
    FileUnderWay state;
    std::vector<Index> counts;                       ///< records, by axis
    std::size_t changes = 0;                         ///< of the file that these records bring
    std::size_t writers = 0;                         ///< who answer
    std::vector<std::size_t> chunks_of_record = {};  ///< by variable; 0 where it is not compressed
    std::vector<StateEntry> compared = {};           ///< what later records are compared with
  };

  FileCuts(const Plan& plan, FileWriters& writers, CutKeeper& keeper)
      : plan_(plan), writers_(writers), keeper_(keeper) {}

  /// The state after `step` is kept.
  void begin(std::int64_t step, std::map<FileId, SeriesState> series, std::map<FilePeriod, Wanted> files);
  /// `history`: null where the file is not open any more.
  void writer_synced(const CutSynced& synced, const FileHistory* history);
  /// Something was done to the file. REQUIRES: it can be synced under its temporary name.
  void progressed(FilePeriod file, const FileHistory& history);
  void owner_synced(std::int64_t step, FilePeriod file, const FileHistory& history);
  void published(FilePeriod file, const FileHistory& history);
  void failed(FilePeriod file);
  /// Tells whether a cut is under way that the file has not come through.
  bool is_waiting_for(FilePeriod file) const;

  /// Tells whether a step is kept, or may be, at which this file was under way.
  bool has_kept(FilePeriod file) const { return kept_.contains(file); }
  /// Nobody asks that of it again.
  void forget(FilePeriod file) { kept_.erase(file); }

  /// "the state after step 12 waits for 2 servers to write their parts of profile.nc, period 3"
  std::vector<std::string> open_texts() const;
  /// The same for those who look at a run: by file, of the first step.
  std::vector<Wait> waits() const;

 private:
  struct Waiting {
    Wanted wanted;
    bool is_syncing = false;
    std::optional<FileHistory> published = {};  ///< it is; writers still say what lacked in it
  };
  struct Open {
    std::map<FileId, SeriesState> series;
    std::map<FilePeriod, Waiting> waiting;
    std::vector<StateEntry> entries;
  };
  void through(Open& cut, FilePeriod file, const FileHistory& history);
  void finish_if_through(std::int64_t step);
  std::vector<std::int64_t> steps() const;
  std::string text(std::int64_t step, FilePeriod file, const Waiting& waiting) const;

  const Plan& plan_;
  FileWriters& writers_;
  CutKeeper& keeper_;
  std::map<std::int64_t, Open> open_;  ///< by step
  std::set<FilePeriod> kept_;          ///< until they are forgotten
};

}  // namespace pileus
