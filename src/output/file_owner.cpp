#include "output/file_owner.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "core/error.h"
#include "core/log.h"

namespace pileus {
namespace {

void write_times(PartFile& file, const std::vector<RecordMark>& marks,
                 const std::vector<std::uint64_t>& time_offsets,
                 const std::vector<std::uint64_t>& bounds_offsets) {
  for (std::size_t r = 0; r < marks.size(); ++r) {
    if (!bounds_offsets.empty()) {
      const std::array<double, 2> bounds = {marks[r].begin_s, marks[r].end_s};
      file.write_at(bounds_offsets[r], std::as_bytes(std::span(bounds)));
    }
    const std::array<double, 1> time = {marks[r].time_s};
    file.write_at(time_offsets[r], std::as_bytes(std::span(time)));
  }
}

}  // namespace

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
                   [this](std::int64_t step, FilePeriod key) { sync(step, key); },
                   [this](std::int64_t step, std::vector<StateEntry> entries) {
                     hooks_.kept(step, std::move(entries));
                   }}) {
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
  if (!continued_) return;
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
  is_finished_ = true;
  std::erase_if(packed_, [&](const auto& packed) { return !open_.contains(packed.first); });
  for (const auto& [file, definition] : definitions_) {
    hooks_.closing({{file, last_period_.contains(file) ? last_period_[file] : INT64_MIN}, false, true, {}});
  }
}

