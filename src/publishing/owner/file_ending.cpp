#include "publishing/owner/file_ending.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>
#include <span>
#include <utility>

#include "core/error_text.h"
#include "core/log.h"
#include "files/times_of_cmip.h"
#include "publishing/owner/publications.h"
#include "publishing/owner/rebuild.h"

namespace pileus {
namespace {

void write_times_of(PartFile& file, const std::vector<RecordMark>& marks,
                    const std::vector<std::uint64_t>& time_offsets,
                    const std::vector<std::uint64_t>& bounds_offsets) {
  if (time_offsets.empty()) return;  // the file does not have the axis, or they stand with the values
  for (std::size_t r = 0; r < marks.size(); ++r) {
    if (!bounds_offsets.empty()) {
      const std::array<double, 2> bounds = {marks[r].begin_s, marks[r].end_s};
      file.write_at(bounds_offsets[r], std::as_bytes(std::span(bounds)));
    }
    const std::array<double, 1> time = {marks[r].time_s};
    file.write_at(time_offsets[r], std::as_bytes(std::span(time)));
  }
}

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

void add(const Remark& remark, FileWriter& file) {
  if (remark.variable) return file.remark_on(*remark.variable, remark.of_variable);
  file.remark(remark.name, remark.text);
}

/// No more than an attribute bears.
Remark remark_of_missing(const std::vector<std::string>& missing) {
  constexpr std::size_t kMost = 100;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, missing.size()); ++i) text += (i > 0 ? "; " : "") + missing[i];
  if (missing.size() > kMost) text += "; and " + std::to_string(missing.size() - kMost) + " more";
  return {"missing_parts", text};
}

Remark remark_of_dropped(const PlannedFile& planned, const OpenFile& file) {
  const auto [asked, for_memory] = file.dropped;
  std::int64_t records = file.dropped.all();
  for (const Index of_axis : file.records()) records += of_axis;
  const std::string why_memory = "as servers had no memory for them (when_memory_full=\"" +
                                 std::string(name(planned.when_memory_full)) + "\")";
  const std::string why_asked = "as somebody asked for that while the run went (pileus control)";
  std::string why = ", " + (asked == 0 ? why_memory : why_asked);
  if (asked > 0 && for_memory > 0)
    why = ": " + std::to_string(for_memory) + " " + why_memory + ", and " + std::to_string(asked) + " " +
          why_asked;
  return {"dropped_records", std::to_string(file.dropped.all()) + " of " + std::to_string(records) +
                                 " records were left out" + why};
}

/// The times of marks, each as numbers of its axis.
std::vector<std::vector<RecordMark>> in_units(std::vector<std::vector<RecordMark>> marks,
                                              const std::vector<TimeAxis>& axes) {
  for (std::size_t axis = 0; axis < marks.size(); ++axis) {
    for (RecordMark& one : marks[axis]) {
      const auto [time, begin, end] = numbers_of(axes[axis], one.time_s, one.begin_s, one.end_s);
      one.time_s = time;
      one.begin_s = begin;
      one.end_s = end;
    }
  }
  return marks;
}

}  // namespace

/// Times come last: until they are there, nothing in the file is marked as valid. What waits for the disk
/// runs on a writer lane, so that a slow one under this file does not hold up the library under others.
void FileEnding::begin(FilePeriod key, OpenFile& file, std::deque<std::pair<Index, PackedRecord>> late) {
  file.is_finishing = true;
  if (file.is_lost()) return discard(key, file.library, {});
  auto ending = std::make_shared<Ending>(
      Ending{key, file.library, in_units(file.marks, book_.definition(key.file).axes), file.time_offsets,
             file.bounds_offsets, file.records(), file.parts, file.parts_before, remarks_of(key, file),
             std::move(late)});
  file.lane->post_to_disk(
      [this, ending] {
        end_parts_before(*ending);
        write_times(*means_.files.open_parts(book_.names().temporary_path(ending->key)), *ending);
      },
      [this, ending](const DiskFailure& failure) {
        if (!failure.text.empty()) return discard(ending->key, ending->library, failure);
        finish_library(ending);
      });
}

std::deque<Remark> FileEnding::remarks_of(FilePeriod key, const OpenFile& file) const {
  const std::vector<Remark> of_end = remarks_of_end(book_.plan()[key.file], file.last_step);
  std::deque<Remark> remarks(of_end.begin(), of_end.end());
  const std::vector<std::string> missing = missing_texts(book_.plan(), key.file, file.missing);
  std::ranges::move(learned_.remarks(key), std::back_inserter(remarks));
  if (!missing.empty()) remarks.push_back(remark_of_missing(missing));
  if (file.dropped.all() > 0) remarks.push_back(remark_of_dropped(book_.plan()[key.file], file));
  return remarks;
}

void FileEnding::write_times(PartFile& parts, const Ending& ending) {
  for (std::size_t axis = 0; axis < ending.marks.size(); ++axis) {
    write_times_of(parts, ending.marks[axis], ending.time_offsets[axis], ending.bounds_offsets[axis]);
  }
}

