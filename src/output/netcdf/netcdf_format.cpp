#include "output/netcdf/netcdf_format.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <vector>

#include "core/error.h"
#include "output/netcdf/define.h"
#include "output/netcdf/hdf5_file.h"

namespace pileus {
namespace {

using namespace netcdf;

/// Learning where a chunk lies costs a walk over all chunks of its variable, so room is made for so many at a
/// time.
constexpr Index kChunksPerGrowth = 4096;

std::vector<hsize_t> offset_of(Index record, const Region& region) {
  std::vector<hsize_t> offset = {static_cast<hsize_t>(record)};
  offset.insert(offset.end(), region.start.rbegin(), region.start.rend());
  return offset;
}

/// The variables of an axis while the file is open.
std::vector<Hdf5Dataset> open_datasets(const Hdf5File& file, const AxisVariables& axis) {
  std::vector<Hdf5Dataset> datasets;
  datasets.reserve(axis.variables.size());
  for (const RecordVariable& variable : axis.variables) datasets.emplace_back(file, variable.name);
  return datasets;
}

/// Where the records [first, first + count) of a variable lie. Records that share a chunk are as large as
/// each other.
std::vector<RecordPlacement> placements(const Hdf5Dataset& dataset, const RecordVariable& variable,
                                        std::size_t element_size, Index first, Index count) {
  const std::vector<Region> regions = chunk_regions(variable.extents, variable.shape);
  const std::uint64_t record_bytes = static_cast<std::uint64_t>(regions.front().size()) * element_size;
  std::vector<RecordPlacement> out;
  for (Index record = first; record < first + count; ++record) {
    const Index in_chunk = record % variable.shape.records;
    if (!out.empty() && in_chunk > 0) {
      out.push_back({{{out.back().blocks.front().offset + record_bytes, regions.front()}}});
      continue;
    }
    RecordPlacement placement;
    for (const Region& region : regions) {
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

class NetcdfWriter : public FileWriter {
 public:
  NetcdfWriter(std::string path, const FileDefinition& definition, FileSystem& files)
      : path_(std::move(path)), files_(files), axes_(define(path_, definition)), records_(axes_.size(), 0) {
    for (const FileVariable& variable : definition.variables)
      element_sizes_.push_back(size_bytes(variable.type));
  }

  AxisGrowth grow(std::uint32_t index) override {
    silence_hdf5();
    const AxisVariables& axis = axes_.at(index);
    const Index first = records_[index], count = records_of_growth(axis);
    AxisGrowth growth;
    Hdf5File file(path_);
    {
      std::vector<Hdf5Dataset> datasets = open_datasets(file, axis);
      for (Hdf5Dataset& dataset : datasets) dataset.set_records(first + count);
      allot(datasets, axis, first, count);
      datasets.front().fill(first, count, std::get<double>(missing_value(ElementType::float64)));
      growth = where(datasets, axis, first, count);
    }
    file.close();
    reserved_ = files_.reserve(path_, reserved_);
    records_[index] = first + count;
    return growth;
  }

  void finish(std::span<const Index> records_of_axis) override {
    check(records_of_axis);
    if (!std::ranges::equal(records_of_axis, records_)) cut(records_of_axis);
    files_.open_parts(path_)->sync();
  }

 private:
  static Index records_of_growth(const AxisVariables& axis) {
    Index chunks = 1;
    for (const RecordVariable& variable : axis.variables) {
      chunks = std::max(chunks, std::ssize(chunk_regions(variable.extents, variable.shape)));
    }
    return std::min(axis.block_records, std::max<Index>(1, kChunksPerGrowth / chunks));
  }

  /// Allots every chunk that begins in the new records, by record, variable and place in the record. A chunk
  /// that began before is others' already.
  static void allot(std::vector<Hdf5Dataset>& datasets, const AxisVariables& axis, Index first, Index count) {
    for (Index record = first; record < first + count; ++record) {
      for (std::size_t i = 0; i < datasets.size(); ++i) {
        const RecordVariable& variable = axis.variables[i];
        if (record % variable.shape.records != 0) continue;
        for (const Region& region : chunk_regions(variable.extents, variable.shape)) {
          datasets[i].touch(offset_of(record, region));
        }
      }
    }
  }

  AxisGrowth where(const std::vector<Hdf5Dataset>& datasets, const AxisVariables& axis, Index first,
                   Index count) const {
    AxisGrowth growth{first, count, {}, {}, {}};
    const auto of = [&](std::size_t i, std::size_t element_size) {
      return placements(datasets[i], axis.variables[i], element_size, first, count);
    };
    growth.time_offsets = offsets(of(0, sizeof(double)));
    if (axis.has_bounds) growth.bounds_offsets = offsets(of(1, sizeof(double)));
    const std::size_t own = axis.has_bounds ? 2 : 1;
    for (std::size_t i = 0; i < axis.indices.size(); ++i) {
      growth.variables.emplace_back(axis.indices[i], of(own + i, element_sizes_[axis.indices[i]]));
    }
    return growth;
  }

  void check(std::span<const Index> records_of_axis) const {
    const auto fits = [](Index wanted, Index present) { return wanted >= 0 && wanted <= present; };
    if (!std::ranges::equal(records_of_axis, records_, fits)) {
      throw UsageError(path_ + ": finish asks for records that there is no room for");
    }
  }

  void cut(std::span<const Index> records_of_axis) {
    silence_hdf5();
    Hdf5File file(path_);
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
  std::uint64_t reserved_ = 0;  ///< bytes; reserving them again would cost seconds a GiB on tmpfs
  std::vector<std::size_t> element_sizes_;
};

/// The system says better than the library why a file cannot be made.
void make_empty_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) throw OutputError(path + ": could not create it: " + std::generic_category().message(errno));
  ::close(file);
}

class NetcdfFormat : public FileFormat {
 public:
  explicit NetcdfFormat(FileSystem& files) : files_(files) {}

  std::unique_ptr<FileWriter> create(const std::string& path, const FileDefinition& definition) override {
    silence_hdf5();
    check_definition(definition);
    make_empty_file(path);
    try {
      return std::make_unique<NetcdfWriter>(path, definition, files_);
    } catch (...) {
      ::unlink(path.c_str());
      throw;
    }
  }

  std::string_view extension() const override { return ".nc"; }

 private:
  FileSystem& files_;
};

}  // namespace

std::unique_ptr<FileFormat> netcdf_format(FileSystem& files) { return std::make_unique<NetcdfFormat>(files); }

}  // namespace pileus