void FileOwner::take(FileId file, const std::vector<FileEvent>& events) {
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
  file.library = std::make_shared<LibraryFile>(files_, axes);
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

void FileOwner::client_ended() {
  has_client_ended_ = true;
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
  if (failed_.contains(key) || (found == open_.end() && is_finished_)) return;
  const std::uint32_t axis = definitions_.at(key.file).variables.at(part.variable).axis;
  packed_[key][{axis, part.record}].insert_or_assign({part.variable, part.chunk}, std::move(part.packed));
  if (found != open_.end()) go_on(key, found->second);
}

/// Starts the next change if it can be made. It never waits for a later step, so earlier steps free their
/// room.
void FileOwner::go_on(FilePeriod key, OpenFile& file) {
  if (file.is_changing || !file.error.empty()) return;
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
  lanes_.library.post([this, key, record = change.records, variables, library = file.library] {
    std::string error;
    VariableChunks written;
    try {
      library->write_packed(record, *variables);
      for (const PackedRecord& packed : *variables) {
        for (const PackedChunk& chunk : packed.chunks) {
          written.emplace_back(packed.variable, ChunkForm{chunk.bytes.size(), chunk.skipped_filters});
        }
      }
    } catch (const std::exception& failure) {
      error = failure.what();
    }
    variables->clear();
    hooks_.post([this, key, error, written = std::move(written), layout = library->layout()] {
      changed(key, error, layout, written);
    });
  });
}

void FileOwner::changed(FilePeriod key, const std::string& error, std::uint64_t layout,
                        const VariableChunks& written) {
  const auto found = open_.find(key);
  if (found == open_.end()) return;
  OpenFile& file = found->second;
  file.is_changing = false;
  if (!file.error.empty()) return finish_if_done(key, file);
  const FileChange change = file.changes.front();
  file.changes.pop_front();
  if (!error.empty()) return fail(key, file, error);
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
  lanes_.library.post([this, key, axis = change.axis, records = change.records, library = file.library] {
    std::vector<AxisGrowth> growths;
    std::string error;
    try {
      growths = grow_now(key, axis, records, *library);
    } catch (const std::exception& failure) {
      error = failure.what();
    }
    hooks_.post([this, key, axis, growths = std::move(growths), error, layout = library->layout()] {
      grown(key, axis, growths, error, layout);
    });
  });
}

/// On the library's lane.
std::vector<AxisGrowth> FileOwner::grow_now(FilePeriod key, std::uint32_t axis, Index records,
                                            LibraryFile& library) {
  if (!library.is_made()) {
    const std::string final_name = final_path(key);
    if (!plan_[key.file].may_overwrite && !is_of_run_before(key) && files_.exists(final_name)) {
      throw OutputError(
          final_name +
          ": exists already; move it away, write to another directory, or say overwrite=\"true\"");
    }
    library.make(format_, temporary_path(key), definitions_.at(key.file));
  }
  return library.grow_to(axis, records);
}

void FileOwner::grown(FilePeriod key, std::uint32_t axis, const std::vector<AxisGrowth>& growths,
                      const std::string& error, std::uint64_t layout) {
  const auto found = open_.find(key);
  if (found == open_.end()) return;
  OpenFile& file = found->second;
  const bool is_wanted = file.error.empty() && error.empty();
  for (std::size_t i = 0; is_wanted && i < growths.size(); ++i) {
    const AxisGrowth& growth = growths[i];
    auto& times = file.time_offsets[axis];
    auto& bounds = file.bounds_offsets[axis];
    times.insert(times.end(), growth.time_offsets.begin(), growth.time_offsets.end());
    bounds.insert(bounds.end(), growth.bounds_offsets.begin(), growth.bounds_offsets.end());
    const std::vector<std::uint64_t> ends = record_ends(growth, definitions_.at(key.file));
    file.history.ends[axis].insert(file.history.ends[axis].end(), ends.begin(), ends.end());
    hooks_.announce({key, axis, growth});
  }
  changed(key, error, layout);
}

/// Writers learn of it at once, so that nothing waits for a place that will not come; where all of them have
/// reported, nobody else would finish the file.
void FileOwner::fail(FilePeriod key, OpenFile& file, const std::string& error) {
  file.error = error;
  failed_.insert(key);
  hooks_.failed(key, error);
  file.changes.clear();
  file.before = nullptr;
  packed_.erase(key);
  // Each writer answers once; those that have answered already take no notice.
  if (!file.is_closing) file.writers_missing = writers_of_[key.file.index];
  file.is_closing = true;
  hooks_.closing({key, true, false, std::vector<Index>(file.marks.size(), 0)});
  cuts_.failed(key);
  finish_if_done(key, file);
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
  if (!open_.contains(done.file) && (is_finished_ || failed_.contains(done.file))) return;
  OpenFile& file = open_file(done.file);
  file.missing.insert(file.missing.end(), done.missing.begin(), done.missing.end());
  if (!done.error.empty() && file.error.empty()) fail(done.file, file, done.error);
  --file.writers_missing;
  finish_if_done(done.file, file);
}

void FileOwner::finish_if_done(FilePeriod key, OpenFile& file) {
  const bool is_done = file.is_closing && file.writers_missing == 0 && !file.is_changing &&
                       (file.changes.empty() || !file.error.empty());
  if (!is_done || file.is_finishing) return;
  file.is_finishing = true;
  write_times_and_finish(key);
}

/// Times come last: until they are there, nothing in the file is marked as valid. What waits for the disk
/// runs on a writer lane, so that a slow one under this file does not hold up the library under others.
void FileOwner::write_times_and_finish(FilePeriod key) {
  auto file = std::make_shared<OpenFile>(open_.at(key));
  lanes_.writers.submit([this, key, file] {
    try {
      if (file->error.empty()) write_all_times(*files_.open_parts(temporary_path(key)), *file);
    } catch (const std::exception& failure) {
      file->error = failure.what();
    }
    lanes_.library.post([this, key, file] { finish_now(key, *file); });
  });
}

void FileOwner::write_all_times(PartFile& parts, const OpenFile& file) {
  for (std::size_t axis = 0; axis < file.marks.size(); ++axis) {
    write_times(parts, file.marks[axis], file.time_offsets[axis], file.bounds_offsets[axis]);
  }
}

/// No more than an attribute bears.
void FileOwner::remark_missing(FileWriter& writer, const std::vector<std::string>& missing) {
  constexpr std::size_t kMost = 100;
  if (missing.empty()) return;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, missing.size()); ++i) text += (i > 0 ? "; " : "") + missing[i];
  if (missing.size() > kMost) text += "; and " + std::to_string(missing.size() - kMost) + " more";
  writer.remark("missing_parts", text);
}

