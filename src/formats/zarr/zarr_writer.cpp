#include "formats/zarr/zarr_writer.h"
#include "disk/stripes.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "formats/audit_series.h"
#include "formats/repeated_names.h"
#include "formats/zarr/metadata.h"
#include "formats/zarr/static_arrays.h"
#include "formats/zarr/zarr_format.h"

namespace pileus::zarr {
namespace {

constexpr std::uint32_t kNoAxis = UINT32_MAX;
constexpr const char* kMetadata = "zarr.json";

[[noreturn]] void fail(const std::string& path, const std::string& what, int reason) {
  const std::string text = path + ": could not " + what + ": " + std::generic_category().message(reason);
  if (reason == ENOSPC || reason == EDQUOT) throw DiskFullError(text);
  throw OutputError(text);
}

/// Errors: DiskFullError, OutputError. What is there already stays.
void make_folder_of(const std::string& path) {
  std::error_code reason;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), reason);
  if (reason) fail(path, "make its folder", reason.value());
}

void replace_or_add(std::vector<FileAttribute>& attributes, const FileAttribute& attribute) {
  const auto found = std::ranges::find(attributes, attribute.name, &FileAttribute::name);
  if (found != attributes.end()) {
    found->value = attribute.value;
  } else {
    attributes.push_back(attribute);
  }
}

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

Index divided_up(Index value, Index by) { return (value + by - 1) / by; }

}  // namespace

ZarrWriter::ZarrWriter(FileSystem& files, std::string path, const FileDefinition& definition,
                       Index largest_packed)
    : files_(files), path_(std::move(path)), attributes_(definition.attributes), levels_(definition.levels) {
  define(definition, largest_packed);
  std::vector<std::string> names;
  for (const Array& array : arrays_) names.push_back(array.name);
  table_name_ = (names.empty() ? "" : *std::ranges::min_element(names) + "/") + std::string(folders::kTable);
  make_folder_of(below(table_name_));
  files_.write_whole(below(table_name_), {});
  write_table(0);
}

/// The arrays of the store, and the chunks of those without records.
void ZarrWriter::define(const FileDefinition& definition, Index largest_packed) {
  arrays_ =
      write_static_arrays(definition, [&](const std::string& name, auto bytes) { put_whole(name, bytes); });
  axis_of_.assign(arrays_.size(), kNoAxis);
  const auto add = [&](Array array, std::uint32_t axis) {
    arrays_.push_back(std::move(array));
    axis_of_.push_back(axis);
  };
  for (std::uint32_t a = 0; a < definition.axes.size(); ++a) {
    const TimeAxis& axis = definition.axes[a];
    if (!axis.is_written) throw UsageError("a store of Zarr has all its axes");
    axes_.push_back({records_of_zarr_shard(definition, a), 0, {}, {}});
    for (Array& array : arrays_of_axis(axis, path_of(definition, axis.name), axes_.back().shard_records)) {
      axes_.back().times.push_back(arrays_.size());
      add(std::move(array), a);
    }
  }
  find_copies(definition);
  first_variable_ = arrays_.size();
  for (std::uint32_t v = 0; v < definition.variables.size(); ++v) {
    const FileVariable& one = definition.variables[v];
    Axis& axis = axes_.at(one.axis);
    if (one.type == ElementType::character)
      throw UsageError("the variable " + one.name + ": records of texts have no place in a store of Zarr");
    add(record_array(path_of(definition, one.name), one.type, definition.axes[one.axis].name,
                     names_of(definition, one.dimensions), extents_of(definition, one.dimensions),
                     axis.shard_records, one.compression, largest_packed),
        one.axis);
    arrays_.back().attributes = with_type(one.type, one.attributes);
    arrays_.back().fill_value = one.fill_value;
    axis.variables.push_back(v);
  }
  filling_.resize(definition.variables.size());
  for (const FileVariable& one : definition.variables) {
    variables_may_repeat_.push_back(one.may_repeat);
    variables_are_audited_.push_back(one.is_audited);
  }
  for (const TimeAxis& axis : definition.axes) names_of_axes_.push_back(axis.name);
}

