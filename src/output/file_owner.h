#pragma once
// What a server does for the files that it owns: follows the clock to lay them out record by record, tells
// the writers where their parts go, and publishes a file when every part of it is on the disk (architecture
// D6, D7). All calls come from one strand; the file library and the disk have lanes of their own.

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "exec/strand.h"
#include "output/file_frames.h"
#include "output/file_layout.h"
#include "output/file_system.h"
#include "output/format.h"
#include "time/file_timeline.h"

namespace pileus {

struct PublishedFile {
  std::string path;
  std::int64_t records = 0;  ///< over all axes
  std::vector<std::string> missing;
  std::string series;    ///< the file's name in the configuration
  double latency_s = 0;  ///< from the clock's word that no record will follow to the publication
};

class FileOwner {
 public:
  struct Hooks {
    std::function<void(Task)> post;  ///< runs a task on the strand that owns this object; thread-safe
    std::function<void(const Placement&)>
        announce;                                 ///< to all writers of the file, this server's own included
    std::function<void(const Closing&)> closing;  ///< likewise
    std::function<void(const Progress&)> progress;  ///< likewise, of axes with compressed variables
    std::function<void(const PublishedFile&)> published;
    std::function<void(std::string)> failed;  ///< a file could not be written, and why
  };
  struct Lanes {
    Strand& library;
    Executor& writers;
  };

  /// `writers`: by file, how many servers report parts_done. `holes`: what no model rank holds of a variable.
  FileOwner(const Plan& plan, ServerRank self, const RunIdentity& run, std::string directory,
            std::vector<std::size_t> writers, FileSystem& files, FileFormat& format, Lanes lanes, Hooks hooks,
            const std::map<VariableId, std::string>& holes = {});

  /// A step of the run's clock, or its end. Order: every step, in order.
  void advance(const Step& step, double start_time_s);
  void finish();
  void parts_done(const PartsDone& done);
  /// A chunk of a compressed variable; it may come before the clock's word of its record.
  void packed(PackedPart part);
  /// A model rank has ended before the run. Where all that hold some chunk have, the chunk is filled, and
  /// those who compress it must know of the record from here.
  void client_ended();

  bool has_open_files() const { return !open_.empty(); }
  std::vector<std::string> open_texts() const;
  /// What a file waits for that is not the model: "FILE waits for the parts of ", to be followed by the names
  /// of those that have not reported, where it is for writers.
  struct Wait {
    FilePeriod file;
    std::string text;
    bool is_for_writers = false;
  };
  std::vector<Wait> waits() const;
  std::string temporary_path(FilePeriod key) const;
  std::string final_path(FilePeriod key) const;

 private:
  /// What belongs to the library's lane.
  struct LibraryFile {
    std::unique_ptr<FileWriter> writer;
    std::vector<Index> room;  ///< by axis: records that there is room for
  };
  /// What changes the file through the library, in the order of model time, one after the other: room for
  /// records, or one record of the compressed variables of an axis.
  struct Change {
    bool is_growth = true;
    std::uint32_t axis = 0;
    Index records = 0;  ///< room asked for, or the record
  };
  struct OpenFile {
    std::shared_ptr<LibraryFile> library;
    std::vector<Index> room_asked;               ///< by axis: records that growth was asked for
    std::vector<Index> written;                  ///< by axis: records whose compressed variables are written
    std::vector<std::vector<RecordMark>> marks;  ///< by axis
    std::vector<std::vector<std::uint64_t>> time_offsets, bounds_offsets;
    std::vector<std::string> missing;
    std::size_t writers_missing = 0;
    std::deque<Change> changes;  ///< the first one is under way if is_changing
    bool is_changing = false;
    bool is_complete = false;                         ///< the clock says that no record will follow
    std::chrono::steady_clock::time_point completed;  ///< when it said so
    bool is_closing = false;                          ///< the writers have been told
    bool is_finishing = false;
    std::string error;
  };

  void take(FileId file, const std::vector<FileEvent>& events);
  OpenFile& open_file(FilePeriod key);
  void add_record(FilePeriod key, const FileEvent& event);
  std::size_t packed_chunks(FileId file, std::uint32_t axis) const;
  void go_on(FilePeriod key, OpenFile& file);
  void grow(FilePeriod key, const Change& change, OpenFile& file);
  void write_packed(FilePeriod key, const Change& change, OpenFile& file);
  void finish_if_done(FilePeriod key, OpenFile& file);
  std::vector<AxisGrowth> grow_now(FilePeriod key, std::uint32_t axis, Index records, LibraryFile& library);
  void changed(FilePeriod key, const std::string& error);
  void tell_progress(FilePeriod key, const OpenFile& file, std::uint32_t axis);
  void grown(FilePeriod key, std::uint32_t axis, const std::vector<AxisGrowth>& growths,
             const std::string& error);
  void close_if_complete(FilePeriod key, OpenFile& file);
  void write_times_and_finish(FilePeriod key);
  static void remark_missing(FileWriter& writer, std::vector<std::string> missing);
  static void write_all_times(PartFile& parts, const OpenFile& file);
  void finish_now(FilePeriod key, OpenFile& file);
  void publish(FilePeriod key, std::string error);
  void published(FilePeriod key, const std::string& error);
  std::string wait_text(FilePeriod key, const OpenFile& file) const;
  std::string lacking_chunks(FilePeriod key, const Change& change) const;
  void fail(FilePeriod key, OpenFile& file, const std::string& error);

  const Plan& plan_;
  ServerRank self_;
  RunIdentity run_;
  std::string directory_;
  std::vector<std::size_t> writers_of_;
  FileSystem& files_;
  FileFormat& format_;
  Lanes lanes_;
  Hooks hooks_;
  std::map<FileId, FileTimeline> timelines_;
  std::map<FileId, FileDefinition> definitions_;
  std::map<FileId, std::int64_t> last_period_;
  std::map<FilePeriod, OpenFile> open_;
  /// The chunks of one record of all variables of an axis: by variable and index.
  using PackedChunks = std::map<std::pair<std::uint32_t, std::uint32_t>, PackedChunk>;
  std::map<FilePeriod, std::map<std::pair<std::uint32_t, Index>, PackedChunks>>
      packed_;                                               ///< by axis and record
  std::map<FileId, std::vector<std::size_t>> chunk_counts_;  ///< by variable; 0 where it is not compressed
  bool has_client_ended_ = false;
  bool is_finished_ = false;     ///< no further file will be opened
  std::set<FilePeriod> failed_;  ///< their later records are dropped
};

}  // namespace pileus
