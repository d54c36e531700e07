#pragma once
// The output side of one server: its share in writing files and the files that it owns, on a strand of their
// own, and what goes between servers about them.

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analytics/rule_runner.h"
#include "checkpoint/continuation.h"
#include "checkpoint/state_sink.h"
#include "description/run_description.h"
#include "exec/strand.h"
#include "messaging/messages.h"
#include "publishing/held_rooms.h"
#include "publishing/owner/continued_files.h"
#include "publishing/owner/file_owner.h"
#include "publishing/parts/part_writer.h"
#include "report/event.h"
#include "report/report.h"
#include "report/series_progress.h"
#include "state/state_entries.h"
#include "time/record_sink.h"
#include "watch/waits.h"

namespace pileus {

/// What no model rank holds of the variables of all files.
std::map<VariableId, std::string> texts_of_holes(const Plan& plan);

/// The files that the run goes on with, and what it published after the checkpoint.
/// Errors: TransportError if an entry is damaged.
ContinuedFiles files_of(const Plan& plan, const Continuation& continuation, const std::string& directory,
                        FileSystem& files, const std::map<VariableId, std::string>& holes);

class Publishing : public RecordSink {
 public:
  struct Trials {
    Pauses& pauses;
    RoomPatience patience;
    Executor& library;
    Executor& writers;
  };
  struct Lanes {
    Executor& workers;  ///< for what goes between the lanes below: short tasks
    Executor& library;
    Executor& writers;
    /// Where and when what a full disk did not take is tried again; null: never. It outlives the publishing.
    const Trials* trials = nullptr;
  };
  /// REQUIRES: the plan, messages, files and format outlive it, and no task runs when it goes.
  /// `continued`: what it goes on with; null at the start of a run. `kept`: told of the state of each
  /// checkpoint, once it is on the disk.
  /// Errors: TransportError if what was kept is damaged.
  Publishing(const Plan& plan, const RunDescription& run, ServerRank self, Lanes lanes, Messages& messages,
             FileSystem& files, FileFormat& format, const Continuation* continued = nullptr,
             StateSink* kept = nullptr);

  /// From here on it tells what becomes of files. REQUIRES: nothing has been handed to it yet.
  void set_events(TellEvent tell) { tell_ = std::move(tell); }

  /// Is told of every file that is published.
  void set_published(std::function<void(const PublishedFile&)> tell) { tell_published_ = std::move(tell); }

  /// Is told why the run has to be stopped: the disk is full under a file that asks for that.
  void set_stop(std::function<void(const std::string&)> stop) { stop_run_ = std::move(stop); }
  /// The run is stopped: files that are not complete are given up. Thread-safe.
  void stop(const std::string& why);

  void add(Record record, ClientRank client) override;
  void add_static(Record record, ClientRank client) override;
  void end_client(ClientRank client) override;
  /// The run's clock.
  void advance(const Step& step, double start_time_s);
  void end_clock();

  /// A frame of another server, of one of the kinds below. Its bytes stay alive with `message`.
  void take_part(ServerRank from, Decoder& in, std::shared_ptr<const void> message);
  void take_part_written(Decoder& in);
  void take_static_part(Decoder& in, std::shared_ptr<const void> message);
  void take_placement(Decoder& in);
  void take_progress(Decoder& in);
  void take_closing(Decoder& in);
  void take_packed(Decoder& in);
  void take_parts_done(ServerRank from, Decoder& in);
  void take_cut(Decoder& in);
  void take_cut_synced(Decoder& in);
  void take_client_end(Decoder& in);

  /// The rest is to be read when nothing runs.
  const std::vector<PublishedFile>& published() const { return published_; }
  const std::vector<std::string>& errors() const { return errors_; }
  std::size_t static_bytes() const { return owner_.static_bytes(); }
  /// What lacks in the records of this server, by "FILE: VARIABLE".
  std::map<std::string, RunReport::Absences> absences() const;
  /// What no model rank holds of the variables in this server's files: "FILE: VARIABLE has …".
  std::vector<std::string> hole_texts() const;
  std::vector<std::string> open_texts() const;
  /// Which files have waited for room on the disk, and how long.
  std::vector<std::string> room_texts() const;
  /// What of the run before has no file now, in words.
  const std::vector<std::string>& not_continued() const { return continued_.not_continued; }
  /// Of a file of this server. Thread-safe.
  std::string final_path(FilePeriod file) const { return owner_.final_path(file); }
  /// What keeps files from being published, at any time.
  void tell_waits(const std::shared_ptr<Waits>& waits);

