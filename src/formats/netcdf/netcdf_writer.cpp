#include "formats/netcdf/netcdf_writer.h"

#include <hdf5.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "core/error.h"
#include "formats/audit_series.h"
#include "formats/netcdf/repeated_records.h"
#include "formats/netcdf/series.h"
#include "formats/netcdf/sized_file.h"
#include "formats/netcdf/space.h"

namespace pileus::netcdf {
namespace {

/// Learning where a chunk lies costs a walk over all chunks of its variable, so space is made for so many at
/// a time.
constexpr Index kChunksPerGrowth = 4096;

/// What a change without new data may take: the library rewrites the descriptions of what it changes.
constexpr std::uint64_t kSpaceToChange = 65536;

std::vector<hsize_t> offset_of(Index record, const Region& region) {
  std::vector<hsize_t> offset = {static_cast<hsize_t>(record)};
  std::ranges::reverse_copy(region.start, std::back_inserter(offset));
  return offset;
}

/// The variables of an axis while the file is open.
std::vector<Hdf5Dataset> open_datasets(const Hdf5File& file, const AxisVariables& axis) {
  std::vector<Hdf5Dataset> datasets;
  datasets.reserve(axis.variables.size());
  for (const RecordVariable& variable : axis.variables) datasets.emplace_back(file, variable.name);
  return datasets;
}

/// Where the records [first, first + count) of a variable lie. `find`: the chunk that begins at a record and
/// region.
template <class Find>
RecordPlacements placements(const Find& find, const RecordVariable& variable, Index first, Index count) {
  const std::uint64_t record_bytes = variable.record_bytes();
  RecordPlacements out;
  std::uint64_t before = 0;
  for (Index record = first; record < first + count; ++record) {
    const Index in_chunk = record % variable.shape.records;
    RecordPlacement placement;
    if (record > first && in_chunk > 0) {
      // Only small records share a chunk; they are one block each.
      placement.blocks.push_back({before + record_bytes, variable.regions.front()});
    } else {
      for (const Region& region : variable.regions) {
        const std::uint64_t address = find(record - in_chunk, region);
        placement.blocks.push_back({address + static_cast<std::uint64_t>(in_chunk) * record_bytes, region});
      }
    }
    before = placement.blocks.front().offset;
    out.push_back(placement);
  }
  return out;
}

std::vector<std::uint64_t> offsets(const RecordPlacements& placements) {
  std::vector<std::uint64_t> out;
  for (std::size_t i = 0; i < placements.size(); ++i) out.push_back(placements[i].blocks.front().offset);
  return out;
}

Index most_records_of_growth(const AxisVariables& axis) {
  Index chunks = 1;
  for (const RecordVariable& variable : axis.variables) {
    if (!variable.is_packed) chunks = std::max(chunks, std::ssize(variable.regions));
  }
  return std::max<Index>(1, kChunksPerGrowth / chunks);
}

/// A mark of no record at each of the times, those that lie together as one.
std::vector<ValuesAt> marks(const std::vector<std::uint64_t>& time_offsets, std::span<const double> missing) {
  std::vector<ValuesAt> values;
  for (std::size_t i = 0; i < time_offsets.size();) {
    std::size_t count = 1;
    while (i + count < time_offsets.size() &&
           time_offsets[i + count] == time_offsets[i] + count * sizeof(double))
      ++count;
    values.push_back({time_offsets[i], std::as_bytes(missing.first(count))});
    i += count;
  }
  return values;
}

}  // namespace

NetcdfWriter::NetcdfWriter(std::string path, std::shared_ptr<const std::vector<AxisVariables>> axes,
                           KnownFile known, FileSystem& files, const OnDisk& on_disk)
    : path_(std::move(path)),
      on_disk_(on_disk),
      files_(files),
      axes_(std::move(axes)),
      known_(std::move(known)),
      records_(axes_->size(), 0) {
  asked_.resize(axes_->size());
}

AxisGrowth NetcdfWriter::grow(std::uint32_t index) {
  silence_hdf5();
  const AxisVariables& axis = axes_->at(index);
  if (axis.variables.empty()) {  // the file does not have it
    records_[index] += axis.block_records;
    return {records_[index] - axis.block_records, axis.block_records, {}, {}, {}};
  }
  Asked& asked = asked_[index];
  if (records_[index] >= asked.space) {
    // Chunks that end before are full.
    std::erase_if(asked.chunks,
                  [&](const Chunk& chunk) { return chunk.record + chunk.records <= asked.space; });
    asked.space += records_to_add(asked.space, axis.first_records, axis.block_records);
  }
  const Index first = records_[index];
  const Index count = std::min(asked.space - first, most_records_of_growth(axis));
  const Space space = space_for(axis, first, count, on_disk_);
  files_.reserve(path_, size_of(path_), space.total_bytes);
  const KnownChange* const change = known_.next(index);
  AxisGrowth growth =
      change ? repeat(*change, index, first, count) : make(index, first, count, space.metadata_bytes);
  records_[index] = first + count;
  note_chunks(axis, growth, asked.chunks);
  return growth;
}

AxisGrowth NetcdfWriter::make(std::uint32_t index, Index first, Index count, std::uint64_t metadata_bytes) {
  const AxisVariables& axis = (*axes_)[index];
  AxisGrowth growth;
  std::vector<std::uint64_t> addresses;
  DataRanges data;
  Hdf5File file(path_, metadata_bytes, on_disk_);
  {
    std::vector<Hdf5Dataset> datasets = open_datasets(file, axis);
    for (Hdf5Dataset& dataset : datasets) dataset.set_records(first + count);
    allot(datasets, axis, first, count);
    datasets.front().fill(first, count, std::get<double>(missing_value(ElementType::float64)));
    const auto find = [&](std::size_t i, Index record, const Region& region) {
      addresses.push_back(datasets[i].chunk_address(offset_of(record, region)));
      data.emplace(addresses.back(), axis.variables[i].chunk_bytes());
      return addresses.back();
    };
    growth = where(find, axis, first, count);
  }
  file.close();
  known_.learn(index, std::move(addresses), data);
  return growth;
}

AxisGrowth NetcdfWriter::repeat(const KnownChange& change, std::uint32_t index, Index first, Index count) {
  std::size_t asked = 0;
  const auto find = [&](std::size_t, Index, const Region&) { return change.addresses.at(asked++); };
  AxisGrowth growth = where(find, (*axes_)[index], first, count);
  const std::vector<double> missing(static_cast<std::size_t>(count),
                                    std::get<double>(missing_value(ElementType::float64)));
  known_.repeat(change, marks(growth.time_offsets, missing));
  return growth;
}

void NetcdfWriter::write_packed(Index record, std::span<const PackedRecord> variables) {
  silence_hdf5();
  known_.leave();
  std::uint64_t bytes = 0;
  for (const PackedRecord& packed : variables)
    bytes += space_for_packed(described(packed), packed.chunks, on_disk_);
  files_.reserve(path_, size_of(path_), bytes);
  // Opened once for each record, whatever came together: so the file does not depend on that.
  Hdf5File file(path_, 0, on_disk_);
  for (const PackedRecord& packed : variables) {
    const RecordVariable& variable = described(packed);
    Hdf5Dataset dataset(file, variable.name);
    for (std::size_t i = 0; i < packed.chunks.size(); ++i) {
      if (packed.chunks[i].is_repeated()) continue;
      dataset.write_chunk(offset_of(record, variable.regions[i]), packed.chunks[i].bytes,
                          packed.chunks[i].skipped_filters);
    }
  }
  file.close();
  for (const PackedRecord& packed : variables) {
    if (described(packed).is_audited) set_audit(audits_[packed.variable], record, packed);
    if (!described(packed).may_repeat) continue;
    sources_[packed.variable].take(record, packed);
  }
}

std::vector<std::uint64_t> NetcdfWriter::packed_offsets(std::uint32_t index, Index records) {
  silence_hdf5();
  const RecordVariable& variable = described(index);
  const auto repeats = sources_.find(index);
  const auto is_there = [&](Index record, std::size_t chunk) {
    return repeats == sources_.end() || repeats->second.is_own(chunk, record);
  };
  Hdf5File file(path_, 0, on_disk_);
  std::vector<std::uint64_t> offsets;
  {
    const Hdf5Dataset dataset(file, variable.name);
    for (Index record = 0; record < records; ++record) {
      for (std::size_t c = 0; c < variable.regions.size(); ++c) {
        const auto offset = offset_of(record, variable.regions[c]);
        offsets.push_back(is_there(record, c) ? dataset.chunk_address(offset) : 0);
      }
    }
  }
  file.close();
  return offsets;
}

void NetcdfWriter::remark(const std::string& name, const std::string& text) {
  silence_hdf5();
  known_.leave();
  files_.reserve(path_, size_of(path_), kSpaceToChange + text.size());
  Hdf5File file(path_, 0, on_disk_);
  file.add_text(name, text);
  file.close();
}

void NetcdfWriter::remark_on(std::uint32_t variable, const FileAttribute& attribute) {
  silence_hdf5();
  known_.leave();
  files_.reserve(path_, size_of(path_), kSpaceToChange);
  Hdf5File file(path_, 0, on_disk_);
  for (const AxisVariables& axis : *axes_) {
    const auto found = std::ranges::find(axis.indices, variable);
    if (found == axis.indices.end()) continue;
    // The time and its bounds come first.
    const std::size_t others = axis.variables.size() - axis.indices.size();
    const auto place = static_cast<std::size_t>(found - axis.indices.begin()) + others;
    file.add_number(axis.variables[place].name, attribute);
  }
  file.close();
}

void NetcdfWriter::finish(std::span<const Index> records_of_axis) {
  check(records_of_axis);
  known_.leave();
  if (!std::ranges::equal(records_of_axis, records_)) {
    give_unused_back(records_of_axis, false);
    cut(records_of_axis);
    give_unused_back(records_of_axis, true);
  }
  add_repeated();
  add_audits();
  add_parts();
  give_back_beyond_end(path_);
}

/// What fails with the disk full may be repeated, so that each variable is done once.
void NetcdfWriter::add_repeated() {
  silence_hdf5();
  while (!sources_.empty()) {
    const auto& [variable, sources] = *sources_.begin();
    files_.reserve(path_, size_of(path_), space_for_repeats(sources));
    const RecordVariable& of = described(variable);
    Hdf5File file(path_, 0, on_disk_);
    add_sources(file, of.name, sources);
    if (sources.is_any_repeated()) repeat_records(file, of.name, sources, of.regions);
    file.close();
    sources_.erase(sources_.begin());
  }
}

void NetcdfWriter::add_audits() {
  silence_hdf5();
  while (!audits_.empty()) {
    const auto& [variable, records] = *audits_.begin();
    const RecordVariable& of = described(variable);
    files_.reserve(path_, size_of(path_), space_for_audit(records.size()));
    Hdf5File file(path_, 0, on_disk_);
    for (const AuditSeries& one : audit_series(of.name, of.units, records))
      add_series(file, of.name,
                 {one.name, one.numbers, {{"long_name", one.long_name}, {"units", one.units}}});
    file.close();
    audits_.erase(audits_.begin());
  }
}

/// Variables without records stay as they are.
void NetcdfWriter::add_parts() {
  silence_hdf5();
  files_.reserve(path_, size_of(path_), space_for_parts(parts_));
  while (!parts_.variables.empty()) {
    const auto& [variable, boxes] = *parts_.variables.begin();
    Hdf5File file(path_, 0, on_disk_);
    refer_to_parts(file, described(variable).name, boxes);
    file.close();
    parts_.variables.erase(parts_.variables.begin());
  }
}

/// Allots every chunk that begins in the new records, by record, variable and place in the record. A chunk
/// that began before is others' already.
void NetcdfWriter::allot(std::vector<Hdf5Dataset>& datasets, const AxisVariables& axis, Index first,
                         Index count) {
  for (Index record = first; record < first + count; ++record) {
    for (std::size_t i = 0; i < datasets.size(); ++i) {
      const RecordVariable& variable = axis.variables[i];
      if (variable.is_packed || record % variable.shape.records != 0) continue;
      for (const Region& region : variable.regions) {
        datasets[i].touch(offset_of(record, region));
      }
    }
  }
}

AxisGrowth NetcdfWriter::where(const FindChunk& find, const AxisVariables& axis, Index first, Index count) {
  AxisGrowth growth{first, count, {}, {}, {}};
  const auto of = [&](std::size_t i) {
    const auto find_of = [&](Index record, const Region& region) { return find(i, record, region); };
    return placements(find_of, axis.variables[i], first, count);
  };
  growth.time_offsets = offsets(of(0));
  if (axis.has_bounds) growth.bounds_offsets = offsets(of(1));
  const std::size_t own = axis.has_bounds ? 2 : 1;
  for (std::size_t i = 0; i < axis.indices.size(); ++i) {
    if (axis.variables[own + i].is_packed) continue;
    growth.variables.emplace_back(axis.indices[i], of(own + i));
  }
  return growth;
}

void NetcdfWriter::note_chunks(const AxisVariables& axis, const AxisGrowth& growth,
                               std::vector<Chunk>& chunks) {
  const std::size_t own = axis.has_bounds ? 2 : 1;
  for (const auto& [index, placements] : growth.variables) {
    const auto place = std::ranges::find(axis.indices, index) - axis.indices.begin();
    const RecordVariable& variable = axis.variables[own + static_cast<std::size_t>(place)];
    for (std::size_t i = 0; i < placements.size(); ++i) {
      const Index record = growth.first_record + static_cast<Index>(i);
      if (record % variable.shape.records != 0) continue;
      const RecordPlacement placement = placements[i];
      for (const Block& block : placement.blocks)
        chunks.push_back({record, variable.shape.records, block.offset, variable.record_bytes()});
    }
  }
}

/// Chunks without records, before the library learns of the cut: afterwards it may use their space for
/// something else. And what is unused of the others, after it: with the cut it writes zeros there. So all
/// that is given back holds zeros.
void NetcdfWriter::give_unused_back(std::span<const Index> records_of_axis, bool is_cut) {
  std::vector<FileStretch> unused;
  for (std::size_t axis = 0; axis < asked_.size(); ++axis) {
    for (const Chunk& chunk : asked_[axis].chunks) {
      const Index used = std::clamp<Index>(records_of_axis[axis] - chunk.record, 0, chunk.records);
      const std::uint64_t first = chunk.offset + static_cast<std::uint64_t>(used) * chunk.record_bytes;
      const auto length = static_cast<std::size_t>(chunk.records - used) * chunk.record_bytes;
      if (length > 0 && is_cut == (used > 0)) unused.push_back({first, 0, length});
    }
  }
  std::ranges::sort(unused, {}, &FileStretch::file_offset);
  for (std::size_t i = 0; i < unused.size();) {
    const std::uint64_t first = unused[i].file_offset;
    std::uint64_t end = first;
    for (; i < unused.size() && unused[i].file_offset == end; ++i) end += unused[i].length;
    give_pages_back(first, end);
  }
}

void NetcdfWriter::give_pages_back(std::uint64_t first, std::uint64_t end) {
  constexpr std::uint64_t kPage = OnDisk::kPage;
  first = (first + kPage - 1) / kPage * kPage;
  end = end / kPage * kPage;
  if (first < end) files_.give_back(path_, first, end - first);
}

const RecordVariable& NetcdfWriter::described(const PackedRecord& packed) const {
  const RecordVariable& variable = described(packed.variable);
  if (variable.regions.size() == packed.chunks.size()) return variable;
  throw UsageError(path_ + ": a record of variable " + std::to_string(packed.variable) + " has " +
                   std::to_string(packed.chunks.size()) + " chunks, but the file expects " +
                   std::to_string(variable.regions.size()));
}

const RecordVariable& NetcdfWriter::described(std::uint32_t packed) const {
  for (const AxisVariables& axis : *axes_) {
    const auto found = std::ranges::find(axis.indices, packed);
    if (found == axis.indices.end()) continue;
    const std::size_t own = axis.has_bounds ? 2 : 1;
    const RecordVariable& variable =
        axis.variables[own + static_cast<std::size_t>(found - axis.indices.begin())];
    if (variable.is_packed) return variable;
  }
  throw UsageError(path_ + ": a record of variable " + std::to_string(packed) +
                   " is compressed, but the file expects another");
}

void NetcdfWriter::check(std::span<const Index> records_of_axis) const {
  const auto fits = [](Index wanted, Index present) { return wanted >= 0 && wanted <= present; };
  if (!std::ranges::equal(records_of_axis, records_, fits)) {
    throw UsageError(path_ + ": finish asks for records that there is no space for");
  }
}

void NetcdfWriter::cut(std::span<const Index> records_of_axis) {
  silence_hdf5();
  files_.reserve(path_, size_of(path_), kSpaceToChange);
  Hdf5File file(path_, 0, on_disk_);
  for (std::size_t i = 0; i < axes_->size(); ++i) {
    for (Hdf5Dataset& dataset : open_datasets(file, (*axes_)[i])) dataset.set_records(records_of_axis[i]);
    records_[i] = records_of_axis[i];
  }
  file.close();
}

}  // namespace pileus::netcdf
