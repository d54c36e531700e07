#pragma once
// Follows the clock for the files of one server and says what comes next for each: records, the word to the
// writers that no more will come, the end (architecture D6, D7). All calls come from one strand; the file
// library and the disk have lanes of their own.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "files/owner_and_writers.h"
#include "publishing/owner/file_course.h"
#include "publishing/owner/file_ending.h"
#include "publishing/owner/file_maker.h"
#include "publishing/owner/file_news.h"
#include "publishing/owner/file_resumer.h"
#include "publishing/owner/file_waits.h"
#include "publishing/owner/kept_files.h"
#include "publishing/owner/learned_bits.h"
#include "publishing/owner/owned_files.h"
#include "publishing/owner/selected_records.h"
#include "publishing/owner/static_parts.h"
#include "time/file_timeline.h"

namespace pileus {

class FileOwner : private FileCourse {
 public:
  /// `book`: of this server. All outlive the owner.
  FileOwner(OwnedFiles& book, const OwnerMeans& means, FileWriters& writers, FileNews& news);

  /// Files of the run before go on now, and not with the first step.
  void go_on_at_once();
  /// A step of the run's clock, or its end. `dropped`: the axes that get no record of it. Order: every step,
  /// in order.
  void advance(const Step& step, double start_time_s, const DroppedAxes& dropped = {});
  void finish();
  /// A part of what stands in files without a time axis; its index is that in Plan::statics. `done`: as in
  /// StaticParts::add.
  void add_static(const Record& part, ClientRank client, const StaticParts::Done& done = {});
  void parts_done(ServerRank from, const PartsDone& done);
  void cut_synced(const CutSynced& synced) { kept_.writer_synced(synced); }
  /// A chunk of a compressed variable; it may come before the clock's word of its record.
  void packed(PackedPart part);
  /// A model rank has ended before the run. Where all that hold some chunk have, the chunk is filled, and
  /// those who compress it must know of the record from here.
  void client_ended(ClientRank client);
  /// The run ends: what is not complete is given up, and no file is begun.
  void stop();

  /// The last period of the file up to which no record will lack in published files; INT64_MAX when the run
  /// is over and all are published.
  std::int64_t published_through(FileId file) const;

  bool has_open_files() const { return !book_.under_way().empty(); }
  /// The bytes in memory of what stands in its files without a time axis.
  std::size_t static_bytes() const { return statics_.size_bytes(); }
  std::vector<std::string> open_texts() const;
  std::vector<FileWait> waits() const { return waits_of(book_, statics_, maker_); }
  /// The waits of the states of files that are being kept.
  std::vector<Wait> cut_waits() const { return kept_.waits(); }

 private:
  void take(FileId file, const std::vector<FileEvent>& events);
  void add_record(FilePeriod key, const FileEvent& event);
  void go_on(FilePeriod key, OpenFile& file);
  void go_on_if_whole();
  void wait_for_statics(FilePeriod key, OpenFile& file);
  StaticParts::Means static_means(const OwnerMeans& means);
  void give_up_unneeded_statics();
  void begin_if_continued();
  void give_up_without_statics();
  void tell_last_periods();
  void close_if_complete(FilePeriod key, OpenFile& file);
  void finish_if_done(FilePeriod key, OpenFile& file);
  void finish_next(FileId file);
  /// The last period that no later record can belong to.
  std::int64_t closed_through(FileId file) const;
  std::int64_t first_open(FileId file) const;

  void changed(FilePeriod key) override;
  void fail(FilePeriod key, const DiskFailure& why) override;
  void lose(FilePeriod key, const DiskFailure& why) override;
  void published(FilePeriod key) override;
  void noted(FilePeriod key) override { finish_next(key.file); }
  void forget(FilePeriod key) override;

  OwnedFiles& book_;
  FileWriters& writers_;
  FileNews& news_;
  FullDisks* full_;  ///< null: nothing is tried again
  StaticParts statics_;
  std::set<FileId> whole_;  ///< files whose definition has the values of its static variables
  FileMaker maker_;
  LearnedBits learned_;
  SelectedRecords selected_;
  KeptFiles kept_;
  FileEnding ending_;
  FileResumer resumer_;
  std::map<FileId, FileTimeline> timelines_;
  bool has_begun_ = false;
  bool has_step_ = false;              ///< of this run
  LastStep now_;                       ///< the last step of the clock, perhaps of the run before
  std::set<ClientRank> ended_before_;  ///< that
  bool has_client_ended_ = false;
  bool is_finished_ = false;  ///< no further file will be opened
  bool is_stopped_ = false;   ///< likewise, and none goes on
};

}  // namespace pileus
