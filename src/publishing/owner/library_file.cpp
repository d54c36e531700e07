#include "publishing/owner/library_file.h"

#include <algorithm>

#include "publishing/owner/file_state.h"

namespace pileus {

FileChanges::FileChanges(const FileDefinition& definition) {
  for (const TimeAxis& axis : definition.axes) axes_.push_back({axis.block_records, axis.first_records});
  for (const FileVariable& variable : definition.variables) {
    if (variable.compression.is_packed()) axes_[variable.axis].has_packed = true;
  }
}

std::vector<FileChange> FileChanges::add_record(std::uint32_t index) {
  Axis& axis = axes_.at(index);
  std::vector<FileChange> changes;
  if (++axis.records > axis.space) {
    axis.space += records_to_add(axis.space, axis.first_records, axis.block_records);
    changes.push_back({true, index, axis.space});
  }
  if (axis.has_packed) changes.push_back({false, index, axis.records - 1});
  count_ += changes.size();
  return changes;
}

void LibraryFile::make(FileFormat& format, const std::string& path, const FileDefinition& definition) {
  writer_ = format.create(path, definition);
  path_ = path;
  note({});
}

void LibraryFile::grow_to(std::uint32_t axis, Index records, std::vector<AxisGrowth>& growths) {
  while (space_[axis] < records) {
    growths.push_back(writer_->grow(axis));
    space_[axis] += growths.back().records;
    const AxisGrowth& growth = growths.back();
    Bytes times;
    Encoder out(times);
    out.put(growth.time_offsets);
    out.put(growth.bounds_offsets);
    note(times);
    note_growth({{}, axis, growth});
  }
}

void LibraryFile::discard() {
  writer_.reset();
  std::ranges::fill(space_, 0);
  layout_ = 0;
}

void LibraryFile::write_packed(std::uint32_t axis, Index record, const RecordTimes& times,
                               std::span<const PackedRecord> variables) {
  writer_->take_times(axis, record, times);
  writer_->write_packed(record, variables);
  note({});
}

void LibraryFile::note_growth(const Placement& placement) {
  encode_in_pieces(placement, [&](const Bytes& piece) { layout_ = hash_of(piece, layout_); });
  note_length();
}

void LibraryFile::note(std::span<const std::byte> bytes) {
  layout_ = hash_of(bytes, layout_);
  note_length();
}

/// To ask where compressed chunks lie takes long. The length of the file tells as much.
void LibraryFile::note_length() {
  Bytes length;
  Encoder(length).put(files_.open_source(path_)->size_bytes());
  layout_ = hash_of(length, layout_);
}

}  // namespace pileus
