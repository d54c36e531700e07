#include "publishing/owner/file_resumer.h"

#include <utility>

#include "core/error.h"
#include "core/log.h"
#include "files/file_attributes.h"

namespace pileus {

FileResumer::FileResumer(OwnedFiles& book, const OwnerMeans& means, FileWriters& writers, FileCourse& course)
    : book_(book), means_(means), writers_(writers), course_(course) {
  if (!book.continued()) return;
  for (const auto& [key, state] : book.continued()->under_way) {
    if (book.plan()[key.file].owner == book.self()) open(key, state);
  }
}

/// A run that continues this one no longer knows that the file began anew, so what was published under its
/// name is kept before there is a checkpoint.
void FileResumer::keep_records_before() const {
  if (!book_.continued()) return;
  const FileNames& names = book_.names();
  for (const auto& [key, first] : book_.continued()->first_records) {
    if (book_.plan()[key.file].owner != book_.self() || !means_.files.exists(names.final_path(key))) continue;
    try {
      if (may_replace(book_.continued(), key, names, means_.files))
        keep_aside(*book_.continued(), names.directory(), names.name(key), means_.files);
    } catch (const OutputError& error) {
      log::warning(error.what());  // tried again before the name is taken
    }
  }
}

/// Opens the file as the run before left it.
void FileResumer::open(FilePeriod key, const FileUnderWay& state) {
  OpenFile& file = book_.open(key);
  file.before = &state;
  file.attributes = state.attributes;
  file.missing = file.missing_before = state.missing;
  file.parts_before = state.parts;
  file.is_complete = state.is_complete;
  file.dropped = state.dropped;
  const Step& after = book_.continued()->after;
  file.last_step = state.last_step.value_or(LastStep{after.done(), after.time});
  file.completed = std::chrono::steady_clock::now();
  for (const KeptRecord& record : state.records) {
    file.marks[record.axis].push_back(record.mark);
    file.order.push_back(record.axis);
    file.planned.add_record(record.axis);
  }
  file.written = file.records();
}

bool FileResumer::has_series(FileId file) const {
  return book_.continued() && book_.continued()->series.contains(file);
}

void FileResumer::restore(FileId file, FileTimeline& timeline) const {
  if (!has_series(file)) return;
  Decoder in(book_.continued()->series.at(file).timeline);
  timeline.restore(in);
}

/// The library makes the file on its lane; a writer lane copies the records.
void FileResumer::lay_out_again(FilePeriod key, OpenFile& file) {
  file.is_changing = true;
  FileDefinition definition = book_.definition(key.file);
  definition.is_of_series = definition.is_of_series && definition.attributes == file.attributes;
  definition.attributes = file.attributes;
  definition =
      with_its_identity(std::move(definition), book_.names().name_of_period(key), book_.names().run());
  auto made = std::make_shared<LaidOut>();
  file.lane->post_to_library(
      [this, key, made, definition = std::move(definition), state = file.before, library = file.library] {
        const std::string path = book_.names().temporary_path(key);
        try {
          *made = pileus::lay_out_again(*library, means_.format, path, definition, *state);
        } catch (const DiskFullError& error) {
          library->discard();
          means_.files.remove(path);
          throw DiskFullError(error.what());  // from its beginning
        }
      },
      [this, key, made](const DiskFailure& failure) {
        failure.text.empty() ? copy_records(key, made) : laid_out(key, *made, failure);
      });
}

void FileResumer::copy_records(FilePeriod key, const std::shared_ptr<LaidOut>& made) {
  OpenFile& file = book_.at(key);
  if (file.is_lost()) return laid_out(key, *made, {});
  file.lane->post_to_disk(
      [this, key, made, state = file.before] {
        const std::string source =
            source_of(means_.files, book_.names().directory(), *state, book_.continued()->after.index);
        require_chunks(means_.files, source, made->chunks);
        copy_ranges(means_.files, source, book_.names().temporary_path(key), made->records);
      },
      [this, key, made](const DiskFailure& failure) { laid_out(key, *made, failure); });
}

void FileResumer::laid_out(FilePeriod key, const LaidOut& made, const DiskFailure& failure) {
  OpenFile& file = book_.at(key);
  file.is_changing = false;
  if (file.is_lost()) return course_.changed(key);
  const FileUnderWay& state = *std::exchange(file.before, nullptr);
  if (!failure.text.empty()) return course_.fail(key, failure);
  file.time_offsets = made.time_offsets;
  file.bounds_offsets = made.bounds_offsets;
  file.history = {state.chunks, made.ends, {}, made.bytes};
  FileChanges changes(book_.definition(key.file));
  for (const KeptRecord& record : state.records) changes.add_record(record.axis);
  file.history.layouts.assign(changes.count(), state.layout);  // later cuts ask for the last one, or later
  for (const auto& [axis, growth] : made.free) writers_.place({key, axis, growth});
  course_.changed(key);
}

}  // namespace pileus