/// On the library's lane.
void FileOwner::finish_now(FilePeriod key, OpenFile& file) {
  try {
    std::vector<Index> records;
    for (const auto& marks : file.marks) records.push_back(static_cast<Index>(marks.size()));
    if (file.error.empty()) {
      remark_missing(file.library->writer(), missing_texts(plan_, key.file, file.missing));
      file.library->writer().finish(records);
    }
  } catch (const std::exception& failure) {
    file.error = failure.what();
  }
  file.library->close();
  lanes_.writers.submit([this, key, error = file.error] { publish(key, error); });
}

/// On a writer lane: it waits for the disk.
void FileOwner::publish(FilePeriod key, std::string error) {
  try {
    if (error.empty()) {
      publish_now(key);
    } else {
      files_.remove(temporary_path(key));
    }
  } catch (const std::exception& failure) {
    error = error.empty() ? failure.what() + ("; its data are in " + temporary_path(key)) : error;
  }
  hooks_.post([this, key, error] { published(key, error); });
}

/// What the run before published after its checkpoint is replaced only if it is another.
void FileOwner::publish_now(FilePeriod key) {
  const std::string temporary = temporary_path(key), final_name = final_path(key);
  const bool is_ours = is_of_run_before(key);
  if (is_ours && files_.exists(final_name) && are_equal(files_, temporary, final_name)) {
    files_.remove(temporary);
    return files_.sync_directory(directory_);  // its name may not be on the disk yet
  }
  files_.publish(temporary, final_name, is_ours || plan_[key.file].may_overwrite);
}

/// Whether a file of this name can only be one that the run before published after its checkpoint. Of files
/// that are defined otherwise now, or begin anew, it would have more than this run's.
bool FileOwner::is_of_run_before(FilePeriod key) const {
  return continued_ && continued_->same.contains(key.file);
}

void FileOwner::published(FilePeriod key, const std::string& error) {
  OpenFile& file = open_.at(key);
  if (error.empty()) {
    const std::chrono::duration<double> latency = std::chrono::steady_clock::now() - file.completed;
    PublishedFile done{final_path(key), 0, missing_texts(plan_, key.file, file.missing), plan_[key.file].name,
                       latency.count()};
    for (const auto& marks : file.marks) {
      done.records += static_cast<std::int64_t>(marks.size());
      for (const RecordMark& mark : marks) {
        done.first_record_s = std::fmin(done.first_record_s, mark.time_s);
        done.last_record_s = std::fmax(done.last_record_s, mark.time_s);
      }
    }
    done.key = key;
    done.publication =
        run_.id + "/" + file_name(plan_[key.file], plan_.time, key.period, format_.extension());
    published_periods_[key.file].add(key.period);
    const FileHistory history = std::move(file.history);
    open_.erase(key);
    hooks_.published(done);
    cuts_.published(key, history);
  } else if (file.error.empty()) {
    failed_.insert(key);
    hooks_.failed(key, error);
    cuts_.failed(key);
  }
  open_.erase(key);
  packed_.erase(key);
}

std::int64_t FileOwner::published_through(FileId file) const {
  const auto timeline = timelines_.find(file);
  std::int64_t through = timeline == timelines_.end() ? INT64_MIN : timeline->second.closed_through();
  const FilePeriod first{file, INT64_MIN};
  if (const auto open = open_.lower_bound(first); open != open_.end() && open->first.file == file)
    through = std::min(through, open->first.period - 1);
  if (const auto failed = failed_.lower_bound(first); failed != failed_.end() && failed->file == file)
    through = std::min(through, failed->period - 1);
  return through;
}

}  // namespace pileus