/// The times of the axes that groups of coarser levels have variables on.
void ZarrWriter::find_copies(const FileDefinition& definition) {
  std::set<std::pair<std::string, std::uint32_t>> known;
  for (const FileVariable& one : definition.variables) {
    const std::size_t slash = one.name.find('/');
    if (slash == one.name.npos || !known.insert({one.name.substr(0, slash), one.axis}).second) continue;
    for (const std::size_t time : axes_.at(one.axis).times) {
      Array copy = arrays_[time];
      copy.name = one.name.substr(0, slash + 1) + name_in_group(copy.name);
      copies_.push_back({std::move(copy), time});
    }
  }
}

/// Writes a file and notes it; the table is written later.
void ZarrWriter::put_whole(const std::string& name, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  make_file(name, bytes.size());
  files_.open_parts(below(name))->write_at(0, bytes);
  table_.add(name, 0, bytes.size());
}

/// One that is there keeps what it has: a disk that was full is tried again.
void ZarrWriter::make_file(const std::string& name, std::uint64_t length) {
  const std::string path = below(name);
  make_folder_of(path);
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) fail(path, "create it", errno);
  const int error = ::ftruncate(file, static_cast<off_t>(length)) == 0 ? 0 : errno;
  ::close(file);
  if (error != 0) fail(path, "give it its length", error);
  files_.reserve(path, 0, length);
}

/// Adds the pieces from there on to the table on the disk. Where it fails there are none of them.
void ZarrWriter::write_table(std::size_t first_piece) {
  if (first_piece == table_.pieces().size()) return;
  try {
    const std::string text = table_.text(first_piece);
    files_.reserve(below(table_name_), table_bytes_, text.size());
    files_.open_parts(below(table_name_))->write_at(table_bytes_, bytes_of(text));
    table_bytes_ += text.size();
  } catch (...) {
    table_.drop_from(first_piece);
    throw;
  }
}

void ZarrWriter::make_shards(const Axis& axis, Index shard) {
  for (const std::size_t a : axis.times) make_file(arrays_[a].shard_name(shard), arrays_[a].shard_bytes());
  for (const std::uint32_t v : axis.variables) {
    const Array& array = array_of(v);
    if (!array.compression.is_packed()) make_file(array.shard_name(shard), array.shard_bytes());
  }
}

AxisGrowth ZarrWriter::grow(std::uint32_t index) {
  Axis& axis = axes_.at(index);
  const Index shard = axis.space / axis.shard_records;
  const std::size_t first_piece = table_.pieces().size();
  make_shards(axis, shard);
  const auto make = [&](const Array& array) {
    return table_.add(array.shard_name(shard), 0, array.shard_bytes());
  };
  const auto place_of = [&](const Array& array, std::uint64_t first, Index record, std::size_t chunk) {
    const auto place =
        static_cast<std::size_t>(record / array.chunk_records) * array.chunks_of_record() + chunk;
    const std::uint64_t record_bytes = array.chunk_bytes() / static_cast<std::uint64_t>(array.chunk_records);
    return first + array.index_bytes() + place * array.chunk_bytes() +
           static_cast<std::uint64_t>(record % array.chunk_records) * record_bytes;
  };
  AxisGrowth growth{axis.space, axis.shard_records, {}, {}, {}};
  for (std::size_t t = 0; t < axis.times.size(); ++t) {
    const Array& array = arrays_[axis.times[t]];
    const std::uint64_t first = make(array);
    auto& offsets = t == 0 ? growth.time_offsets : growth.bounds_offsets;
    for (Index r = 0; r < axis.shard_records; ++r) offsets.push_back(place_of(array, first, r, 0));
  }
  for (const std::uint32_t v : axis.variables) {
    const Array& array = array_of(v);
    if (array.compression.is_packed()) continue;
    const std::uint64_t first = make(array);
    const std::vector<Region> regions = array.regions();
    RecordPlacements records;
    for (Index r = 0; r < axis.shard_records; ++r) {
      RecordPlacement record;
      for (std::size_t c = 0; c < regions.size(); ++c)
        record.blocks.push_back({place_of(array, first, r, c), regions[c]});
      records.push_back(record);
    }
    growth.variables.emplace_back(v, std::move(records));
  }
  write_table(first_piece);
  axis.space += axis.shard_records;
  return growth;
}

