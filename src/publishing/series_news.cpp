#include "publishing/series_news.h"

#include <utility>

#include "core/log.h"

namespace pileus {

SeriesNews::SeriesNews(const Plan& plan, ServerRank self, const FileOwner& owner, const FileEvents& events,
                       const ContinuedFiles& continued)
    : owner_(owner), events_(events), continued_(continued) {
  for (std::size_t f = 0; f < plan.files.size(); ++f) {
    if (plan.files[f].owner == self) series_.emplace(FileId(f), Series{SeriesProgress(plan.files[f])});
  }
}

void SeriesNews::published(const PublishedFile& file) {
  for (const std::string& missing : file.missing) {
    errors_.push_back(file.path + ": filled with missing values: " + missing);
    log::warning(errors_.back());
  }
  log::info("published " + file.path + " (" + std::to_string(file.records) +
            (file.records == 1 ? " record" : " records") +
            (file.dropped > 0 ? ", " + std::to_string(file.dropped) + " left out)" : ")"));
  published_.push_back(file);
  if (events_.are_wanted()) tell_published(file);
  if (tell_published_) tell_published_(file);
}

void SeriesNews::lost(FilePeriod file, const std::string& why) {
  log::error(why);
  errors_.push_back(why);
  events_.tell_skipped(file, why);
}

double SeriesNews::through_s(FileId file) {
  return series_.at(file).progress.through_s(owner_.published_through(file));
}

void SeriesNews::tell_published(const PublishedFile& file) {
  Event event = events_.about(Event::Kind::published, file.key);
  event.records = file.records;
  event.dropped = file.dropped;
  event.first_record_s = file.first_record_s;
  event.last_record_s = file.last_record_s;
  event.complete_through_s = through_s(file.key.file);
  event.lasted_s = file.latency_s;
  event.path = file.path;
  event.publication = file.publication;
  for (const std::string& missing : file.missing) event.text += (event.text.empty() ? "" : "; ") + missing;
  series_.at(file.key.file).told_through_s = event.complete_through_s;
  events_.tell(std::move(event));
}

void SeriesNews::advance(const Step& step, double start_time_s) {
  if (!events_.are_wanted()) return;
  if (!std::exchange(has_begun_, true)) tell_skipped_before();
  for (auto& [file, series] : series_) series.progress.advance(step, start_time_s);
  tell_progress();
}

/// Files that the run before could not write lack in this one too.
void SeriesNews::tell_skipped_before() {
  for (const auto& [file, series] : series_) {
    const auto before = continued_.series.find(file);
    if (before == continued_.series.end()) continue;
    for (const auto& [first, last] : before->second.failed.ranges()) {
      for (std::int64_t period = first; period <= last; ++period) {
        events_.tell_skipped({file, period},
                             "it could not be written before the step after which the run goes on");
      }
    }
  }
}

void SeriesNews::tell_progress() {
  if (!events_.are_wanted()) return;
  for (auto& [file, series] : series_) {
    const double now_s = through_s(file);
    if (!(now_s > series.told_through_s)) continue;
    series.told_through_s = now_s;
    Event event;
    event.kind = Event::Kind::progressed;
    event.file = file;
    event.complete_through_s = now_s;
    events_.tell(std::move(event));
  }
}

}  // namespace pileus
