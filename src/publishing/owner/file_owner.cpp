#include "publishing/owner/file_owner.h"

#include <algorithm>
#include <utility>

namespace pileus {

FileOwner::FileOwner(OwnedFiles& book, const OwnerMeans& means, FileWriters& writers, FileNews& news)
    : book_(book),
      writers_(writers),
      news_(news),
      full_(means.full),
      statics_(book.plan(), book.self(), static_means(means),
               book.continued() ? book.continued()->statics : KeptWholes()),
      maker_(book, means, writers, *this),
      learned_(book, writers),
      selected_(book, means.format, writers),
      kept_(book, statics_, learned_, means, writers, news, *this),
      ending_(book, kept_, learned_, means, *this),
      resumer_(book, means, writers, *this) {
  if (book.continued()) now_ = {book.continued()->after.done(), book.continued()->after.time};
  go_on_if_whole();
}

StaticParts::Means FileOwner::static_means(const OwnerMeans& means) {
  const auto waiting_file = [this](FileId file) {
    const std::int64_t first = book_.first_open_period(file);
    return FilePeriod{file, first == INT64_MAX ? 0 : first};
  };
  return {means.files,  book_.names().directory(),   {means.home, &means.library, means.writers}, means.full,
          waiting_file, [this] { go_on_if_whole(); }};
}

void FileOwner::advance(const Step& step, double start_time_s, const DroppedAxes& dropped) {
  if (!std::exchange(has_step_, true)) {
    for (ClientRank client : std::exchange(ended_before_, {})) statics_.end_client(client);
    go_on_if_whole();
  }
  begin_if_continued();
  now_ = {step.done(), step.time};
  for (const auto& [file, definition] : book_.definitions()) {
    auto timeline = timelines_.find(file);
    if (timeline == timelines_.end()) {
      timeline = timelines_.emplace(file, FileTimeline(book_.plan(), file, start_time_s)).first;
      resumer_.restore(file, timeline->second);
    }
    take(file, timeline->second.advance(step, dropped));
  }
  if (step.is_checkpoint != 0) kept_.begin(step.index, timelines_);
}

void FileOwner::go_on_at_once() {
  go_on_if_whole();
  begin_if_continued();
}

void FileOwner::finish() {
  begin_if_continued();
  for (const auto& [file, definition] : book_.definitions()) {
    if (timelines_.contains(file) || !resumer_.has_series(file)) continue;
    resumer_.restore(file, timelines_.emplace(file, FileTimeline(book_.plan(), file, 0)).first->second);
  }
  for (auto& [file, timeline] : timelines_) take(file, timeline.finish());
  if (!has_step_) give_up_without_statics();
  is_finished_ = true;
  maker_.drop_unopened();
  give_up_unneeded_statics();
  tell_last_periods();
}

/// Once no further file is begun, nobody waits for the disk because of files that are done.
void FileOwner::give_up_unneeded_statics() {
  if (!is_finished_ && !is_stopped_) return;
  for (const auto& [file, definition] : book_.definitions()) {
    if (book_.first_open_period(file) == INT64_MAX) statics_.give_up(file);
  }
}

/// A run that continues and ends without a step brings no static fields for files that lack them.
void FileOwner::give_up_without_statics() {
  statics_.take_kept_texts();
  go_on_if_whole();
  std::vector<FilePeriod> lacking;
  for (const auto& [key, file] : book_.under_way()) {
    if (!whole_.contains(key.file) && !file.is_lost()) lacking.push_back(key);
  }
  for (FilePeriod key : lacking) {
    fail(key, {book_.names().final_path(key) +
                   ": has static fields that the checkpoint lacks, and no step brought them",
               false});
  }
}

void FileOwner::take(FileId file, const std::vector<FileEvent>& events) {
  if (is_stopped_) return;
  for (const FileEvent& event : events) {
    const FilePeriod key{file, event.mark.period};
    if (book_.is_over(key)) continue;
    if (!event.closes) {
      add_record(key, event);
    } else if (OpenFile* const open = book_.find(key)) {
      open->is_complete = true;
      open->dropped = event.dropped;
      open->last_step = now_;
      open->completed = std::chrono::steady_clock::now();
      close_if_complete(key, *open);
    }  // else: of the run before, and begun anew, but nothing came of it
  }
}

void FileOwner::add_record(FilePeriod key, const FileEvent& event) {
  OpenFile& file = book_.open(key);
  file.marks[event.axis].push_back(event.mark);
  file.order.push_back(event.axis);
  const std::vector<FileChange> changes = file.planned.add_record(event.axis);
  if (file.is_lost()) return;
  file.changes.insert(file.changes.end(), changes.begin(), changes.end());
  learned_.add_record(key, event.axis, std::ssize(file.marks[event.axis]) - 1);
  selected_.add_record(key, event.axis, std::ssize(file.marks[event.axis]) - 1);
  if (has_client_ended_ && book_.packed_chunks(key.file, event.axis) > 0)
    maker_.tell_progress(key, file, event.axis);
  go_on(key, file);
}

void FileOwner::add_static(const Record& part, ClientRank client, const StaticParts::Done& done) {
  statics_.add(part, client, done);
  go_on_if_whole();
}

/// Files begin when what stands in them without a time axis is there, and are lost when that is.
void FileOwner::go_on_if_whole() {
  for (auto& [file, definition] : book_.definitions()) {
    const bool has_news = statics_.is_whole(file) || statics_.failure(file) || statics_.shortage(file);
    if (whole_.contains(file) || !has_news) continue;
    if (statics_.is_whole(file)) {
      statics_.give_to(file, definition);
      whole_.insert(file);
    }
    if (!has_begun_) continue;
    std::vector<FilePeriod> keys;
    for (const auto& [key, open] : book_.under_way()) {
      if (key.file == file) keys.push_back(key);
    }
    for (FilePeriod key : keys) {
      if (OpenFile* const open = book_.find(key)) go_on(key, *open);
    }
  }
}

void FileOwner::client_ended(ClientRank client) {
  if (has_step_) {
    statics_.end_client(client);
    go_on_if_whole();
  } else {
    ended_before_.insert(client);
  }
  // From the first end on each record is told when it begins.
  if (std::exchange(has_client_ended_, true)) return;
  for (const auto& [key, file] : book_.under_way()) maker_.tell_progress_of_packed(key, file);
}

void FileOwner::packed(PackedPart part) {
  const FilePeriod key = part.file;
  if (!part.pairs.bits.empty()) return learned_.add(part);
  OpenFile* const open = book_.find(key);
  if (part.difference) {
    if (!book_.is_lost(key) && !book_.is_over(key)) selected_.add(part);
    return;
  }
  if (book_.is_lost(key) || (open == nullptr && (is_finished_ || is_stopped_))) return;
  maker_.add(std::move(part));
  if (open) go_on(key, *open);
}

/// Starts what comes next for the file, if it can be done.
void FileOwner::go_on(FilePeriod key, OpenFile& file) {
  if (file.is_changing || file.is_lost()) return;
  if (const DiskFailure* const failure = statics_.failure(key.file)) return fail(key, *failure);
  if (!whole_.contains(key.file)) return wait_for_statics(key, file);
  if (file.before) return resumer_.lay_out_again(key, file);
  if (file.changes.empty()) {
    close_if_complete(key, file);
    return finish_if_done(key, file);
  }
  if (maker_.start_change(key, file)) return;
  close_if_complete(key, file);  // tells the writers for how many records to fill in what will not come
}

/// Gives the file up where the disk has no space for them and the file has waited as long as it may.
void FileOwner::wait_for_statics(FilePeriod key, OpenFile& file) {
  if (full_ == nullptr) return;
  const auto now = full_->pauses.now();
  if (!file.lacks_statics_since) file.lacks_statics_since = now;
  const DiskFailure* const shortage = statics_.shortage(key.file);
  const std::chrono::duration<double> waited = now - *file.lacks_statics_since;
  if (shortage && waited.count() >= full_->patience.total_s) fail(key, *shortage);
}

void FileOwner::changed(FilePeriod key) {
  OpenFile& file = book_.at(key);
  if (file.is_lost()) return finish_if_done(key, file);
  kept_.progressed(key, file);
  go_on(key, file);
  finish_next(key.file);  // which had to wait while records before were copied
}

/// Writers learn of it at once, so that nothing waits for bytes that will not come; where all of them have
/// reported, nobody else would finish the file.
void FileOwner::fail(FilePeriod key, const DiskFailure& why) {
  OpenFile& file = book_.at(key);
  lose(key, why);
  file.changes.clear();
  file.before = nullptr;
  maker_.drop(key);
  file.is_closing = true;
  writers_.close({key, true, false, std::vector<Index>(file.marks.size(), 0), first_open(key.file)});
  file.lane->give_up();
  finish_if_done(key, file);
}

void FileOwner::stop() {
  if (std::exchange(is_stopped_, true)) return;
  std::vector<FilePeriod> incomplete;
  for (auto& [key, file] : book_.under_way()) {
    if (file.is_finishing) {
      file.lane->give_up_waiting();
    } else if (!file.is_lost()) {
      incomplete.push_back(key);
    }
  }
  for (FilePeriod key : incomplete) {
    fail(key, {book_.names().final_path(key) + ": is not written, as the run is stopped", false});
  }
  maker_.drop_unopened();
  give_up_unneeded_statics();
  tell_last_periods();
}

/// No file of a later one will come.
void FileOwner::tell_last_periods() {
  for (const auto& [file, definition] : book_.definitions())
    writers_.close({{file, book_.last_period(file)}, false, true, {}, first_open(file)});
}

/// Files begin with the first word of the clock, as a run that is refused leaves nothing.
void FileOwner::begin_if_continued() {
  if (std::exchange(has_begun_, true)) return;
  resumer_.keep_records_before();
  std::vector<FilePeriod> continued;
  for (const auto& [key, file] : book_.under_way()) {
    if (file.before) continued.push_back(key);
  }
  for (FilePeriod key : continued) go_on(key, book_.at(key));
}

void FileOwner::close_if_complete(FilePeriod key, OpenFile& file) {
  if (!file.is_complete || file.is_closing || file.before) return;
  // A record of compressed variables may wait for parts that only come when writers know the number of
  // records.
  if (file.is_changing || (!file.changes.empty() && file.changes.front().is_growth)) return;
  file.is_closing = true;
  writers_.close({key, false, false, file.records(), first_open(key.file)});
}

void FileOwner::parts_done(ServerRank from, const PartsDone& done) {
  // A part may fail before the clock's word of its step is here, or be of a step that the run does not have.
  const bool is_over = is_finished_ || is_stopped_ || book_.is_lost(done.file);
  if (is_over && book_.find(done.file) == nullptr) return;
  OpenFile& file = book_.open(done.file);
  file.missing.insert(file.missing.end(), done.missing.begin(), done.missing.end());
  if (!done.part.name.empty()) file.parts.push_back(done.part);
  if (!done.error.empty() && !file.is_lost()) fail(done.file, {done.error, done.is_full});
  file.reported.push_back(from);
  finish_if_done(done.file, file);
}

void FileOwner::finish_if_done(FilePeriod key, OpenFile& file) {
  const bool is_done = file.is_closing && file.reported.size() == book_.writers_of(key.file).size() &&
                       !file.is_changing && (file.changes.empty() || file.is_lost());
  if (!is_done || file.is_finishing) return;
  if (file.is_lost() || !book_.is_held_back(key)) ending_.begin(key, file, maker_.take_late(key));
}

/// Where each file replaces the one before, the next one may have waited for the end of this one.
void FileOwner::finish_next(FileId file) {
  if (!book_.plan()[file].keeps_newest) return;
  const FilePeriod next{file, book_.first_open_period(file)};
  if (OpenFile* const open = book_.find(next)) finish_if_done(next, *open);
}

/// No step that is kept refers to the file from here on.
void FileOwner::lose(FilePeriod key, const DiskFailure& why) {
  OpenFile& file = book_.at(key);
  if (file.is_lost()) return;
  // An exception from far below may name no file.
  const bool is_named = why.text.find(book_.names().name(key)) != std::string::npos;
  file.error = is_named ? why.text : book_.names().final_path(key) + ": is lost: " + why.text;
  book_.add_lost(key, closed_through(key.file));
  news_.lost(key, {file.error, why.is_full});
  kept_.lost(key);
  learned_.lost(key);
}

void FileOwner::published(FilePeriod key) {
  OpenFile& file = book_.at(key);
  const PublishedFile done = ending_.published_file(key, file);
  book_.add_published(key, closed_through(key.file));
  FileHistory history = std::move(file.history);
  const std::vector<Index> records = file.records();
  const bool stays = file.stays_with > 0;
  book_.close(key);
  maker_.drop(key);
  news_.published(done);
  if (stays) ending_.let_go(key);
  kept_.published(key, std::move(history), records, stays);
  finish_next(key.file);
}

void FileOwner::forget(FilePeriod key) {
  book_.close(key);
  maker_.drop(key);
  selected_.forget(key);
  kept_.forget(key);
  give_up_unneeded_statics();
  finish_next(key.file);
}

std::int64_t FileOwner::closed_through(FileId file) const {
  const auto timeline = timelines_.find(file);
  return timeline == timelines_.end() ? INT64_MIN : timeline->second.closed_through();
}

/// The first period that is under way, or that the clock has not closed: a part that fails may open a file
/// ahead of the clock.
std::int64_t FileOwner::first_open(FileId file) const {
  const std::int64_t closed = closed_through(file);
  return std::min(book_.first_open_period(file), closed == INT64_MAX ? closed : closed + 1);
}

std::int64_t FileOwner::published_through(FileId file) const {
  std::int64_t through = closed_through(file);
  for (std::int64_t unpublished : {book_.first_open_period(file), book_.first_lost_period(file)}) {
    if (unpublished != INT64_MAX) through = std::min(through, unpublished - 1);
  }
  return through;
}

std::vector<std::string> FileOwner::open_texts() const {
  std::vector<std::string> texts = open_texts_of(book_, statics_, maker_);
  for (std::string& text : kept_.open_texts()) texts.push_back(std::move(text));
  return texts;
}

}  // namespace pileus
