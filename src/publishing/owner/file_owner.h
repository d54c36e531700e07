#pragma once
// What a server does for the files that it owns: follows the clock to lay them out record by record, tells
// the writers where their parts go, and publishes a file when every part of it is on the disk (architecture
// D6, D7). All calls come from one strand; the file library and the disk have lanes of their own.

#include <chrono>
#include <cmath>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "disk/file_system.h"
#include "exec/strand.h"
#include "files/file_frames.h"
#include "files/file_lane.h"
#include "files/file_layout.h"
#include "files/published_file.h"
#include "formats/format.h"
#include "publishing/owner/continued_files.h"
#include "publishing/owner/file_cuts.h"
#include "publishing/owner/library_file.h"
#include "publishing/owner/rebuild.h"
#include "publishing/owner/static_parts.h"
#include "time/file_timeline.h"

namespace pileus {

class FileOwner {
 public:
  struct Hooks {
    std::function<void(Task)> post;  ///< runs a task on the strand that owns this object; thread-safe
    std::function<void(const Placement&)>
        announce;                                 ///< to all writers of the file, this server's own included
    std::function<void(const Closing&)> closing;  ///< likewise
    std::function<void(const Progress&)> progress;  ///< likewise, of axes with compressed variables
    std::function<void(const PublishedFile&)> published;
    std::function<void(FilePeriod, std::string)> failed;  ///< the file could not be written, and why
    /// Before that, where it is that the disk has no room.
    std::function<void(FilePeriod, const std::string&)> full = {};
    std::function<void(const Cut&)> cut = {};  ///< to all writers of the file, as announce
    /// What the files of this owner were after a step that is kept, and all that it needs is on the disk.
    std::function<void(std::int64_t step, std::vector<StateEntry>)> kept = {};
  };
  struct Lanes {
    Strand& library;
    Executor& writers;
    FullDisks* full = nullptr;  ///< null: nothing is tried again. Outlives the owner
  };

  /// `writers`: by file, how many servers report parts_done. `holes`: what no model rank holds of a variable.
  /// `continued`: the files of the run before, null for a fresh start; it outlives the owner.
  FileOwner(const Plan& plan, ServerRank self, const RunIdentity& run, std::string directory,
            std::vector<std::size_t> writers, FileSystem& files, FileFormat& format, Lanes lanes, Hooks hooks,
            const std::map<VariableId, std::string>& holes = {}, const ContinuedFiles* continued = nullptr);

  /// A step of the run's clock, or its end. Order: every step, in order.
  void advance(const Step& step, double start_time_s);
  void finish();
  /// A part of what stands in files without a time axis; its index is that in Plan::statics.
  void add_static(const Record& part, ClientRank client);
  void parts_done(const PartsDone& done);
  void cut_synced(const CutSynced& synced);
  /// A chunk of a compressed variable; it may come before the clock's word of its record.
  void packed(PackedPart part);
  /// A model rank has ended before the run. Where all that hold some chunk have, the chunk is filled, and
  /// those who compress it must know of the record from here.
  void client_ended(ClientRank client);
  /// The run ends, and `why`: what is not complete is given up, and no file is begun.
  void stop();

  /// The last period of the file up to which no record will lack in published files; INT64_MAX when the run
  /// is over and all are published.
  std::int64_t published_through(FileId file) const;

  bool has_open_files() const { return !open_.empty(); }
  /// Of what stands in its files without a time axis.
  std::size_t static_bytes() const { return statics_.size_bytes(); }
  std::vector<std::string> open_texts() const;
  /// What a file waits for that is not the model: "FILE waits for the parts of ", to be followed by the names
  /// of those that have not reported, where it is for writers.
  struct FileWait {
    FilePeriod file;
    std::string text;
    bool is_for_writers = false;
    bool is_due = false;  ///< no record will follow
  };
  /// Each file that is due has one at least. By file and period.
  std::vector<FileWait> waits() const;
  /// What the states of files wait for that are being kept.
  std::vector<Wait> cut_waits() const { return cuts_.waits(); }
  std::string temporary_path(FilePeriod key) const;
  std::string final_path(FilePeriod key) const;

 private:
  struct OpenFile {
    explicit OpenFile(const FileDefinition& definition) : planned(definition) {}

    std::shared_ptr<FileLane> lane;
    std::shared_ptr<LibraryFile> library;        ///< belongs to the library's lane
    FileChanges planned;                         ///< what its records bring
    std::vector<std::uint32_t> order;            ///< axes, as they gained records
    std::vector<Index> written;                  ///< by axis: records whose compressed variables are written
    std::vector<std::vector<RecordMark>> marks;  ///< by axis
    std::vector<std::vector<std::uint64_t>> time_offsets, bounds_offsets;
    std::vector<MissingPart> missing, missing_before;  ///< the latter: those that the run before knew
    std::size_t writers_missing = 0;
    const FileUnderWay* before = nullptr;   ///< of the run before, until it is laid out again
    std::vector<FileAttribute> attributes;  ///< of the file
    FileHistory history;
    std::deque<FileChange> changes;  ///< the first one is under way if is_changing
    bool is_changing = false;
    bool is_complete = false;                         ///< the clock says that no record will follow
    std::chrono::steady_clock::time_point completed;  ///< when it said so
    bool is_closing = false;                          ///< the writers have been told
    bool is_finishing = false;
    bool is_remarked = false;  ///< what lacks in it stands in it
    std::string error;
  };

