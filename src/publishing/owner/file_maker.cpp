#include "publishing/owner/file_maker.h"

#include <algorithm>
#include <memory>

#include "core/error.h"
#include "files/file_attributes.h"
#include "publishing/owner/rebuild.h"
#include "state/manifest.h"

namespace pileus {
namespace {

/// Groups the chunks by variable, in their order.
std::vector<PackedRecord> by_variable(auto& chunks) {
  std::vector<PackedRecord> variables;
  for (auto& [position, chunk] : chunks) {
    if (variables.empty() || variables.back().variable != position.first)
      variables.push_back({position.first, {}});
    variables.back().chunks.push_back(std::move(chunk));
  }
  return variables;
}

}  // namespace

void FileMaker::add(PackedPart part) {
  const std::uint32_t axis = book_.definition(part.file.file).variables.at(part.variable).axis;
  auto& into = part.is_late ? late_ : packed_;
  into[part.file][{axis, part.record}].insert_or_assign({part.variable, part.chunk}, std::move(part.packed));
}

void FileMaker::drop_unopened() {
  for (auto* const all : {&packed_, &late_})
    std::erase_if(*all, [&](const auto& packed) { return !book_.under_way().contains(packed.first); });
}

std::deque<std::pair<Index, PackedRecord>> FileMaker::take_late(FilePeriod key) {
  std::deque<std::pair<Index, PackedRecord>> out;
  auto node = late_.extract(key);
  if (node.empty()) return out;
  for (auto& [record, chunks] : node.mapped()) {
    for (PackedRecord& packed : by_variable(chunks))
      if (!std::ranges::all_of(packed.chunks, &PackedChunk::is_repeated))
        out.emplace_back(record.second, std::move(packed));
  }
  return out;
}

bool FileMaker::start_change(FilePeriod key, OpenFile& file) {
  const FileChange change = file.changes.front();
  if (change.is_growth) {
    grow(key, change, file);
    return true;
  }
  const std::size_t chunks = packed_[key][{change.axis, change.records}].size();
  if (chunks < book_.packed_chunks(key.file, change.axis)) return false;
  write_packed(key, change, file);
  return true;
}

void FileMaker::tell_progress(FilePeriod key, const OpenFile& file, std::uint32_t axis) {
  writers_.progress({key, axis, static_cast<Index>(file.marks[axis].size()), file.written[axis]});
}

void FileMaker::tell_progress_of_packed(FilePeriod key, const OpenFile& file) {
  for (std::uint32_t axis = 0; axis < file.marks.size() && !file.is_lost(); ++axis) {
    if (book_.packed_chunks(key.file, axis) > 0) tell_progress(key, file, axis);
  }
}

void FileMaker::grow(FilePeriod key, const FileChange& change, OpenFile& file) {
  file.is_changing = true;
  auto growths = std::make_shared<std::vector<AxisGrowth>>();
  file.lane->post_to_library(
      [this, key, axis = change.axis, records = change.records, growths, library = file.library] {
        make_if_new(key, *library);
        library->grow_to(axis, records, *growths);
      },
      [this, key, axis = change.axis, growths, library = file.library](const DiskFailure& failure) {
        if (failure.text.empty()) grown(key, axis, *growths);
        ended(key, failure, library->layout());
      });
}

/// The library's lane calls this.
void FileMaker::make_if_new(FilePeriod key, LibraryFile& library) const {
  if (library.is_made()) return;
  const std::string final_name = book_.names().final_path(key);
  const PlannedFile& planned = book_.plan()[key.file];
  // The name of a file that replaces the one before is looked at when it takes it.
  const bool is_taken = !planned.may_overwrite && !planned.keeps_newest && means_.files.exists(final_name) &&
                        !may_replace(book_.continued(), key, book_.names(), means_.files);
  if (is_taken) {
    throw OutputError(
        final_name + ": exists already; move it away, write to another directory, or say overwrite=\"true\"");
  }
  library.make(
      means_.format, book_.names().temporary_path(key),
      with_its_identity(book_.definition(key.file), book_.names().name_of_period(key), book_.names().run()));
}

void FileMaker::grown(FilePeriod key, std::uint32_t axis, const std::vector<AxisGrowth>& growths) {
  OpenFile* const file = book_.find(key);
  if (file == nullptr || file->is_lost()) return;
  const FileDefinition& definition = book_.definition(key.file);
  for (const AxisGrowth& growth : growths) {
    auto& times = file->time_offsets[axis];
    auto& bounds = file->bounds_offsets[axis];
    times.insert(times.end(), growth.time_offsets.begin(), growth.time_offsets.end());
    bounds.insert(bounds.end(), growth.bounds_offsets.begin(), growth.bounds_offsets.end());
    const std::vector<std::uint64_t> ends = record_ends(growth, definition);
    file->history.ends[axis].insert(file->history.ends[axis].end(), ends.begin(), ends.end());
    for (std::vector<FileRange>& ranges : record_ranges(growth, definition))
      file->history.bytes[axis].push_back({std::move(ranges)});
    writers_.place({key, axis, growth});
  }
}

void FileMaker::write_packed(FilePeriod key, const FileChange& change, OpenFile& file) {
  file.is_changing = true;
  auto node = packed_[key].extract({change.axis, change.records});
  auto variables = std::make_shared<std::vector<PackedRecord>>(by_variable(node.mapped()));
  const RecordMark& mark = file.marks[change.axis].at(static_cast<std::size_t>(change.records));
  const RecordTimes times = {mark.time_s, mark.begin_s, mark.end_s};
  file.lane->post_to_library(
      [change, times, variables, library = file.library] {
        library->write_packed(change.axis, change.records, times, *variables);
      },
      [this, key, change, variables, library = file.library](const DiskFailure& failure) {
        WrittenChunks written;
        for (const PackedRecord& packed : *variables) {
          for (const PackedChunk& chunk : packed.chunks) {
            written.emplace_back(packed.variable,
                                 ChunkLayout{chunk.bytes.size(), chunk.skipped_filters, checksum(chunk.bytes),
                                             chunk.loss, chunk.audit});
          }
        }
        variables->clear();
        if (failure.text.empty()) packed_written(key, change, written);
        ended(key, failure, library->layout());
      });
}

void FileMaker::packed_written(FilePeriod key, const FileChange& change, const WrittenChunks& written) {
  OpenFile* const file = book_.find(key);
  if (file == nullptr || file->is_lost()) return;
  for (const auto& [variable, chunk] : written) file->history.chunks[variable].push_back(chunk);
  file->written[change.axis] = change.records + 1;
  tell_progress(key, *file, change.axis);
}

void FileMaker::ended(FilePeriod key, const DiskFailure& failure, std::uint64_t layout) {
  OpenFile* const file = book_.find(key);
  if (file == nullptr) return;
  file->is_changing = false;
  if (file->is_lost()) return course_.changed(key);
  file->changes.pop_front();
  if (!failure.text.empty()) return course_.fail(key, failure);
  file->history.layouts.push_back(layout);
  course_.changed(key);
}

std::string FileMaker::lacking_chunks(FilePeriod key, const FileChange& change) const {
  const PackedChunks* chunks = nullptr;
  if (const auto of_file = packed_.find(key); of_file != packed_.end()) {
    const auto found = of_file->second.find({change.axis, change.records});
    if (found != of_file->second.end()) chunks = &found->second;
  }
  const auto& variables = book_.definition(key.file).variables;
  const std::vector<std::size_t>& counts = book_.chunk_counts(key.file);
  std::string text;
  for (std::uint32_t v = 0; v < variables.size(); ++v) {
    if (variables[v].axis != change.axis) continue;
    std::size_t lacking = counts[v];
    for (std::uint32_t c = 0; chunks && c < counts[v]; ++c) lacking -= chunks->count({v, c});
    if (lacking == 0) continue;
    text += (text.empty() ? "waits for " : " and ") + std::to_string(lacking) +
            (lacking == 1 ? " chunk of " : " chunks of ") + variables[v].name;
  }
  return text + " of record " + std::to_string(change.records);
}

}  // namespace pileus
