// What is kept of files under way, and how they go on in the next run.

#include <utility>

#include "output/file_owner.h"

namespace pileus {

/// The state after the step that the clock has just come to. It is kept once all that it names is on the
/// disk; the files go on meanwhile.
void FileOwner::keep(std::int64_t step) {
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
void FileOwner::sync(std::int64_t step, FilePeriod key) {
  if (open_.at(key).is_finishing) return;  // published() or its failure says that it is through
  lanes_.writers.submit([this, step, key] {
    std::string error;
    try {
      files_.open_parts(temporary_path(key))->sync();
      files_.sync_directory(directory_);
    } catch (const std::exception& failure) {
      error = failure.what();
    }
    hooks_.post([this, step, key, error] { owner_synced(step, key, error); });
  });
}

void FileOwner::owner_synced(std::int64_t step, FilePeriod key, const std::string& error) {
  const auto found = open_.find(key);
  if (found == open_.end()) return;  // it was published, or has failed, which came first
  OpenFile& file = found->second;
  if (error.empty()) return cuts_.owner_synced(step, key, file.history);
  // While a file is published it changes its name, and is synced anyway.
  if (!file.is_finishing && file.error.empty()) fail(key, file, error);
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
  definition.attributes = file.attributes;
  auto made = std::make_shared<LaidOut>();
  lanes_.library.post(
      [this, key, made, definition = std::move(definition), state = file.before, library = file.library] {
        std::string error;
        try {
          *made = pileus::lay_out_again(*library, format_, temporary_path(key), definition, *state);
        } catch (const std::exception& failure) {
          error = failure.what();
        }
        lanes_.writers.submit([this, key, made, state, error]() mutable {
          try {
            if (error.empty()) {
              copy_ranges(files_, source_of(files_, directory_, *state), temporary_path(key), made->records);
            }
          } catch (const std::exception& failure) {
            error = failure.what();
          }
          hooks_.post([this, key, made, error] { laid_out(key, *made, error); });
        });
      });
}

void FileOwner::laid_out(FilePeriod key, const LaidOut& made, const std::string& error) {
  OpenFile& file = open_.at(key);
  file.is_changing = false;
  if (!file.error.empty()) return finish_if_done(key, file);
  const FileUnderWay& state = *std::exchange(file.before, nullptr);
  if (!error.empty()) return fail(key, file, error);
  file.time_offsets = made.time_offsets;
  file.bounds_offsets = made.bounds_offsets;
  file.history = {state.chunks, made.ends, {}};
  FileChanges changes(definitions_.at(key.file));
  for (const KeptRecord& record : state.records) changes.add_record(record.axis);
  file.history.layouts.assign(changes.count(), state.layout);  // later cuts ask for the last one, or later
  for (const auto& [axis, growth] : made.free) hooks_.announce({key, axis, growth});
  cuts_.progressed(key, file.history);
  go_on(key, file);
}

}  // namespace pileus
