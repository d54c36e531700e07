#pragma once
// The news of the series of files that a server owns: files published and lost, and the model time up to
// which none lacks. The report and the events take it from here.

#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "publishing/file_events.h"
#include "publishing/owner/file_owner.h"
#include "report/series_progress.h"

namespace pileus {

/// All calls come from the strand of the files.
class SeriesNews {
 public:
  /// All outlive it; the owner need not be made before the first call. `continued`: the run before.
  SeriesNews(const Plan& plan, ServerRank self, const FileOwner& owner, const FileEvents& events,
             const ContinuedFiles& continued);

  /// Is told of every file that is published.
  void set_published(std::function<void(const PublishedFile&)> tell) { tell_published_ = std::move(tell); }

  void published(const PublishedFile& file);
  void lost(FilePeriod file, const std::string& why);
  /// The clock has gone on.
  void advance(const Step& step, double start_time_s);
  /// Tells of series that have got further without a file of their own.
  void tell_progress();

  const std::vector<PublishedFile>& files() const { return published_; }
  const std::vector<std::string>& errors() const { return errors_; }

 private:
  struct Series {
    SeriesProgress progress;
    double told_through_s = -std::numeric_limits<double>::infinity();  ///< that server 0 knows of
  };
  double through_s(FileId file);
  void tell_published(const PublishedFile& file);
  void tell_skipped_before();

  const FileOwner& owner_;
  const FileEvents& events_;
  const ContinuedFiles& continued_;
  std::function<void(const PublishedFile&)> tell_published_;
  std::map<FileId, Series> series_;  ///< that this server owns
  bool has_begun_ = false;
  std::vector<PublishedFile> published_;  ///< for the report, which names each
  std::vector<std::string> errors_;
};

}  // namespace pileus
