#include "publishing/owner/kept_files.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "core/error.h"
#include "core/error_text.h"
#include "core/log.h"
#include "publishing/owner/publications.h"

namespace pileus {

KeptFiles::KeptFiles(OwnedFiles& book, const StaticParts& statics, const LearnedBits& learned,
                     const OwnerMeans& means, FileWriters& writers, FileNews& news, FileCourse& course)
    : book_(book),
      statics_(statics),
      learned_(learned),
      means_(means),
      news_(news),
      course_(course),
      cuts_(book.plan(), writers, *this) {
  if (book.continued()) last_cut_ = book.continued()->after.index;
}

void KeptFiles::begin(std::int64_t step, const std::map<FileId, FileTimeline>& timelines) {
  last_cut_ = step;
  std::map<FileId, SeriesState> series;
  for (const auto& [id, definition] : book_.definitions()) {
    series[id] = book_.series_state(id);
    Encoder out(series[id].timeline);
    timelines.at(id).encode(out);
  }
  std::map<FilePeriod, FileCuts::Wanted> files;
  for (const auto& [key, file] : book_.under_way()) {
    if (book_.is_lost(key)) continue;
    files.emplace(key, FileCuts::Wanted{state_of(key, file), file.records(), file.planned.count(),
                                        book_.writers_of(key.file).size(), book_.chunk_counts(key.file)});
  }
  cuts_.begin(step, std::move(series), std::move(files));
}

/// But for what its history says.
FileUnderWay KeptFiles::state_of(FilePeriod key, const OpenFile& file) const {
  FileUnderWay state;
  state.definition = definition_hash(book_.definition(key.file));
  state.attributes = file.attributes;
  state.final_name = book_.names().name(key);
  state.temporary_name = book_.names().temporary_name(key);
  for (ScheduleId schedule : book_.plan()[key.file].schedules)
    state.axes.push_back(book_.plan()[schedule].dimension);
  state.is_complete = file.is_complete;
  state.dropped = file.dropped;
  if (file.is_complete && book_.plan()[key.file].says_when_ended) state.last_step = file.last_step;
  std::vector<std::size_t> next(file.marks.size(), 0);
  for (std::uint32_t axis : file.order) state.records.push_back({axis, file.marks[axis][next[axis]++]});
  state.missing = file.missing_before;
  state.parts = file.parts_before;
  return state;
}

void KeptFiles::writer_synced(const CutSynced& synced) {
  const OpenFile* const file = book_.find(synced.file);
  cuts_.writer_synced(synced, file ? &file->history : nullptr);
}

/// Syncs what the owner itself wrote, and the name of the file. Where it is published already, its name is on
/// the disk with all of it.
void KeptFiles::sync(std::int64_t step, FilePeriod key, const std::vector<Index>& records) {
  const OpenFile& file = book_.at(key);
  if (file.is_finishing) return;  // its publication or its failure says that it is through
  means_.writers.submit([this, step, key, sums = file.history.unsummed(records)]() mutable {
    const std::string path = book_.names().temporary_path(key);
    DiskFailure failure;
    try {
      means_.files.open_parts(path)->sync();
      means_.files.sync_directory(book_.names().directory());
      sum_up(means_.files, path, sums);
    } catch (const DiskFullError& error) {
      failure = {error.what(), true};
    } catch (...) {
      failure = {text_of_current_exception(), false};
    }
    means_.home.post(
        [this, step, key, failure, sums = std::move(sums)] { synced(step, key, failure, sums); });
  });
}

void KeptFiles::synced(std::int64_t step, FilePeriod key, const DiskFailure& failure,
                       const std::vector<NewSum>& sums) {
  OpenFile* const file = book_.find(key);
  if (file == nullptr) return;  // it was published, or has failed, which came first
  file->history.add(sums);
  if (failure.text.empty()) return cuts_.owner_synced(step, key, file->history);
  // While a file is published it changes its name, and is synced anyway.
  if (!file->is_finishing && !file->is_lost()) course_.fail(key, failure);
}

void KeptFiles::published(FilePeriod key, FileHistory history, const std::vector<Index>& records,
                          bool stays) {
  if (!cuts_.is_waiting_for(key)) return cuts_.forget(key);
  book_.begin_reading(key);
  means_.writers.submit([this, key, history = std::move(history), records, stays,
                         step = *last_cut_]() mutable {
    try {
      sum_up_published(key, history, records, stays);
      if (!stays) note(key, step, records);  // else it was noted, and is not this run's
    } catch (const std::exception& error) {
      log::warning(book_.names().final_path(key) + ": the checkpoint may not know it again: " + error.what());
    }
    means_.home.post([this, key, history = std::move(history)] {
      cuts_.published(key, history);
      cuts_.forget(key);
      book_.end_reading(key);
      course_.noted(key);
    });
  });
}

void KeptFiles::sum_up_published(FilePeriod key, FileHistory& history, const std::vector<Index>& records,
                                 bool stays) const {
  const FileNames& names = book_.names();
  std::vector<NewSum> sums = history.unsummed(records);
  sum_up(means_.files, stays ? names.temporary_path(key) : names.final_path(key), sums);
  history.add(sums);
}

/// For the checkpoint of `step` the file is published later, though its publication may have begun before.
void KeptFiles::note(FilePeriod key, std::int64_t step, const std::vector<Index>& records) const {
  const FileNames& names = book_.names();
  note_publication(means_.files, names.directory(), names.run(), book_.self(), step,
                   names.name_of_period(key), mark_of(means_.files, names.final_path(key)),
                   std::accumulate(records.begin(), records.end(), std::int64_t{0}));
}

/// Static parts of files under way are whole: nothing of these files would be on the disk otherwise.
void KeptFiles::keep(std::int64_t step, std::vector<StateEntry> entries) {
  std::ranges::move(statics_.state(), std::back_inserter(entries));
  std::ranges::move(learned_.state(), std::back_inserter(entries));
  news_.kept(step, std::move(entries));
}

}  // namespace pileus
