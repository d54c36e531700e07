#include "output/netcdf/netcdf_format.h"

#include <fcntl.h>
#include <hdf5.h>
#include <netcdf.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <vector>

#include "core/error.h"
#include "output/netcdf/define.h"
#include "output/netcdf/hdf5_file.h"
#include "output/netcdf/pack.h"
#include "output/netcdf/room.h"

namespace pileus {
namespace {

using namespace netcdf;

/// Learning where a chunk lies costs a walk over all chunks of its variable, so room is made for so many at a
/// time.
constexpr Index kChunksPerGrowth = 4096;

/// What a change without new data may take: the library rewrites the descriptions of what it changes.
constexpr std::uint64_t kRoomToChange = 65536;

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

/// Where the records [first, first + count) of a variable lie.
std::vector<RecordPlacement> placements(const Hdf5Dataset& dataset, const RecordVariable& variable,
                                        Index first, Index count) {
  const std::uint64_t record_bytes = variable.record_bytes();
  std::vector<RecordPlacement> out;
  out.reserve(static_cast<std::size_t>(count));
  for (Index record = first; record < first + count; ++record) {
    const Index in_chunk = record % variable.shape.records;
    if (!out.empty() && in_chunk > 0) {
      // Only small records share a chunk; they are one block each.
      out.push_back({{{out.back().blocks.front().offset + record_bytes, variable.regions.front()}}});
      continue;
    }
    RecordPlacement placement;
    for (const Region& region : variable.regions) {
      const std::uint64_t address = dataset.chunk_address(offset_of(record - in_chunk, region));
      placement.blocks.push_back({address + static_cast<std::uint64_t>(in_chunk) * record_bytes, region});
    }
    out.push_back(std::move(placement));
  }
  return out;
}

std::vector<std::uint64_t> offsets(const std::vector<RecordPlacement>& placements) {
  std::vector<std::uint64_t> out;
  for (const RecordPlacement& placement : placements) out.push_back(placement.blocks.front().offset);
  return out;
}

[[noreturn]] void fail(const std::string& path, const std::string& what, const std::error_code& reason) {
  const std::string text = path + ": could not " + what + ": " + reason.message();
  if (reason.value() == ENOSPC || reason.value() == EDQUOT) throw DiskFullError(text);
  throw OutputError(text);
}

std::uint64_t size_of(const std::string& path) {
  std::error_code reason;
  const std::uint64_t size = std::filesystem::file_size(path, reason);
  if (reason) fail(path, "open it", reason);
  return size;
}

/// What was reserved and not used.
void give_back_beyond_end(const std::string& path) {
  std::error_code reason;
  std::filesystem::resize_file(path, size_of(path), reason);
  if (reason) fail(path, "cut it", reason);
}

/// The system says better than the library why a file cannot be made.
void make_empty_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) fail(path, "create it", {errno, std::generic_category()});
  ::close(file);
}

class NetcdfWriter : public FileWriter {
 public:
  NetcdfWriter(std::string path, std::vector<AxisVariables> axes, FileSystem& files)
      : path_(std::move(path)), files_(files), axes_(std::move(axes)), records_(axes_.size(), 0) {
    asked_.resize(axes_.size());
  }

  AxisGrowth grow(std::uint32_t index) override {
    silence_hdf5();
    const AxisVariables& axis = axes_.at(index);
    Asked& asked = asked_[index];
    if (records_[index] >= asked.room) {
      // Chunks that end before are full.
      std::erase_if(asked.chunks,
                    [&](const Chunk& chunk) { return chunk.record + chunk.records <= asked.room; });
      asked.room += records_to_add(asked.room, axis.first_records, axis.block_records);
    }
    const Index first = records_[index];
    const Index count = std::min(asked.room - first, most_records_of_growth(axis));
    const Room room = room_for(axis, first, count);
    files_.reserve(path_, size_of(path_), room.total_bytes);
    AxisGrowth growth;
    Hdf5File file(path_, room.metadata_bytes);
    {
      std::vector<Hdf5Dataset> datasets = open_datasets(file, axis);
      for (Hdf5Dataset& dataset : datasets) dataset.set_records(first + count);
      allot(datasets, axis, first, count);
      datasets.front().fill(first, count, std::get<double>(missing_value(ElementType::float64)));
      growth = where(datasets, axis, first, count);
    }
    file.close();
    records_[index] = first + count;
    note_chunks(axis, growth, asked.chunks);
    return growth;
  }