  /// Of a record of which a checkpoint is the first to ask what its bytes are.
  struct NewSum {
    std::size_t axis = 0, record = 0;
    RecordBytes bytes;
  };
  using VariableChunks = std::vector<std::pair<std::uint32_t, ChunkForm>>;

  void take(FileId file, const std::vector<FileEvent>& events);
  OpenFile& open_file(FilePeriod key);
  void add_record(FilePeriod key, const FileEvent& event);
  void go_on_if_whole();
  void give_up_without_statics();
  std::size_t packed_chunks(FileId file, std::uint32_t axis) const;
  void go_on(FilePeriod key, OpenFile& file);
  void continue_file(FilePeriod key, const FileUnderWay& state);
  void begin_if_continued();
  void restore(FileId file, FileTimeline& timeline) const;
  void lay_out_again(FilePeriod key, OpenFile& file);
  void copy_records(FilePeriod key, const std::shared_ptr<LaidOut>& made);
  void laid_out(FilePeriod key, const LaidOut& made, const DiskFailure& failure);
  void grow(FilePeriod key, const FileChange& change, OpenFile& file);
  void write_packed(FilePeriod key, const FileChange& change, OpenFile& file);
  void finish_if_done(FilePeriod key, OpenFile& file);
  void make_if_new(FilePeriod key, LibraryFile& library);
  void changed(FilePeriod key, const DiskFailure& failure, std::uint64_t layout,
               const VariableChunks& written = {});
  void tell_last_periods();
  void tell_progress(FilePeriod key, const OpenFile& file, std::uint32_t axis);
  void grown(FilePeriod key, std::uint32_t axis, const std::vector<AxisGrowth>& growths,
             const DiskFailure& failure, std::uint64_t layout);
  void close_if_complete(FilePeriod key, OpenFile& file);
  void write_times(FilePeriod key);
  static void remark_missing(FileWriter& writer, const std::vector<std::string>& missing);
  static void write_all_times(PartFile& parts, const OpenFile& file);
  void finish_library(FilePeriod key, const std::shared_ptr<OpenFile>& file);
  void finish_now(FilePeriod key, OpenFile& file);
  void discard(FilePeriod key, const std::shared_ptr<LibraryFile>& library, const DiskFailure& why);
  void publish(FilePeriod key);
  void publish_now(FilePeriod key, std::optional<std::int64_t> last_cut);
  bool may_replace(FilePeriod key, const std::string& path) const;
  void keep_aside(const std::string& path);
  void keep(std::int64_t step);
  FileUnderWay state_of(FilePeriod key, const OpenFile& file) const;
  void sync(std::int64_t step, FilePeriod key, const std::vector<Index>& records);
  void owner_synced(std::int64_t step, FilePeriod key, const DiskFailure& failure,
                    const std::vector<NewSum>& sums);
  static std::vector<NewSum> unsummed(const FileHistory& history, const std::vector<Index>& records);
  static void add_sums(FileHistory& history, const std::vector<NewSum>& sums);
  void tell_cuts_of_published(FilePeriod key, FileHistory history, const std::vector<Index>& records);
  void published(FilePeriod key, const DiskFailure& failure);
  void not_published(FilePeriod key, const DiskFailure& failure);
  void note_failure(FilePeriod key, const DiskFailure& failure);
  void forget(FilePeriod key);
  PublishedFile published_file(FilePeriod key, const OpenFile& file) const;
  std::string wait_text(FilePeriod key, const OpenFile& file) const;
  std::string lacking_chunks(FilePeriod key, const FileChange& change) const;
  void fail(FilePeriod key, OpenFile& file, const DiskFailure& failure);

  const Plan& plan_;
  ServerRank self_;
  RunIdentity run_;
  std::string directory_;
  std::vector<std::size_t> writers_of_;
  FileSystem& files_;
  FileFormat& format_;
  Lanes lanes_;
  Hooks hooks_;
  const ContinuedFiles* continued_;
  FileCuts cuts_;
  std::map<FileId, FileTimeline> timelines_;
  StaticParts statics_;
  std::set<FileId> whole_;  ///< files whose definition has the values of its static variables
  std::map<FileId, FileDefinition> definitions_;
  std::map<FileId, std::int64_t> last_period_;
  std::map<FilePeriod, OpenFile> open_;
  /// The chunks of one record of all variables of an axis: by variable and index.
  using PackedChunks = std::map<std::pair<std::uint32_t, std::uint32_t>, PackedChunk>;
  std::map<FilePeriod, std::map<std::pair<std::uint32_t, Index>, PackedChunks>>
      packed_;                                               ///< by axis and record
  std::map<FileId, std::vector<std::size_t>> chunk_counts_;  ///< by variable; 0 where it is not compressed
  std::map<FileId, Periods> published_periods_;
  std::optional<std::int64_t> last_cut_;  ///< the step after which a run may continue, if there is any
  bool has_begun_ = false;
  bool has_step_ = false;              ///< of this run
  std::set<ClientRank> ended_before_;  ///< that
  bool has_client_ended_ = false;
  bool is_finished_ = false;     ///< no further file will be opened
  bool is_stopped_ = false;      ///< likewise, and none goes on
  std::set<FilePeriod> failed_;  ///< their later records are dropped
};

}  // namespace pileus
