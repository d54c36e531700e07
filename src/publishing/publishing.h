#pragma once
// The output side of one server: its share in writing files and the files that it owns, on a strand of their
// own. Publishing wires the classes that do it, and takes records to those who write them.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/continuation.h"
#include "checkpoint/state_sink.h"
#include "description/run_description.h"
#include "dropped/dropped_axes.h"
#include "exec/strand.h"
#include "files/file_names.h"
#include "messaging/messages.h"
#include "publishing/absences.h"
#include "publishing/file_delivery.h"
#include "publishing/file_events.h"
#include "publishing/file_mail.h"
#include "publishing/file_post.h"
#include "publishing/full_disk_book.h"
#include "publishing/held_memory.h"
#include "publishing/lent_parts.h"
#include "publishing/owner/continued_files.h"
#include "publishing/owner/file_owner.h"
#include "publishing/parts/part_writer.h"
#include "publishing/series_news.h"
#include "publishing/static_turns.h"
#include "publishing/writer_shares.h"
#include "report/event.h"
#include "report/report.h"
#include "time/record_sink.h"
#include "watch/waits.h"

namespace pileus {

/// The files that the run goes on with, and what it published after the checkpoint.
/// Errors: TransportError if an entry is damaged.
ContinuedFiles files_of(const Plan& plan, const Continuation& continuation, const std::string& directory,
                        FileSystem& files, const std::map<VariableId, std::string>& holes);

class Publishing : public RecordSink, private FileNews {
 public:
  struct Trials {
    Pauses& pauses;
    DiskPatience patience;
    Executor& library;
    Executor& writers;
  };
  struct Lanes {
    Executor& workers;  ///< for what goes between the lanes below: short tasks
    Executor& library;
    Executor& writers;
    /// Operations that a full disk refused are tried again through these; null: never. They outlive the
    /// publishing.
    const Trials* trials = nullptr;
  };
  /// REQUIRES: the plan, messages, files and format outlive it, and no task runs when it goes.
  /// `continued`: what it goes on with; null at the start of a run. `kept`: told of the state of each
  /// checkpoint, once it is on the disk.
  /// Errors: TransportError if what was kept is damaged.
  Publishing(const Plan& plan, const RunDescription& run, ServerRank self, Lanes lanes, Messages& messages,
             FileSystem& files, FileFormat& format, const Continuation* continued = nullptr,
             StateSink* kept = nullptr);

  /// Tells what becomes of files from here on. REQUIRES: nothing has been handed over yet.
  void set_events(TellEvent tell) { events_.set(std::move(tell)); }
  /// Is told of every file that is published.
  void set_published(std::function<void(const PublishedFile&)> tell) { news_.set_published(std::move(tell)); }
  /// Is told why the run has to be stopped: the disk is full under a file that asks for that.
  void set_stop(std::function<void(const std::string&)> stop) { stop_run_ = std::move(stop); }
  /// States that a lost file stands in are not kept: what reads them would never make it again.
  /// REQUIRES: nothing has been handed over yet.
  void keep_no_state_with_losses() { keeps_losses_ = false; }
  /// Files of the run before go on now, and not with the first step: what is complete is published before it.
  void go_on_at_once() {
    strand_.post([this] { owner_.go_on_at_once(); });
  }
  /// The run is stopped: files that are not complete are given up. Thread-safe.
  void stop(const std::string& why);

  void add(Records records, ClientRank client) override;
  void add_static(Record record, ClientRank client) override;
  void end_client(ClientRank client) override;
  /// The run's clock. `dropped`: the axes that get no record of the step.
  void advance(const Step& step, double start_time_s, DroppedAxes dropped = {});
  void end_clock();
  /// The mail takes what other servers say of files.
  FileMail& mail() { return mail_; }
  /// Says why files are not published yet.
  void tell_waits(const std::shared_ptr<Waits>& waits);
  /// The path of a file of this server. Thread-safe.
  std::string final_path(FilePeriod file) const { return names_.final_path(file); }

  /// The rest is to be read when nothing runs.
  const std::vector<PublishedFile>& published() const { return news_.files(); }
  const std::vector<std::string>& errors() const { return news_.errors(); }
  std::size_t static_bytes() const { return owner_.static_bytes(); }
  /// Counts what lacks in the records of this server, by "FILE: VARIABLE".
  std::map<std::string, RunReport::Absences> absences() const { return absences_.named(); }
  /// Texts about elements of variables in this server's files that no model rank holds: "FILE: VARIABLE has
  /// …".
  std::vector<std::string> hole_texts() const { return shares_.hole_texts(); }
  std::vector<std::string> open_texts() const;
  /// Texts about files that have waited for space on the disk, and how long.
  std::vector<std::string> full_disk_texts() const { return full_disks_.texts(); }
  /// Texts about what the run before had and this one has no file for.
  const std::vector<std::string>& not_continued() const { return continued_.not_continued; }
  /// The number of entries that are held of files that are done. A test asks that it stays small.
  std::size_t held_of_done() const { return writer_.held_of_done() + book_.held_ranges(); }

 private:
  void published(const PublishedFile& file) override { news_.published(file); }
  void lost(FilePeriod file, const DiskFailure& why) override;
  void kept(std::int64_t step, std::vector<StateEntry> entries) override;

  OwnerMeans owner_means(Executor& writers);
  WriterMeans writer_means(const Lanes& lanes);
  FullDisks* full() { return trials_ ? &*trials_ : nullptr; }
  void require_records_before() const;
  bool take_over(Record& record) const;
  void note_absence(const Record& record);
  void deal_chunks(Record record, ClientRank client);
  void add_file_waits(Waits& waits) const;

  const Plan& plan_;
  FileSystem& files_;
  FileFormat& format_;
  Messages& messages_;
  WriterShares shares_;
  FileNames names_;
  std::int64_t last_step_ = 0;  ///< of the clock, or of the checkpoint
  bool is_continued_;
  ContinuedFiles continued_;  ///< of the run before
  StateSink* kept_;
  std::function<void(const std::string&)> stop_run_;
  Strand strand_;  ///< everything below belongs to it
  Strand library_;
  FileEvents events_;
  FullDiskBook full_disks_;
  std::optional<FullDisks> trials_;
  HeldMemory held_;
  LentParts lent_;
  Absences absences_;
  StaticSender static_sender_;
  StaticTurns static_turns_;
  FileDelivery here_;
  FilePost post_;
  FileMail mail_;
  OwnedFiles book_;
  SeriesNews news_;
  FileOwner owner_;
  PartWriter writer_;
  bool keeps_losses_ = true;
  std::string stopped_;  ///< why the run is; "": it is not
};

}  // namespace pileus