  void write_packed(Index record, std::span<const PackedRecord> variables) override {
    silence_hdf5();
    std::uint64_t bytes = 0;
    for (const PackedRecord& packed : variables) bytes += room_for_packed(described(packed), packed.chunks);
    files_.reserve(path_, size_of(path_), bytes);
    // Opened once for each record, whatever came together: so the file does not depend on that.
    Hdf5File file(path_, 0);
    for (const PackedRecord& packed : variables) {
      const RecordVariable& variable = described(packed);
      Hdf5Dataset dataset(file, variable.name);
      for (std::size_t i = 0; i < packed.chunks.size(); ++i) {
        dataset.write_chunk(offset_of(record, variable.regions[i]), packed.chunks[i].bytes,
                            packed.chunks[i].skipped_filters);
      }
    }
    file.close();
  }

  std::vector<std::uint64_t> packed_offsets(std::uint32_t index, Index records) override {
    silence_hdf5();
    const RecordVariable& variable = described(index);
    Hdf5File file(path_, 0);
    std::vector<std::uint64_t> offsets;
    {
      const Hdf5Dataset dataset(file, variable.name);
      for (Index record = 0; record < records; ++record) {
        for (const Region& region : variable.regions) {
          offsets.push_back(dataset.chunk_address(offset_of(record, region)));
        }
      }
    }
    file.close();
    return offsets;
  }

  void remark(const std::string& name, const std::string& text) override {
    silence_hdf5();
    files_.reserve(path_, size_of(path_), kRoomToChange + text.size());
    Hdf5File file(path_, 0);
    file.add_text(name, text);
    file.close();
  }

  void finish(std::span<const Index> records_of_axis) override {
    check(records_of_axis);
    if (!std::ranges::equal(records_of_axis, records_)) {
      give_unused_back(records_of_axis, false);
      cut(records_of_axis);
      give_unused_back(records_of_axis, true);
    }
    give_back_beyond_end(path_);
  }

 private:
  /// A chunk, or a piece of a record that is cut into several.
  struct Chunk {
    Index record = 0, records = 1;  ///< the first, and how many
    std::uint64_t offset = 0, record_bytes = 0;
  };
  /// What the last growth was for, which may have come in several pieces.
  struct Asked {
    Index room = 0;             ///< records
    std::vector<Chunk> chunks;  ///< that hold records of it
  };

  static Index most_records_of_growth(const AxisVariables& axis) {
    Index chunks = 1;
    for (const RecordVariable& variable : axis.variables) {
      if (!variable.is_packed) chunks = std::max(chunks, std::ssize(variable.regions));
    }
    return std::max<Index>(1, kChunksPerGrowth / chunks);
  }