 private:
  const Packing* packing() const { return has_packed_ ? &packing_ : nullptr; }
  bool take_over(Record& record) const;
  void require_records_before(const std::string& directory, FileSystem& files) const;
  void deal_chunks(Record record, ClientRank client);
  std::uint64_t lend(std::shared_ptr<const void> room);
  const std::vector<ServerRank>& writers_of(FileId file) const { return writers_of_[file.index]; }
  std::vector<ServerRank> find_writers(FileId file) const;
  bool has_distributed(FileId file) const;
  bool has_packed(FileId file) const;
  std::vector<std::size_t> writer_counts() const;
  PartWriter::Share share() const;
  std::map<VariableId, std::vector<Region>> holes() const;
  FileOwner::Hooks owner_hooks();
  PartWriter::Hooks writer_hooks();
  void send_to_writers(FileId file, const Bytes& frame);
  void tell_published(const PublishedFile& file);
  void tell_skipped(FilePeriod file, const std::string& why);
  Event event_of(Event::Kind kind, FilePeriod file) const;
  std::optional<FullDisks> full_disks(const Trials* trials);
  void take_full(FilePeriod file, const std::string& why);
  void take_room(FilePeriod file, double waited_s, bool has_room);
  void stop_if_wanted(FilePeriod file, const std::string& why);
  void add_full_disks(Waits& waits) const;
  void tell_skipped_before();
  void tell_progress();
  double through_s(FileId file);
  void add_file_waits(Waits& waits);

  const Plan& plan_;
  ServerRank self_;
  bool owners_write_all_;
  bool has_packed_;  ///< some variable is compressed: its chunks may be put together by others
  Executor& workers_;
  FileFormat& format_;
  Messages& messages_;
  std::vector<std::vector<Region>> regions_;  ///< by client, by value
  std::map<VariableId, std::string> holes_;   ///< of all variables
  StateSink* kept_;
  bool is_continued_;
  ContinuedFiles continued_;  ///< of the run before
  Packing packing_;
  std::vector<std::vector<ServerRank>> writers_of_;  ///< by file
  Strand strand_;                                    ///< everything below belongs to it
  Strand library_;
  TellEvent tell_;
  std::function<void(const PublishedFile&)> tell_published_;
  struct Told {
    SeriesProgress progress;
    double through_s = -std::numeric_limits<double>::infinity();  ///< that server 0 knows of
  };
  std::map<FileId, Told> series_;  ///< that this server owns
  bool has_begun_ = false;
  std::vector<PublishedFile> published_;
  std::vector<std::string> errors_;
  std::map<VariableId, RunReport::Absences> absent_;
  std::map<FilePeriod, std::vector<ServerRank>> done_;  ///< who has reported, of files that are closing
  /// Files that wait for room on the disk: how many lanes of this server do, and why.
  struct FullDisk {
    int lanes = 0;
    std::string why;
    std::chrono::steady_clock::time_point since;
    double waited_s = 0;  ///< the longest of the lanes
  };
  std::map<FilePeriod, FullDisk> full_;
  std::map<FilePeriod, double> waited_s_;  ///< for room, in all
  std::function<void(const std::string&)> stop_run_;
  std::string stopped_;  ///< why the run is; "": it is not
  std::optional<FullDisks> full_disks_;
  FileOwner owner_;
  PartWriter writer_;
  HeldRooms rooms_;
  std::atomic<std::uint64_t> lent_count_ = 0;
  /// What parts that other servers write keep here, by number.
  std::map<std::uint64_t, std::shared_ptr<const void>> lent_;
};

}  // namespace pileus
