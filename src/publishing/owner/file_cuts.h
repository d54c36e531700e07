#pragma once
// The files that checkpoints wait for: of each cut those that were under way at its step, until every writer
// and the owner have on the disk what they wrote of them. A file that is published or fails meanwhile is
// through. Belongs to the strand of its FileOwner.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/wait.h"
#include "publishing/owner/file_state.h"

namespace pileus {

/// What has been done to a file through the library, as far as its rebuilding needs it.
struct FileHistory {
  std::vector<std::vector<ChunkForm>> chunks;    ///< by variable, one after the other
  std::vector<std::vector<std::uint64_t>> ends;  ///< by axis and record: no byte of it lies after that
  std::vector<std::uint64_t> layouts;            ///< after each change
  std::vector<std::vector<RecordBytes>> bytes;   ///< by axis and record
};

class FileCuts {
 public:
  struct Hooks {
    std::function<void(const Cut&)> ask;  ///< all writers of the file
    /// Syncs what the owner wrote of the file, and reads what its first records are, so many of each axis;
    /// then owner_synced is called, unless it fails.
    std::function<void(std::int64_t step, FilePeriod, const std::vector<Index>& records)> sync;
    /// The step's entries of all files; exactly once for each begin().
    std::function<void(std::int64_t step, std::vector<StateEntry>)> kept;
  };
  /// A file under way: its state but for what `history` says of it later.
  struct Wanted {
    FileUnderWay state;
    std::vector<Index> counts;                       ///< records, by axis
    std::size_t changes = 0;                         ///< of the file that these records bring
    std::size_t writers = 0;                         ///< who answer
    std::vector<std::size_t> chunks_of_record = {};  ///< by variable; 0 where it is not compressed
  };

  FileCuts(const Plan& plan, Hooks hooks) : plan_(plan), hooks_(std::move(hooks)) {}

  /// The state after `step` is kept.
  void begin(std::int64_t step, std::map<FileId, SeriesState> series, std::map<FilePeriod, Wanted> files);
  /// `history`: null where the file is not open any more.
  void writer_synced(const CutSynced& synced, const FileHistory* history);
  /// Something was done to the file. REQUIRES: it can be synced under its temporary name.
  void progressed(FilePeriod file, const FileHistory& history);
  void owner_synced(std::int64_t step, FilePeriod file, const FileHistory& history);
  void published(FilePeriod file, const FileHistory& history);
  void failed(FilePeriod file);
  /// Whether a cut is under way that the file has not come through.
  bool is_waiting_for(FilePeriod file) const;

  /// Whether a step is kept, or may be, that this file was under way at.
  bool has_kept(FilePeriod file) const { return kept_.contains(file); }

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
  Hooks hooks_;
  std::map<std::int64_t, Open> open_;  ///< by step
  std::set<FilePeriod> kept_;
};

}  // namespace pileus