  /// Allots every chunk that begins in the new records, by record, variable and place in the record. A chunk
  /// that began before is others' already.
  static void allot(std::vector<Hdf5Dataset>& datasets, const AxisVariables& axis, Index first, Index count) {
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

  static AxisGrowth where(const std::vector<Hdf5Dataset>& datasets, const AxisVariables& axis, Index first,
                          Index count) {
    AxisGrowth growth{first, count, {}, {}, {}};
    const auto of = [&](std::size_t i) { return placements(datasets[i], axis.variables[i], first, count); };
    growth.time_offsets = offsets(of(0));
    if (axis.has_bounds) growth.bounds_offsets = offsets(of(1));
    const std::size_t own = axis.has_bounds ? 2 : 1;
    for (std::size_t i = 0; i < axis.indices.size(); ++i) {
      if (axis.variables[own + i].is_packed) continue;
      growth.variables.emplace_back(axis.indices[i], of(own + i));
    }
    return growth;
  }

  static void note_chunks(const AxisVariables& axis, const AxisGrowth& growth, std::vector<Chunk>& chunks) {
    const std::size_t own = axis.has_bounds ? 2 : 1;
    for (const auto& [index, placements] : growth.variables) {
      const auto place = std::ranges::find(axis.indices, index) - axis.indices.begin();
      const RecordVariable& variable = axis.variables[own + static_cast<std::size_t>(place)];
      for (std::size_t i = 0; i < placements.size(); ++i) {
        const Index record = growth.first_record + static_cast<Index>(i);
        if (record % variable.shape.records != 0) continue;
        for (const Block& block : placements[i].blocks)
          chunks.push_back({record, variable.shape.records, block.offset, variable.record_bytes()});
      }
    }
  }

  /// Chunks without records, before the library learns of the cut: afterwards it may use their room for
  /// something else. And what is unused of the others, after it: with the cut it writes zeros there. So all
  /// that is given back holds zeros.
  void give_unused_back(std::span<const Index> records_of_axis, bool is_cut) {
    std::vector<FileRun> unused;
    for (std::size_t axis = 0; axis < asked_.size(); ++axis) {
      for (const Chunk& chunk : asked_[axis].chunks) {
        const Index used = std::clamp<Index>(records_of_axis[axis] - chunk.record, 0, chunk.records);
        const std::uint64_t first = chunk.offset + static_cast<std::uint64_t>(used) * chunk.record_bytes;
        const auto length = static_cast<std::size_t>(chunk.records - used) * chunk.record_bytes;
        if (length > 0 && is_cut == (used > 0)) unused.push_back({first, 0, length});
      }
    }
    std::ranges::sort(unused, {}, &FileRun::file_offset);
    for (std::size_t i = 0; i < unused.size();) {
      const std::uint64_t first = unused[i].file_offset;
      std::uint64_t end = first;
      for (; i < unused.size() && unused[i].file_offset == end; ++i) end += unused[i].length;
      give_pages_back(first, end);
    }
  }

  void give_pages_back(std::uint64_t first, std::uint64_t end) {
    first = (first + kAlignment - 1) / kAlignment * kAlignment;
    end = end / kAlignment * kAlignment;
    if (first < end) files_.give_back(path_, first, end - first);
  }

  const RecordVariable& described(const PackedRecord& packed) const {
    const RecordVariable& variable = described(packed.variable);
    if (variable.regions.size() == packed.chunks.size()) return variable;
    throw UsageError(path_ + ": a record of variable " + std::to_string(packed.variable) + " has " +
                     std::to_string(packed.chunks.size()) + " chunks, but the file expects " +
                     std::to_string(variable.regions.size()));
  }

  const RecordVariable& described(std::uint32_t packed) const {
    for (const AxisVariables& axis : axes_) {
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

  void check(std::span<const Index> records_of_axis) const {
    const auto fits = [](Index wanted, Index present) { return wanted >= 0 && wanted <= present; };
    if (!std::ranges::equal(records_of_axis, records_, fits)) {
      throw UsageError(path_ + ": finish asks for records that there is no room for");
    }
  }

  void cut(std::span<const Index> records_of_axis) {
    silence_hdf5();
    files_.reserve(path_, size_of(path_), kRoomToChange);
    Hdf5File file(path_, 0);
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      for (Hdf5Dataset& dataset : open_datasets(file, axes_[i])) dataset.set_records(records_of_axis[i]);
      records_[i] = records_of_axis[i];
    }
    file.close();
  }

  std::string path_;
  FileSystem& files_;
  std::vector<AxisVariables> axes_;
  std::vector<Index> records_;  ///< of each axis
  std::vector<Asked> asked_;    ///< likewise
};

class NetcdfFormat : public FileFormat {
 public:
  NetcdfFormat(FileSystem& files, Index largest_packed) : files_(files), largest_packed_(largest_packed) {}

  std::unique_ptr<FileWriter> create(const std::string& path, const FileDefinition& definition) override {
    silence_hdf5();
    check_definition(definition);
    make_empty_file(path);
    try {
      // The library truncates the file, so this only asks whether the disk is full.
      files_.reserve(path, 0, room_for(definition));
      auto axes = define(path, definition, largest_packed_, files_);
      give_back_beyond_end(path);
      return std::make_unique<NetcdfWriter>(path, std::move(axes), files_);
    } catch (const DiskFullError& error) {
      ::unlink(path.c_str());
      throw DiskFullError(error.what());  // all of it can be done again
    } catch (...) {
      ::unlink(path.c_str());
      throw;
    }
  }

  std::vector<Region> packed_regions(const std::vector<Index>& extents, ElementType type) const override {
    return chunk_regions(extents, packed_shape(extents, size_bytes(type), largest_packed_));
  }
  PackedChunk pack(std::span<const std::byte> chunk, ElementType type,
                   const Compression& compression) const override {
    return netcdf::pack(chunk, size_bytes(type), compression);
  }

  std::string_view extension() const override { return ".nc"; }

 private:
  FileSystem& files_;
  Index largest_packed_;  ///< bytes
};

}  // namespace

std::vector<std::string> file_library_versions() {
  const std::string netcdf = nc_inq_libvers();
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  const std::string hdf5 =
      std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release);
  return {"netCDF: " + netcdf.substr(0, netcdf.find(' ')), "HDF5: " + hdf5};
}

std::array<const void*, 2> file_library_addresses() {
  return {reinterpret_cast<const void*>(&nc_create), reinterpret_cast<const void*>(&H5open)};
}

std::unique_ptr<FileFormat> netcdf_format(FileSystem& files, Index largest_packed_bytes) {
  return std::make_unique<NetcdfFormat>(files, largest_packed_bytes);
}

}  // namespace pileus