/// What is noted before the disk has all of it is noted again where that is tried again.
void ZarrWriter::write_packed(Index record, std::span<const PackedRecord> variables) {
  for (const PackedRecord& packed : variables) append(record, packed);
  const std::size_t first_piece = table_.pieces().size();
  std::vector<std::uint64_t> places;
  for (const PackedRecord& packed : variables) {
    const Array& array = array_of(packed.variable);
    const Filling& filling = filling_[packed.variable];
    const std::string name = array.shard_name(record / array.shard_records);
    const std::uint64_t first = filling.first_of(record, array), length = filling.appended - first;
    places.push_back(length > 0 ? table_.add(name, first, length) : table_.end());
    if ((record + 1) % array.shard_records == 0) table_.add(name, filling.appended, array.index_bytes());
  }
  write_table(first_piece);
  for (std::size_t i = 0; i < variables.size(); ++i) {
    Filling& filling = filling_[variables[i].variable];
    filling.length = filling.appended;
    const bool is_late = record < std::ssize(filling.records);
    if (is_late) {
      filling.records.back() = places[i];
    } else {
      filling.records.push_back(places[i]);
    }
    if (variables_are_audited_[variables[i].variable]) set_audit(filling.audits, record, variables[i]);
    if (!variables_may_repeat_[variables[i].variable]) continue;
    filling.sources.take(record, variables[i]);
  }
}

/// Writes the chunks of a record behind those of the records before, and the index behind the last ones.
void ZarrWriter::append(Index record, const PackedRecord& packed) {
  const Array& array = array_of(packed.variable);
  Filling& filling = filling_[packed.variable];
  const Index in_shard = record % array.shard_records;
  const bool is_late = record < std::ssize(filling.records);
  if (in_shard == 0 && !is_late) filling.chunks.assign(array.chunks_of_shard(), {});
  const std::uint64_t first = filling.first_of(record, array);
  filling.appended = first;
  std::size_t chunk = static_cast<std::size_t>(in_shard) * array.chunks_of_record();
  std::vector<std::span<const std::byte>> pieces;
  for (const PackedChunk& one : packed.chunks) {
    if (one.is_repeated() && is_late) {  // it stays what it is
      ++chunk;
      continue;
    }
    if (one.is_repeated()) {
      if (in_shard == 0) throw UsageError(array.name + ": the first record of a shard stands for another");
      filling.chunks.at(chunk) = filling.chunks.at(chunk - array.chunks_of_record());
      ++chunk;
      continue;
    }
    filling.chunks.at(chunk++) = {filling.appended, one.bytes.size()};
    filling.appended += one.bytes.size();
    pieces.emplace_back(one.bytes);
  }
  const std::vector<std::byte> index =
      in_shard + 1 == array.shard_records ? encoded_index(filling.chunks) : std::vector<std::byte>();
  if (!index.empty()) pieces.emplace_back(index);
  const std::string name = array.shard_name(record / array.shard_records);
  make_file(name, filling.appended + index.size());
  files_.open_parts(below(name))->write_pieces_at(first, pieces);
}

std::vector<ChunkPlace> ZarrWriter::chunks_of(const Array& array, const Filling& filling, Index shard) {
  if (shard == (std::ssize(filling.records) - 1) / array.shard_records) return filling.chunks;
  const auto source = files_.open_source(below(array.shard_name(shard)));
  std::vector<std::byte> bytes(array.index_bytes());
  source->read_at(source->size_bytes() - bytes.size(), bytes);
  return decoded_index(bytes);
}

std::vector<std::uint64_t> ZarrWriter::packed_offsets(std::uint32_t variable, Index records) {
  const Array& array = array_of(variable);
  const Filling& filling = filling_[variable];
  std::vector<std::uint64_t> offsets;
  std::vector<ChunkPlace> chunks;
  for (Index record = 0; record < records; ++record) {
    const Index in_shard = record % array.shard_records;
    if (in_shard == 0) chunks = chunks_of(array, filling, record / array.shard_records);
    const std::size_t first = static_cast<std::size_t>(in_shard) * array.chunks_of_record();
    const auto is_own = [&](std::size_t c) {
      return filling.sources.is_empty() || filling.sources.is_own(c, record);
    };
    std::size_t begin = 0;
    while (begin + 1 < array.chunks_of_record() && !is_own(begin)) ++begin;
    for (std::size_t c = 0; c < array.chunks_of_record(); ++c) {
      const std::uint64_t within = chunks[first + c].offset - chunks[first + begin].offset;
      offsets.push_back(is_own(c) ? filling.records.at(static_cast<std::size_t>(record)) + within : 0);
    }
  }
  return offsets;
}

