#include "publishing/owner/file_owner.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/error.h"
#include "state/manifest.h"

namespace pileus {
FileOwner::FileOwner(const Plan& plan, ServerRank self, const RunIdentity& run, std::string directory,
                     std::vector<std::size_t> writers, FileSystem& files, FileFormat& format, Lanes lanes,
                     Hooks hooks, const std::map<VariableId, std::string>& holes,
                     const ContinuedFiles* continued)
    : plan_(plan),
      self_(self),
      run_(run),
      directory_(std::move(directory)),
      writers_of_(std::move(writers)),
      files_(files),
      format_(format),
      lanes_(lanes),
      hooks_(std::move(hooks)),
      continued_(continued),
      cuts_(plan, {[this](const Cut& cut) { hooks_.cut(cut); },
                   [this](std::int64_t step, FilePeriod key, const std::vector<Index>& records) {
                     sync(step, key, records);
                   },
                   [this](std::int64_t step, std::vector<StateEntry> entries) {
                     // Of files under way they are whole: nothing of these would be on the disk otherwise.
                     std::ranges::move(statics_.state(), std::back_inserter(entries));
                     hooks_.kept(step, std::move(entries));
                   }}),
      statics_(plan, self, continued ? continued->statics : KeptWholes()) {
  for (std::size_t f = 0; f < plan.files.size(); ++f) {
    if (plan.files[f].owner != self) continue;
    const FileDefinition& definition =
        definitions_.emplace(FileId(f), file_definition(plan, FileId(f), run_, holes)).first->second;
    for (const FileVariable& variable : definition.variables) {
      std::vector<Index> extents;
      for (std::uint32_t d : variable.dimensions) extents.push_back(definition.dimensions[d].size);
      const bool is_packed = variable.compression.level > 0;
      chunk_counts_[FileId(f)].push_back(is_packed ? format.packed_regions(extents, variable.type).size()
                                                   : 0);
    }
  }
  go_on_if_whole();
  if (!continued_) return;
  last_cut_ = continued_->after.index;
  for (const auto& [file, series] : continued_->series) {
    if (plan[file].owner != self) continue;
    if (series.last_period) last_period_[file] = *series.last_period;
    published_periods_[file] = series.published;
  }
  for (const auto& [key, state] : continued_->under_way) {
    if (plan[key.file].owner == self) continue_file(key, state);
  }
}

std::string FileOwner::final_path(FilePeriod key) const {
  return directory_ + "/" + file_name(plan_[key.file], plan_.time, key.period, format_.extension());
}

std::string FileOwner::temporary_path(FilePeriod key) const {
  return directory_ + "/" +
         temporary_name(file_name(plan_[key.file], plan_.time, key.period, format_.extension()), run_);
}

void FileOwner::advance(const Step& step, double start_time_s) {
  if (!std::exchange(has_step_, true)) {
    for (ClientRank client : std::exchange(ended_before_, {})) statics_.end_client(client);
    go_on_if_whole();
  }
  begin_if_continued();
  for (const auto& [file, definition] : definitions_) {
    auto timeline = timelines_.find(file);
    if (timeline == timelines_.end()) {
      timeline = timelines_.emplace(file, FileTimeline(plan_, file, start_time_s)).first;
      restore(file, timeline->second);
    }
    take(file, timeline->second.advance(step));
  }
  if (step.is_checkpoint != 0) keep(step.index);
}

/// Where the series was in the run before.
void FileOwner::restore(FileId file, FileTimeline& timeline) const {
  if (!continued_ || !continued_->series.contains(file)) return;
  Decoder in(continued_->series.at(file).timeline);
  timeline.restore(in);
}

void FileOwner::finish() {
  begin_if_continued();
  if (continued_) {
    for (const auto& [file, definition] : definitions_) {
      if (timelines_.contains(file) || !continued_->series.contains(file)) continue;
      restore(file, timelines_.emplace(file, FileTimeline(plan_, file, 0)).first->second);
    }
  }
  for (auto& [file, timeline] : timelines_) take(file, timeline.finish());
  if (!has_step_) give_up_without_statics();
  is_finished_ = true;
  std::erase_if(packed_, [&](const auto& packed) { return !open_.contains(packed.first); });
  tell_last_periods();
}

/// A run that continues and ends without a step brings no static fields for files that lack them.
void FileOwner::give_up_without_statics() {
  std::vector<FilePeriod> lacking;
  for (const auto& [key, file] : open_) {
    if (!whole_.contains(key.file) && file.error.empty()) lacking.push_back(key);
  }
  for (FilePeriod key : lacking) {
    fail(
        key, open_.at(key),
        {final_path(key) + ": has static fields that the checkpoint lacks, and no step brought them", false});
  }
}

void FileOwner::take(FileId file, const std::vector<FileEvent>& events) {
  if (is_stopped_) return;
  for (const FileEvent& event : events) {
    const FilePeriod key{file, event.mark.period};
    if (failed_.contains(key) || (continued_ && continued_->has_failed(key))) continue;
    if (!event.closes) {
      add_record(key, event);
    } else if (const auto found = open_.find(key); found != open_.end()) {
      found->second.is_complete = true;
      found->second.completed = std::chrono::steady_clock::now();
      close_if_complete(key, found->second);
    }  // else: of the run before, and begun anew, but nothing came of it
  }
}

FileOwner::OpenFile& FileOwner::open_file(FilePeriod key) {
  const FileDefinition& definition = definitions_.at(key.file);
  const auto [place, is_new] = open_.try_emplace(key, definition);
  OpenFile& file = place->second;
  if (!is_new) return file;
  const std::size_t axes = definition.axes.size();
  file.written.assign(axes, 0);
  file.marks.resize(axes);
  file.time_offsets.resize(axes);
  file.bounds_offsets.resize(axes);
  file.attributes = definition.attributes;
  file.history.chunks.resize(definition.variables.size());
  file.history.ends.resize(axes);
  file.history.bytes.resize(axes);
  file.library = std::make_shared<LibraryFile>(files_, axes);
  const FileLane::Places places = {hooks_.post, [this](Task task) { lanes_.library.post(std::move(task)); },
                                   [this](Task task) { lanes_.writers.submit(std::move(task)); }};
  file.lane = std::make_shared<FileLane>(key, places, lanes_.full);
  // The window in progress at the end may open a period before the last one.
  const auto last = last_period_.try_emplace(key.file, key.period).first;
  last->second = std::max(last->second, key.period);
  return file;
}

void FileOwner::add_record(FilePeriod key, const FileEvent& event) {
  OpenFile& file = open_file(key);
  file.marks[event.axis].push_back(event.mark);
  file.order.push_back(event.axis);
  const std::vector<FileChange> changes = file.planned.add_record(event.axis);
  if (!file.error.empty()) return;
  file.changes.insert(file.changes.end(), changes.begin(), changes.end());
  if (packed_chunks(key.file, event.axis) > 0 && has_client_ended_) tell_progress(key, file, event.axis);
  go_on(key, file);
}

void FileOwner::tell_progress(FilePeriod key, const OpenFile& file, std::uint32_t axis) {
  hooks_.progress({key, axis, static_cast<Index>(file.marks[axis].size()), file.written[axis]});
}

void FileOwner::add_static(const Record& part, ClientRank client) {
  statics_.add(part, client);
  go_on_if_whole();
}

/// Files begin when what stands in them without a time axis is there.
void FileOwner::go_on_if_whole() {
  for (auto& [file, definition] : definitions_) {
    if (whole_.contains(file) || !statics_.is_whole(file)) continue;
    statics_.give_to(file, definition);
    whole_.insert(file);
    std::vector<FilePeriod> keys;
    for (const auto& [key, open] : open_) {
      if (key.file == file) keys.push_back(key);
    }
    for (FilePeriod key : keys) {
      if (const auto open = open_.find(key); open != open_.end()) go_on(key, open->second);
    }
  }
}

void FileOwner::client_ended(ClientRank client) {
  has_client_ended_ = true;
  if (has_step_) {
    statics_.end_client(client);
    go_on_if_whole();
  } else {
    ended_before_.insert(client);
  }
  for (const auto& [key, file] : open_) {
    for (std::uint32_t axis = 0; axis < file.marks.size() && file.error.empty(); ++axis) {
      if (packed_chunks(key.file, axis) > 0) tell_progress(key, file, axis);
    }
  }
}

/// Of one record.
std::size_t FileOwner::packed_chunks(FileId file, std::uint32_t axis) const {
  const auto& variables = definitions_.at(file).variables;
  std::size_t count = 0;
  for (std::size_t v = 0; v < variables.size(); ++v) {
    if (variables[v].axis == axis) count += chunk_counts_.at(file)[v];
  }
  return count;
}

void FileOwner::packed(PackedPart part) {
  const FilePeriod key = part.file;
  const auto found = open_.find(key);
  if (failed_.contains(key) || (found == open_.end() && (is_finished_ || is_stopped_))) return;
  const std::uint32_t axis = definitions_.at(key.file).variables.at(part.variable).axis;
  packed_[key][{axis, part.record}].insert_or_assign({part.variable, part.chunk}, std::move(part.packed));
  if (found != open_.end()) go_on(key, found->second);
}

/// Starts the next change if it can be made. It never waits for a later step, so earlier steps free their
/// room.
void FileOwner::go_on(FilePeriod key, OpenFile& file) {
  if (file.is_changing || !file.error.empty() || !whole_.contains(key.file)) return;
  if (file.before) return lay_out_again(key, file);
  if (file.changes.empty()) {
    close_if_complete(key, file);
    return finish_if_done(key, file);
  }
  const FileChange change = file.changes.front();
  if (change.is_growth) return grow(key, change, file);
  if (packed_[key][{change.axis, change.records}].size() == packed_chunks(key.file, change.axis)) {
    return write_packed(key, change, file);
  }
  close_if_complete(key, file);  // tells the writers for how many records to fill in what will not come
}

void FileOwner::write_packed(FilePeriod key, const FileChange& change, OpenFile& file) {
  file.is_changing = true;
  auto node = packed_[key].extract({change.axis, change.records});
  auto variables = std::make_shared<std::vector<PackedRecord>>();
  for (auto& [place, chunk] : node.mapped()) {
    if (variables->empty() || variables->back().variable != place.first)
      variables->push_back({place.first, {}});
    variables->back().chunks.push_back(std::move(chunk));
  }
  file.lane->post(
      FileLane::Place::library,
      [record = change.records, variables, library = file.library] {
        library->write_packed(record, *variables);
      },
      [this, key, variables, library = file.library](const DiskFailure& failure) {
        VariableChunks written;
        for (const PackedRecord& packed : *variables) {
          for (const PackedChunk& chunk : packed.chunks) {
            written.emplace_back(packed.variable,
                                 ChunkForm{chunk.bytes.size(), chunk.skipped_filters, checksum(chunk.bytes)});
          }
        }
        variables->clear();
        changed(key, failure, library->layout(), written);
      });
}

void FileOwner::changed(FilePeriod key, const DiskFailure& failure, std::uint64_t layout,
                        const VariableChunks& written) {
  const auto found = open_.find(key);
  if (found == open_.end()) return;
  OpenFile& file = found->second;
  file.is_changing = false;
  if (!file.error.empty()) return finish_if_done(key, file);
  const FileChange change = file.changes.front();
  file.changes.pop_front();
  if (!failure.text.empty()) return fail(key, file, failure);
  file.history.layouts.push_back(layout);
  for (const auto& [variable, chunk] : written) file.history.chunks[variable].push_back(chunk);
  if (!change.is_growth) {
    file.written[change.axis] = change.records + 1;
    tell_progress(key, file, change.axis);
  }
  cuts_.progressed(key, file.history);
  go_on(key, file);
}

void FileOwner::grow(FilePeriod key, const FileChange& change, OpenFile& file) {
  file.is_changing = true;
  auto growths = std::make_shared<std::vector<AxisGrowth>>();
  file.lane->post(
      FileLane::Place::library,
      [this, key, axis = change.axis, records = change.records, growths, library = file.library] {
        make_if_new(key, *library);
        library->grow_to(axis, records, *growths);
      },
      [this, key, axis = change.axis, growths, library = file.library](const DiskFailure& failure) {
        grown(key, axis, *growths, failure, library->layout());
      });
}

/// On the library's lane.
void FileOwner::make_if_new(FilePeriod key, LibraryFile& library) {
  if (library.is_made()) return;
  const std::string final_name = final_path(key);
  if (!plan_[key.file].may_overwrite && files_.exists(final_name) && !may_replace(key, final_name)) {
    throw OutputError(
        final_name + ": exists already; move it away, write to another directory, or say overwrite=\"true\"");
  }
  library.make(format_, temporary_path(key), definitions_.at(key.file));
}

void FileOwner::grown(FilePeriod key, std::uint32_t axis, const std::vector<AxisGrowth>& growths,
                      const DiskFailure& failure, std::uint64_t layout) {
  const auto found = open_.find(key);
  if (found == open_.end()) return;
  OpenFile& file = found->second;
  const bool is_wanted = file.error.empty() && failure.text.empty();
  for (std::size_t i = 0; is_wanted && i < growths.size(); ++i) {
    const AxisGrowth& growth = growths[i];
    auto& times = file.time_offsets[axis];
    auto& bounds = file.bounds_offsets[axis];
    times.insert(times.end(), growth.time_offsets.begin(), growth.time_offsets.end());
    bounds.insert(bounds.end(), growth.bounds_offsets.begin(), growth.bounds_offsets.end());
    const std::vector<std::uint64_t> ends = record_ends(growth, definitions_.at(key.file));
    file.history.ends[axis].insert(file.history.ends[axis].end(), ends.begin(), ends.end());
    for (std::vector<FileRange>& ranges : record_ranges(growth, definitions_.at(key.file)))
      file.history.bytes[axis].push_back({std::move(ranges)});
    hooks_.announce({key, axis, growth});
  }
  changed(key, failure, layout);
}

/// Writers learn of it at once, so that nothing waits for a place that will not come; where all of them have
/// reported, nobody else would finish the file.
void FileOwner::fail(FilePeriod key, OpenFile& file, const DiskFailure& failure) {
  note_failure(key, failure);
  file.changes.clear();
  file.before = nullptr;
  packed_.erase(key);
  // Each writer answers once; those that have answered already take no notice.
  if (!file.is_closing) file.writers_missing = writers_of_[key.file.index];
  file.is_closing = true;
  hooks_.closing({key, true, false, std::vector<Index>(file.marks.size(), 0)});
  file.lane->give_up();
  finish_if_done(key, file);
}

void FileOwner::stop() {
  if (std::exchange(is_stopped_, true)) return;
  std::vector<FilePeriod> under_way;
  for (auto& [key, file] : open_) {
    if (file.is_finishing) {
      file.lane->give_up_waiting();
    } else if (file.error.empty()) {
      under_way.push_back(key);
    }
  }
  for (FilePeriod key : under_way) {
    fail(key, open_.at(key), {final_path(key) + ": is not written, as the run is stopped", false});
  }
  std::erase_if(packed_, [&](const auto& packed) { return !open_.contains(packed.first); });
  tell_last_periods();
}

/// No file of a later one will come.
void FileOwner::tell_last_periods() {
  for (const auto& [file, definition] : definitions_) {
    hooks_.closing({{file, last_period_.contains(file) ? last_period_[file] : INT64_MIN}, false, true, {}});
  }
}

void FileOwner::close_if_complete(FilePeriod key, OpenFile& file) {
  if (!file.is_complete || file.is_closing || file.before) return;
  // A record of compressed variables may wait for parts that only come when writers know the number of
  // records.
  if (file.is_changing || (!file.changes.empty() && file.changes.front().is_growth)) return;
  file.is_closing = true;
  file.writers_missing = writers_of_[key.file.index];
  Closing closing{key, false, false, {}};
  for (const auto& marks : file.marks) closing.records.push_back(static_cast<Index>(marks.size()));
  hooks_.closing(closing);
}

void FileOwner::parts_done(const PartsDone& done) {
  // A part may fail before the clock's word of its step is here, or be of a step that the run does not have.
  const bool is_over = is_finished_ || is_stopped_ || failed_.contains(done.file);
  if (!open_.contains(done.file) && is_over) return;
  OpenFile& file = open_file(done.file);
  file.missing.insert(file.missing.end(), done.missing.begin(), done.missing.end());
  if (!done.error.empty() && file.error.empty()) fail(done.file, file, {done.error, done.is_full});
  --file.writers_missing;
  finish_if_done(done.file, file);
}

void FileOwner::finish_if_done(FilePeriod key, OpenFile& file) {
  const bool is_done = file.is_closing && file.writers_missing == 0 && !file.is_changing &&
                       (file.changes.empty() || !file.error.empty());
  if (!is_done || file.is_finishing) return;
  file.is_finishing = true;
  if (!file.error.empty()) return discard(key, file.library, {});
  write_times(key);
}

std::int64_t FileOwner::published_through(FileId file) const {
  const auto timeline = timelines_.find(file);
  std::int64_t through = timeline == timelines_.end() ? INT64_MIN : timeline->second.closed_through();
  const FilePeriod first{file, INT64_MIN};
  if (const auto open = open_.lower_bound(first); open != open_.end() && open->first.file == file)
    through = std::min(through, open->first.period - 1);
  if (const auto failed = failed_.lower_bound(first); failed != failed_.end() && failed->file == file)
    through = std::min(through, failed->period - 1);
  if (continued_ && continued_->series.contains(file)) {
    const auto& failed_before = continued_->series.at(file).failed.ranges();
    if (!failed_before.empty()) through = std::min(through, failed_before.begin()->first - 1);
  }
  return through;
}

}  // namespace pileus
