// What is kept of files under way, and how they go on in the next run.

#include <utility>

#include "core/error.h"
#include "core/error_text.h"
#include "core/log.h"
#include "publishing/owner/file_owner.h"

namespace pileus {
namespace {

void sum_up(FileSystem& files, const std::string& path, auto& sums) {
  if (sums.empty()) return;
  const auto file = files.open_source(path);
  for (auto& one : sums) {
    one.bytes.checksum = checksum_of(*file, one.bytes.ranges);
    one.bytes.is_summed = true;
  }
}

}  // namespace

/// The state after the step that the clock has just come to. It is kept once all that it names is on the
/// disk; the files go on meanwhile.
void FileOwner::keep(std::int64_t step) {
  last_cut_ = step;
  std::map<FileId, SeriesState> series;
  for (const auto& [id, definition] : definitions_) {
    SeriesState& state = series[id];
    state.names = series_text(plan_[id]);
    state.definition = definition_hash(definition);
    Encoder out(state.timeline);
    timelines_.at(id).encode(out);
    if (last_period_.contains(id)) state.last_period = last_period_.at(id);
    if (published_periods_.contains(id)) state.published = published_periods_.at(id);
    if (continued_ && continued_->series.contains(id)) state.failed = continued_->series.at(id).failed;
  }
  for (FilePeriod key : failed_) series[key.file].failed.add(key.period);
  std::map<FilePeriod, FileCuts::Wanted> files;
  for (const auto& [key, file] : open_) {
    if (failed_.contains(key)) continue;
    FileCuts::Wanted wanted{state_of(key, file),
                            {},
                            file.planned.count(),
                            writers_of_[key.file.index],
                            chunk_counts_.at(key.file)};
    for (const auto& marks : file.marks) wanted.counts.push_back(static_cast<Index>(marks.size()));
    files.emplace(key, std::move(wanted));
  }
  cuts_.begin(step, std::move(series), std::move(files));
}

/// But for what its history says.
FileUnderWay FileOwner::state_of(FilePeriod key, const OpenFile& file) const {
  FileUnderWay state;
  state.definition = definition_hash(definitions_.at(key.file));
  state.attributes = file.attributes;
  state.final_name = file_name(plan_[key.file], plan_.time, key.period, format_.extension());
  state.temporary_name = temporary_name(state.final_name, run_);
  for (ScheduleId schedule : plan_[key.file].schedules) state.axes.push_back(plan_[schedule].dimension);
  state.is_complete = file.is_complete;
  std::vector<std::size_t> next(file.marks.size(), 0);
  for (std::uint32_t axis : file.order) state.records.push_back({axis, file.marks[axis][next[axis]++]});
  state.missing = file.missing_before;
  return state;
}

/// What the owner itself wrote, and the name of the file. Where it is published already, its name is on the
/// disk with all of it.
void FileOwner::sync(std::int64_t step, FilePeriod key, const std::vector<Index>& records) {
  const OpenFile& file = open_.at(key);
  if (file.is_finishing) return;  // published() or its failure says that it is through
  lanes_.writers.submit([this, step, key, sums = unsummed(file.history, records)]() mutable {
    DiskFailure failure;
    try {
      files_.open_parts(temporary_path(key))->sync();
      files_.sync_directory(directory_);
      sum_up(files_, temporary_path(key), sums);
    } catch (const DiskFullError& error) {
      failure = {error.what(), true};
    } catch (...) {
      failure = {text_of_current_exception(), false};
    }
    hooks_.post(
        [this, step, key, failure, sums = std::move(sums)] { owner_synced(step, key, failure, sums); });
  });
}

/// Records never change once all parts of them are written, so each is read once.
std::vector<FileOwner::NewSum> FileOwner::unsummed(const FileHistory& history,
                                                   const std::vector<Index>& records) {
  std::vector<NewSum> sums;
  for (std::size_t axis = 0; axis < records.size(); ++axis) {
    for (std::size_t record = 0; record < static_cast<std::size_t>(records[axis]); ++record) {
      const RecordBytes& bytes = history.bytes.at(axis).at(record);
      if (!bytes.is_summed) sums.push_back({axis, record, bytes});
    }
  }
  return sums;
}

void FileOwner::add_sums(FileHistory& history, const std::vector<NewSum>& sums) {
  for (const NewSum& one : sums) history.bytes.at(one.axis).at(one.record) = one.bytes;
}

/// Of a file that came to its name while a cut was waiting for it.
void FileOwner::tell_cuts_of_published(FilePeriod key, FileHistory history,
                                       const std::vector<Index>& records) {
  if (!cuts_.is_waiting_for(key)) return;
  lanes_.writers.submit([this, key, history = std::move(history), records, step = *last_cut_]() mutable {
    const std::string path = final_path(key), name = path.substr(directory_.size() + 1);
    std::vector<NewSum> sums = unsummed(history, records);
    try {
      sum_up(files_, path, sums);
      add_sums(history, sums);
      // For this checkpoint it is published later, though its publication may have begun before.
      note_publication(files_, directory_, run_, self_, step, name, mark_of(files_, path));
    } catch (const std::exception& error) {
      log::warning(path + ": the checkpoint may not know it again: " + error.what());
    }
    hooks_.post([this, key, history = std::move(history)] { cuts_.published(key, history); });
  });
}

void FileOwner::owner_synced(std::int64_t step, FilePeriod key, const DiskFailure& failure,
                             const std::vector<NewSum>& sums) {
  const auto found = open_.find(key);
  if (found == open_.end()) return;  // it was published, or has failed, which came first
  OpenFile& file = found->second;
  add_sums(file.history, sums);
  if (failure.text.empty()) return cuts_.owner_synced(step, key, file.history);
  // While a file is published it changes its name, and is synced anyway.
  if (!file.is_finishing && file.error.empty()) fail(key, file, failure);
}

void FileOwner::cut_synced(const CutSynced& synced) {
  const auto found = open_.find(synced.file);
  cuts_.writer_synced(synced, found == open_.end() ? nullptr : &found->second.history);
}

/// As the run before left it.
void FileOwner::continue_file(FilePeriod key, const FileUnderWay& state) {
  OpenFile& file = open_file(key);
  file.before = &state;
  file.attributes = state.attributes;
  file.missing = file.missing_before = state.missing;
  file.is_complete = state.is_complete;
  file.completed = std::chrono::steady_clock::now();
  for (const KeptRecord& record : state.records) {
    file.marks[record.axis].push_back(record.mark);
    file.order.push_back(record.axis);
    file.planned.add_record(record.axis);
  }
  for (std::size_t axis = 0; axis < file.marks.size(); ++axis) {
    file.written[axis] = static_cast<Index>(file.marks[axis].size());
  }
}

/// With the first word of the clock: a run that is refused leaves nothing.
void FileOwner::begin_if_continued() {
  if (std::exchange(has_begun_, true)) return;
  std::vector<FilePeriod> continued;
  for (const auto& [key, file] : open_) {
    if (file.before) continued.push_back(key);
  }
  for (FilePeriod key : continued) go_on(key, open_.at(key));
}

/// The library makes the file on its lane; a writer lane copies the records.
void FileOwner::lay_out_again(FilePeriod key, OpenFile& file) {
  file.is_changing = true;
  FileDefinition definition = definitions_.at(key.file);
  definition.is_of_series = definition.is_of_series && definition.attributes == file.attributes;
  definition.attributes = file.attributes;
  auto made = std::make_shared<LaidOut>();
  file.lane->post(
      FileLane::Place::library,
      [this, key, made, definition = std::move(definition), state = file.before, library = file.library] {
        try {
          *made = pileus::lay_out_again(*library, format_, temporary_path(key), definition, *state);
        } catch (const DiskFullError& error) {
          library->discard();
          files_.remove(temporary_path(key));
          throw DiskFullError(error.what());  // from its beginning
        }
      },
      [this, key, made](const DiskFailure& failure) {
        failure.text.empty() ? copy_records(key, made) : laid_out(key, *made, failure);
      });
}

void FileOwner::copy_records(FilePeriod key, const std::shared_ptr<LaidOut>& made) {
  OpenFile& file = open_.at(key);
  if (!file.error.empty()) return laid_out(key, *made, {});
  file.lane->post(
      FileLane::Place::disk,
      [this, key, made, state = file.before] {
        const std::string source = source_of(files_, directory_, *state);
        require_chunks(files_, source, made->chunks);
        copy_ranges(files_, source, temporary_path(key), made->records);
      },
      [this, key, made](const DiskFailure& failure) { laid_out(key, *made, failure); });
}

void FileOwner::laid_out(FilePeriod key, const LaidOut& made, const DiskFailure& failure) {
  OpenFile& file = open_.at(key);
  file.is_changing = false;
  if (!file.error.empty()) return finish_if_done(key, file);
  const FileUnderWay& state = *std::exchange(file.before, nullptr);
  if (!failure.text.empty()) return fail(key, file, failure);
  file.time_offsets = made.time_offsets;
  file.bounds_offsets = made.bounds_offsets;
  file.history = {state.chunks, made.ends, {}, made.bytes};
  FileChanges changes(definitions_.at(key.file));
  for (const KeptRecord& record : state.records) changes.add_record(record.axis);
  file.history.layouts.assign(changes.count(), state.layout);  // later cuts ask for the last one, or later
  for (const auto& [axis, growth] : made.free) hooks_.announce({key, axis, growth});
  cuts_.progressed(key, file.history);
  go_on(key, file);
}

}  // namespace pileus