void ZarrWriter::remark(const std::string& name, const std::string& text) {
  replace_or_add(attributes_, {name, text});
}

void ZarrWriter::remark_on(std::uint32_t variable, const FileAttribute& attribute) {
  replace_or_add(arrays_[first_variable_ + variable].attributes, attribute);
}

/// Of the shards that are not compressed: how long they are, and their index.
void ZarrWriter::cut_shards(const Array& array, Index space, Index records, Lengths& lengths) {
  for (Index first = 0; first < space; first += array.shard_records) {
    const Index there = std::clamp<Index>(records - first, 0, array.shard_records);
    const std::string name = array.shard_name(first / array.shard_records), path = below(name);
    if (there == 0) {
      lengths[name] = 0;
      files_.remove(path);
      continue;
    }
    const auto chunks =
        static_cast<std::uint64_t>(divided_up(there, array.chunk_records)) * array.chunks_of_record();
    const std::uint64_t length = array.index_bytes() + chunks * array.chunk_bytes();
    lengths[name] = length;
    std::error_code reason;
    std::filesystem::resize_file(path, length, reason);
    if (reason) fail(path, "cut it", reason.value());
    if (!array.is_sharded()) continue;
    std::vector<ChunkPlace> places(array.chunks_of_shard());
    for (std::size_t c = 0; c < chunks; ++c)
      places[c] = {array.index_bytes() + c * array.chunk_bytes(), array.chunk_bytes()};
    files_.open_parts(path)->write_at(0, encoded_index(places));
  }
}

/// The index of the last shard, which has fewer records than there would be space for.
void ZarrWriter::end_packed(const Array& array, const Filling& filling, Index records) {
  if (records % array.shard_records == 0 || filling.records.empty()) return;
  const std::string name = array.shard_name(records / array.shard_records);
  const std::vector<std::byte> bytes = encoded_index(filling.chunks);
  make_file(name, filling.length + bytes.size());
  files_.open_parts(below(name))->write_at(filling.length, bytes);
  table_.add(name, filling.length, bytes.size());
}

void ZarrWriter::finish(std::span<const Index> records_of_axis) {
  for (std::uint32_t v = 0; v < filling_.size(); ++v) {
    const std::uint32_t axis = axis_of_[first_variable_ + v];
    const Index records = std::ssize(filling_[v].records);
    // Where only the layout is asked for there is none.
    if (array_of(v).compression.is_packed() && records > 0 && records != records_of_axis[axis])
      throw UsageError("the variable " + array_of(v).name + " has another number of records than its axis");
  }
  const folders::FolderTable before = table_;
  Lengths lengths;
  try {
    for (std::size_t a = 0; a < arrays_.size(); ++a) {
      if (axis_of_[a] == kNoAxis) continue;
      const Index records = records_of_axis[axis_of_[a]];
      if (arrays_[a].compression.is_packed()) {
        end_packed(arrays_[a], filling_[a - first_variable_], records);
      } else {
        cut_shards(arrays_[a], axes_[axis_of_[a]].space, records, lengths);
      }
    }
    table_.cut(lengths);
    copy_times(records_of_axis);
    write_metadata(records_of_axis);
    // Whenever the process is killed, there is one of the two.
    files_.write_whole(below(table_name_) + ".new", bytes_of(table_.text()));
    files_.publish(below(table_name_) + ".new", below(table_name_), true);
  } catch (...) {
    table_ = before;
    throw;
  }
}

/// Readers of a group look for its times there, and these are known to be whole at the end alone.
void ZarrWriter::copy_times(std::span<const Index> records_of_axis) {
  for (const auto& [copy, from] : copies_) {
    const Array& times = arrays_[from];
    for (Index first = 0; first < records_of_axis[axis_of_[from]]; first += times.shard_records) {
      const Index shard = first / times.shard_records;
      put_whole(copy.shard_name(shard), files_.read_whole(below(times.shard_name(shard))));
    }
  }
}

