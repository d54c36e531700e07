// How a file whose parts are all there becomes one under its name, or is given up.

#include <algorithm>
#include <array>
#include <utility>

#include "core/error_text.h"
#include "core/log.h"
#include "publishing/owner/file_owner.h"

namespace pileus {
namespace {

void write_times_of(PartFile& file, const std::vector<RecordMark>& marks,
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

/// Times come last: until they are there, nothing in the file is marked as valid. What waits for the disk
/// runs on a writer lane, so that a slow one under this file does not hold up the library under others.
void FileOwner::write_times(FilePeriod key) {
  auto file = std::make_shared<OpenFile>(open_.at(key));
  const std::shared_ptr<FileLane> lane = std::move(file->lane);  // which holds the copy
  lane->post(
      FileLane::Place::disk,
      [this, key, file] { write_all_times(*files_.open_parts(temporary_path(key)), *file); },
      [this, key, file](const DiskFailure& failure) {
        if (!failure.text.empty()) return discard(key, file->library, failure);
        finish_library(key, file);
      });
}

void FileOwner::write_all_times(PartFile& parts, const OpenFile& file) {
  for (std::size_t axis = 0; axis < file.marks.size(); ++axis) {
    write_times_of(parts, file.marks[axis], file.time_offsets[axis], file.bounds_offsets[axis]);
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

void FileOwner::finish_library(FilePeriod key, const std::shared_ptr<OpenFile>& file) {
  open_.at(key).lane->post(
      FileLane::Place::library, [this, key, file] { finish_now(key, *file); },
      [this, key, file](const DiskFailure& failure) {
        if (!failure.text.empty()) return discard(key, file->library, failure);
        publish(key);
      });
}

/// On the library's lane. It may come again, where the disk was full.
void FileOwner::finish_now(FilePeriod key, OpenFile& file) {
  std::vector<Index> records;
  for (const auto& marks : file.marks) records.push_back(static_cast<Index>(marks.size()));
  if (!file.is_remarked) {
    remark_missing(file.library->writer(), missing_texts(plan_, key.file, file.missing));
    file.is_remarked = true;
  }
  file.library->writer().finish(records);
  file.library->close();
}

void FileOwner::publish(FilePeriod key) {
  open_.at(key).lane->post(
      FileLane::Place::disk, [this, key, last_cut = last_cut_] { publish_now(key, last_cut); },
      [this, key](const DiskFailure& failure) {
        if (failure.text.empty()) return published(key, failure);
        const std::string hint = ", or under its name if only the directory could not be synced";
        published(key, {failure.text + "; its data are in " + temporary_path(key) + hint, failure.is_full});
      });
}

/// What the run before published after its checkpoint is replaced only if it is another.
void FileOwner::publish_now(FilePeriod key, std::optional<std::int64_t> last_cut) {
  const std::string temporary = temporary_path(key), final_name = final_path(key);
  const bool is_ours = files_.exists(final_name) && may_replace(key, final_name);
  if (is_ours && are_equal(files_, temporary, final_name)) {
    files_.remove(temporary);
    return files_.sync_directory(directory_);  // its name may not be on the disk yet
  }
  if (is_ours) keep_aside(final_name);
  const std::string name = final_name.substr(directory_.size() + 1);
  if (last_cut)
    note_publication(files_, directory_, run_, self_, *last_cut, name, mark_of(files_, temporary));
  files_.publish(temporary, final_name, is_ours || plan_[key.file].may_overwrite);
}

/// Whether a file of this name is one that the run before published after its checkpoint.
bool FileOwner::may_replace(FilePeriod key, const std::string& path) const {
  if (!continued_) return false;
  const auto series = continued_->series.find(key.file);
  const bool is_older = series != continued_->series.end() && series->second.published.contains(key.period);
  return !is_older &&
         may_be_replaced(*continued_, key.file, path.substr(directory_.size() + 1), directory_, files_);
}

/// A file that has records from before the checkpoint, which the one that takes its name has not.
void FileOwner::keep_aside(const std::string& path) {
  if (!continued_->left_records.contains(path.substr(directory_.size() + 1))) return;
  const std::string aside = path + ".until-step-" + std::to_string(continued_->after.index);
  if (files_.exists(aside)) return;
  files_.publish(path, aside, false);
  log::warning(path +
               " has records from before the checkpoint, which the file of now has not: it is kept as " +
               aside);
}

/// A file that is given up. What it has stays where a checkpoint refers to it: a run that continues from
/// there takes it from the temporary file. `why`: no text where that has been said.
void FileOwner::discard(FilePeriod key, const std::shared_ptr<LibraryFile>& library, const DiskFailure& why) {
  if (!why.text.empty()) note_failure(key, why);  // before it is asked who refers to the file
  lanes_.library.post([this, key, library, is_kept = cuts_.has_kept(key)] {
    library->close();
    lanes_.writers.submit([this, key, is_kept] {
      try {
        if (!is_kept) files_.remove(temporary_path(key));
      } catch (...) {
        log::warning(text_of_current_exception());
      }
      hooks_.post([this, key] { forget(key); });
    });
  });
}

void FileOwner::published(FilePeriod key, const DiskFailure& failure) {
  if (!failure.text.empty()) return not_published(key, failure);
  OpenFile& file = open_.at(key);
  const PublishedFile done = published_file(key, file);
  published_periods_[key.file].add(key.period);
  FileHistory history = std::move(file.history);
  std::vector<Index> records;
  for (const auto& marks : file.marks) records.push_back(static_cast<Index>(marks.size()));
  forget(key);
  hooks_.published(done);
  tell_cuts_of_published(key, std::move(history), records);
}

PublishedFile FileOwner::published_file(FilePeriod key, const OpenFile& file) const {
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
  done.publication = run_.id + "/" + file_name(plan_[key.file], plan_.time, key.period, format_.extension());
  return done;
}

void FileOwner::not_published(FilePeriod key, const DiskFailure& failure) {
  note_failure(key, failure);
  forget(key);
}

/// From here on no step that is kept refers to the file.
void FileOwner::note_failure(FilePeriod key, const DiskFailure& failure) {
  OpenFile& file = open_.at(key);
  if (!file.error.empty()) return;
  // What is thrown far below may name no file.
  const std::string name = file_name(plan_[key.file], plan_.time, key.period, format_.extension());
  const bool is_named = failure.text.find(name) != std::string::npos;
  file.error = is_named ? failure.text : final_path(key) + ": is lost: " + failure.text;
  failed_.insert(key);
  if (failure.is_full && hooks_.full) hooks_.full(key, file.error);
  hooks_.failed(key, file.error);
  cuts_.failed(key);
}

void FileOwner::forget(FilePeriod key) {
  open_.erase(key);
  packed_.erase(key);
}

}  // namespace pileus