void FileEnding::finish_library(const Shared& ending) {
  book_.at(ending->key)
      .lane->post_to_library([this, ending] { finish_now(*ending); },
                             [this, ending](const DiskFailure& failure) {
                               if (!failure.text.empty())
                                 return discard(ending->key, ending->library, failure);
                               publish(ending);
                             });
}

/// The library's lane calls this, and may do so again where the disk was full.
void FileEnding::finish_now(Ending& ending) const {
  for (; !ending.late.empty(); ending.late.pop_front()) {
    const auto& [record, packed] = ending.late.front();
    ending.library->writer().write_packed(record, std::span(&packed, 1));
  }
  for (; !ending.remarks.empty(); ending.remarks.pop_front())
    add(ending.remarks.front(), ending.library->writer());
  if (book_.plan()[ending.key.file].on_disk.is_in_parts) take_parts(ending);
  ending.library->writer().finish(ending.records);
  if (const std::string beside = book_.names().temporary_path_beside(ending.key); !beside.empty()) {
    means_.files.write_pieces(beside, [&](const PutBytes& put) { ending.library->writer().put_beside(put); });
  }
  ending.library->close();
}

/// What the file of another run of this name refers to goes with it.
void FileEnding::take_parts(Ending& ending) const {
  std::vector<PartOfFile> all = ending.parts_before;
  all.insert(all.end(), ending.parts.begin(), ending.parts.end());
  ending.library->writer().take_parts(all, part_variables(book_.plan(), ending.key.file));
  const std::string final_name = book_.names().final_path(ending.key);
  const bool is_foreign = book_.plan()[ending.key.file].may_overwrite && means_.files.exists(final_name) &&
                          !may_replace(book_.continued(), ending.key, book_.names(), means_.files);
  if (!is_foreign) return;
  try {
    ending.replaced_parts = means_.format.parts_of(final_name);
  } catch (const OutputError&) {
    return;  // it is no file of ours
  }
  std::erase_if(ending.replaced_parts, [&](const std::string& name) {
    return !is_name_of_part(name) || std::ranges::count(all, name, &PartOfFile::name) > 0;
  });
}

/// Nobody needs it any more, and the file is published.
void FileEnding::remove_part(const std::string& path) const {
  try {
    means_.files.remove(path);
  } catch (...) {
    log::warning(text_of_current_exception() + "; pileus clean removes it later");
  }
}

/// Parts of a run that did not come to their end become files as they are: data in them never change, and
/// what is behind the checkpoint is in other parts.
void FileEnding::end_parts_before(const Ending& ending) const {
  const std::string folder = folder_of(book_.names().final_path(ending.key));
  for (const PartOfFile& part : ending.parts_before) {
    const std::string path = folder + "/" + part.name;
    const auto source = means_.files.open_source(path);
    const std::uint64_t size = source->size_bytes();
    Bytes head(kHeadOfPart);
    source->read_at(0, head);
    if (means_.format.chunks_in_part(head) >= part.chunk_count()) continue;
    const EndOfPart end =
        means_.format.end_of_part(part, part_variables(book_.plan(), ending.key.file), size);
    const auto disk = means_.files.open_parts(path);
    disk->write_at(end.offset, end.tail);
    disk->sync();
    disk->write_at(0, end.head);
    disk->sync();
  }
}

void FileEnding::publish(const Shared& ending) {
  const FilePeriod key = ending->key;
  const PlannedFile& planned = book_.plan()[key.file];
  const bool replaces = planned.may_overwrite || (planned.keeps_newest && book_.has_published(key.file));
  const std::vector<Index> of_axes = book_.at(key).records();
  const std::int64_t records = std::accumulate(of_axes.begin(), of_axes.end(), std::int64_t{0});
  const auto stays_with = std::make_shared<std::int64_t>(0);
  book_.at(key).lane->post_to_disk(
      [this, ending, records, stays_with, replaces, last_cut = kept_.last_cut()] {
        *stays_with = publish_now(ending->key, records, last_cut, replaces);
        const std::string folder = folder_of(book_.names().final_path(ending->key));
        for (const std::string& part : ending->replaced_parts) remove_part(folder + "/" + part);
      },
      [this, key, stays_with](const DiskFailure& failure) {
        book_.at(key).stays_with = *stays_with;
        if (failure.text.empty()) return course_.published(key);
        const std::string hint = ", or under its name if only the directory could not be synced";
        const std::string where = "; its data are in " + book_.names().temporary_path(key) + hint;
        course_.lose(key, {failure.text + where, failure.is_full});
        course_.forget(key);
      });
}

/// Another run may have left out other records: which ones depends on how fast it was.
std::int64_t FileEnding::records_that_stay(FilePeriod key, std::int64_t records) const {
  const PlannedFile& planned = book_.plan()[key.file];
  if (!planned.drops_records() || planned.keeps_newest) return 0;
  const std::int64_t before = records_published(means_.files, book_.names().directory(),
                                                book_.continued()->publications, book_.names().name(key));
  return before > records ? before : 0;
}