/// That of the store comes last: it makes it one.
void ZarrWriter::write_metadata(std::span<const Index> records_of_axis) {
  std::vector<Array> arrays = arrays_;
  std::vector<Index> records;
  for (const std::uint32_t axis : axis_of_) records.push_back(axis == kNoAxis ? 0 : records_of_axis[axis]);
  for (const auto& [copy, from] : copies_) {
    arrays.push_back(copy);
    records.push_back(records[from]);
  }
  add_sources(arrays);
  add_audits(arrays);
  records.resize(arrays.size(), 0);
  for (std::size_t a = 0; a < arrays.size(); ++a) {
    const std::string name = arrays[a].name + "/" + kMetadata;
    make_folder_of(below(name));
    put_whole(name, bytes_of(text_of_array(arrays[a], records[a])));
  }
  for (int level = 0; level < levels_.count && levels_.count > 1; ++level) {
    put_whole(std::to_string(level) + "/" + kMetadata,
              bytes_of(text_of_level(attributes_, arrays, records, levels_, level)));
  }
  put_whole(kMetadata, bytes_of(text_of_group(attributes_, arrays, records, levels_)));
}

/// Of each variable that may repeat records, what readers see of it.
void ZarrWriter::add_sources(std::vector<Array>& arrays) {
  for (std::uint32_t v = 0; v < filling_.size(); ++v) {
    const RepeatedChunks& repeated = filling_[v].sources;
    if (repeated.is_empty()) continue;
    const std::vector<Index> sources = repeated.oldest();
    const std::vector<std::int32_t> numbers(sources.begin(), sources.end());
    const std::string& of = array_of(v).name;
    Array array = static_array(source_record_name(of), ElementType::int32,
                               {names_of_axes_[axis_of_[first_variable_ + v]]}, {std::ssize(sources)});
    array.chunk = array.extents;
    array.attributes = {{"long_name", source_record_help(of, repeated.are_apart())}};
    put_whole(array.name + "/c/0", std::as_bytes(std::span(numbers)));
    arrays.push_back(std::move(array));
  }
}

void ZarrWriter::add_audits(std::vector<Array>& arrays) {
  for (std::uint32_t v = 0; v < filling_.size(); ++v) {
    const std::vector<Audit>& records = filling_[v].audits;
    if (records.empty()) continue;
    for (const AuditSeries& one : audit_series(array_of(v).name, units_of(array_of(v).attributes), records)) {
      Array array = static_array(one.name, ElementType::float64,
                                 {names_of_axes_[axis_of_[first_variable_ + v]]}, {std::ssize(records)});
      array.chunk = array.extents;
      array.attributes = {{"long_name", one.long_name}};
      if (!one.units.empty()) array.attributes.push_back({"units", one.units});
      put_whole(array.name + "/c/0", std::as_bytes(std::span(one.numbers)));
      arrays.push_back(std::move(array));
    }
  }
}

}  // namespace pileus::zarr

namespace pileus {

Index records_of_zarr_shard(const FileDefinition& definition, std::uint32_t a) {
  std::vector<std::uint64_t> bytes;
  for (const FileVariable& variable : definition.variables) {
    if (variable.axis != a) continue;
    const Region whole{{}, zarr::extents_of(definition, variable.dimensions)};
    bytes.push_back(static_cast<std::uint64_t>(whole.size()) * size_bytes(variable.type));
  }
  return zarr::records_of_shard(bytes, definition.axes.at(a).block_records);
}

std::unique_ptr<FileWriter> create_zarr(FileSystem& files, const std::string& path,
                                        const FileDefinition& definition, Index largest_packed_bytes) {
  if (files.exists(path)) throw OutputError(path + ": could not create it: it exists already");
  files.make_directory(path);
  set_stripes(path, definition.on_disk);
  try {
    return std::make_unique<zarr::ZarrWriter>(files, path, definition, largest_packed_bytes);
  } catch (const DiskFullError& error) {
    files.remove_directory(path);
    throw DiskFullError(error.what());  // all of it can be done again
  } catch (...) {
    files.remove_directory(path);
    throw;
  }
}

}  // namespace pileus
