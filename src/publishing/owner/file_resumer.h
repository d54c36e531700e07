#pragma once
// Brings the files of the run before to where its checkpoint left them: the library makes each anew, then its
// records are copied from what lies on the disk.

#include <memory>

#include "files/owner_and_writers.h"
#include "publishing/owner/file_course.h"
#include "publishing/owner/owned_files.h"
#include "publishing/owner/rebuild.h"
#include "time/file_timeline.h"

namespace pileus {

class FileResumer {
 public:
  /// All outlive it. Every call comes from the owner's strand.
  FileResumer(OwnedFiles& book, const OwnerMeans& means, FileWriters& writers, FileCourse& course);

  /// Brings the timeline to where the series was in the run before, if that had the series.
  void restore(FileId file, FileTimeline& timeline) const;
  bool has_series(FileId file) const;
  /// Before the first step: a run that is refused leaves the files as they are.
  void keep_records_before() const;
  /// REQUIRES: the file has a state of the run before, and nothing of it is under way.
  void lay_out_again(FilePeriod key, OpenFile& file);

 private:
  void open(FilePeriod key, const FileUnderWay& state);
  void copy_records(FilePeriod key, const std::shared_ptr<LaidOut>& made);
  void laid_out(FilePeriod key, const LaidOut& made, const DiskFailure& failure);

  OwnedFiles& book_;
  OwnerMeans means_;
  FileWriters& writers_;
  FileCourse& course_;
};

}  // namespace pileus