/// A file that the run before published after its checkpoint is replaced only if it is another, and not by
/// one with fewer records: then it stays, and has the records of the result, which is 0 otherwise.
/// `replaces`: the file may replace any of its name.
std::int64_t FileEnding::publish_now(FilePeriod key, std::int64_t records,
                                     std::optional<std::int64_t> last_cut, bool replaces) const {
  const FileNames& names = book_.names();
  FileSystem& files = means_.files;
  const std::string temporary = names.temporary_path(key), final_name = names.final_path(key);
  for (const std::string& folder : folders_of_name(names.name(key)))
    files.make_directory(names.directory() + "/" + folder);
  const bool is_ours = files.exists(final_name) && may_replace(book_.continued(), key, names, files);
  const bool is_the_same = is_ours && are_equal(files, temporary, final_name);
  const std::int64_t stays_with = is_ours && !is_the_same ? records_that_stay(key, records) : 0;
  if (is_ours && !is_the_same && stays_with == 0)
    keep_aside(*book_.continued(), names.directory(), names.name(key), files);
  if (last_cut) {
    note_publication(files, names.directory(), names.run(), book_.self(), *last_cut,
                     names.name_of_period(key), mark_of(files, stays_with > 0 ? final_name : temporary),
                     stays_with > 0 ? stays_with : records);
  }
  publish_beside(key, stays_with > 0);
  if (is_the_same || stays_with > 0) {
    if (is_the_same) files.remove(temporary);
    // Its name may not be on the disk yet.
    files.sync_directory(final_name.substr(0, final_name.rfind('/')));
  } else {
    files.publish(temporary, final_name, is_ours || replaces);
  }
  return stays_with;
}

/// Before the file itself, so that no file is without it.
void FileEnding::publish_beside(FilePeriod key, bool stays) const {
  const std::string temporary = book_.names().temporary_path_beside(key);
  if (temporary.empty()) return;
  if (stays) return means_.files.remove(temporary);
  means_.files.publish(temporary, book_.names().final_path_beside(key), true);
}

/// A file that is given up. What it has stays where a checkpoint refers to it: a run that continues from
/// there takes it from the temporary file. `why`: no text where that has been said.
void FileEnding::discard(FilePeriod key, const std::shared_ptr<LibraryFile>& library,
                         const DiskFailure& why) {
  if (!why.text.empty()) course_.lose(key, why);  // before it is asked who refers to the file
  means_.library.post([this, key, library, is_kept = kept_.has_kept(key)] {
    library->close();
    means_.writers.submit([this, key, is_kept] {
      if (!is_kept) remove(key);
      means_.home.post([this, key] { course_.forget(key); });
    });
  });
}

void FileEnding::let_go(FilePeriod key) {
  log::warning(book_.names().final_path(key) +
               ": stays as the run before published it, which had memory for more of its records");
  if (!kept_.has_kept(key)) means_.writers.submit([this, key] { remove(key); });
}

void FileEnding::remove(FilePeriod key) const {
  try {
    means_.files.remove(book_.names().temporary_path(key));
    if (book_.plan()[key.file].on_disk.is_in_parts) remove_parts(key);
    if (const std::string beside = book_.names().temporary_path_beside(key); !beside.empty())
      means_.files.remove(beside);
  } catch (...) {
    log::warning(text_of_current_exception());
  }
}

/// Those of this attempt, of all servers.
void FileEnding::remove_parts(FilePeriod key) const {
  const std::string one = book_.names().path_of_part(key, 0);
  const std::string folder = folder_of(one);
  const std::string of_attempt = one.substr(one.find('.', folder.size() + 1));
  for (const std::string& name : means_.files.list(folder)) {
    if (name.ends_with(of_attempt)) means_.files.remove(folder + "/" + name);
  }
}

PublishedFile FileEnding::published_file(FilePeriod key, const OpenFile& file) const {
  const std::chrono::duration<double> latency = std::chrono::steady_clock::now() - file.completed;
  PublishedFile done{book_.names().final_path(key), 0, missing_texts(book_.plan(), key.file, file.missing),
                     book_.plan()[key.file].name, latency.count()};
  for (const auto& marks : file.marks) {
    done.records += static_cast<std::int64_t>(marks.size());
    for (const RecordMark& mark : marks) {
      done.first_record_s = std::fmin(done.first_record_s, mark.time_s);
      done.last_record_s = std::fmax(done.last_record_s, mark.time_s);
    }
  }
  done.dropped = file.dropped.all();
  if (file.stays_with > 0) {
    done.dropped += done.records - file.stays_with;
    done.records = file.stays_with;
  }
  done.key = key;
  done.publication = book_.names().run().id + "/" + book_.names().name_of_period(key);
  return done;
}

}  // namespace pileus
