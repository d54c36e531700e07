#pragma once
// The states of files under way are kept here, for each step that a checkpoint is made of, once all that they
// name is on the disk. The files go on meanwhile.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "publishing/owner/file_course.h"
#include "publishing/owner/file_cuts.h"
#include "publishing/owner/file_news.h"
#include "publishing/owner/learned_bits.h"
#include "publishing/owner/owned_files.h"
#include "publishing/owner/static_parts.h"
#include "time/file_timeline.h"

namespace pileus {

class KeptFiles : private CutKeeper {
 public:
  /// All outlive it. Every call comes from the owner's strand.
  KeptFiles(OwnedFiles& book, const StaticParts& statics, const LearnedBits& learned, const OwnerMeans& means,
            FileWriters& writers, FileNews& news, FileCourse& course);

  /// The state after the step that the clock has just come to.
  void begin(std::int64_t step, const std::map<FileId, FileTimeline>& timelines);
  void writer_synced(const CutSynced& synced);
  /// Something was done to the file.
  void progressed(FilePeriod key, const OpenFile& file) { cuts_.progressed(key, file.history); }
  /// No step that is kept refers to the file from here on.
  void lost(FilePeriod key) { cuts_.failed(key); }
  /// A file that is not under way any more came to its name. `stays`: one of the run before keeps that, and
  /// this one its temporary name.
  void published(FilePeriod key, FileHistory history, const std::vector<Index>& records, bool stays);
  void forget(FilePeriod key) { cuts_.forget(key); }

  /// Tells whether a step is kept, or may be, at which this file was under way.
  bool has_kept(FilePeriod key) const { return cuts_.has_kept(key); }
  /// The step after which a run may continue, if there is any.
  std::optional<std::int64_t> last_cut() const { return last_cut_; }
  std::vector<std::string> open_texts() const { return cuts_.open_texts(); }
  std::vector<Wait> waits() const { return cuts_.waits(); }

 private:
  void sync(std::int64_t step, FilePeriod key, const std::vector<Index>& records) override;
  void keep(std::int64_t step, std::vector<StateEntry> entries) override;
  FileUnderWay state_of(FilePeriod key, const OpenFile& file) const;
  void synced(std::int64_t step, FilePeriod key, const DiskFailure& failure, const std::vector<NewSum>& sums);
  void sum_up_published(FilePeriod key, FileHistory& history, const std::vector<Index>& records,
                        bool stays) const;
  void note(FilePeriod key, std::int64_t step, const std::vector<Index>& records) const;

  OwnedFiles& book_;
  const StaticParts& statics_;
  const LearnedBits& learned_;
  OwnerMeans means_;
  FileNews& news_;
  FileCourse& course_;
  FileCuts cuts_;
  std::optional<std::int64_t> last_cut_;
};

}  // namespace pileus
