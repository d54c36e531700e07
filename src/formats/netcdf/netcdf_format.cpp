#include "formats/netcdf/netcdf_format.h"

#include <hdf5.h>
#include <netcdf.h>
#include <unistd.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "core/error.h"
#include "formats/netcdf/define.h"
#include "formats/netcdf/filters.h"
#include "formats/netcdf/grid_file.h"
#include "formats/netcdf/hdf5_file.h"
#include "formats/netcdf/input_values.h"
#include "formats/netcdf/known_file.h"
#include "formats/netcdf/netcdf_writer.h"
#include "formats/netcdf/pack.h"
#include "formats/netcdf/parts/part_file.h"
#include "formats/netcdf/parts/part_views.h"
#include "formats/netcdf/sized_file.h"
#include "formats/netcdf/static_values.h"
#include "formats/netcdf/target_check.h"
#include "formats/netcdf/weights_file.h"

namespace pileus {
namespace {

using namespace netcdf;

/// The bytes of static variables that are not compressed. `offsets`: of these, in their order.
DataRanges plain_ranges(const FileDefinition& definition, std::span<const std::uint64_t> offsets) {
  DataRanges ranges;
  for (const FileStatic& one : definition.statics) {
    if (!is_compressed(one)) ranges.emplace(offsets[ranges.size()], one.values->size_bytes());
  }
  return ranges;
}

/// Errors: UsageError where the weights are those of other grids.
void check_sizes(const std::string& path, const WeightsHead& head, const GridsOfWeights& grids) {
  const bool is_other_source = head.source_size > 0 && head.source_size != grids.source;
  if (!is_other_source && (head.target_size == 0 || head.target_size == grids.target)) return;
  throw UsageError(path + ": these weights lead from a grid of " + std::to_string(head.source_size) +
                   " points to one of " + std::to_string(head.target_size) + ", but here it is one of " +
                   std::to_string(grids.source) + " and one of " + std::to_string(grids.target) +
                   "; make them anew with \"pileus weights\"");
}

class NetcdfFormat : public FileFormat {
 public:
  NetcdfFormat(FileSystem& files, Index largest_packed) : files_(files), largest_packed_(largest_packed) {}

  std::unique_ptr<FileWriter> create(const std::string& path, const FileDefinition& definition) override {
    silence_hdf5();
    register_filters();
    check_definition(definition);
    const std::shared_ptr<KnownSeries> series = known_.of(definition);
    KnownFile known(path, series, files_);
    make_empty_file(path, definition.on_disk);
    try {
      // The library truncates the file, so this only asks whether the disk is full.
      files_.reserve(path, 0, space_for(definition));
      const KnownChange* const change = known.next({});
      auto axes =
          change ? repeat(path, *change, definition, *series, known) : make(path, definition, series, known);
      give_back_beyond_end(path);
      return std::make_unique<NetcdfWriter>(path, std::move(axes), std::move(known), files_,
                                            definition.on_disk);
    } catch (const DiskFullError& error) {
      ::unlink(path.c_str());
      throw DiskFullError(error.what());  // all of it can be done again
    } catch (...) {
      ::unlink(path.c_str());
      throw;
    }
  }

  std::vector<Region> packed_regions(const std::vector<Index>& extents, ElementType type,
                                     const Compression& compression) const override {
    return chunk_regions(extents, packed_shape(extents, size_bytes(type), largest_packed_, compression));
  }
  PackedChunk pack(std::span<const std::byte> chunk, ElementType type,
                   const Compression& compression) const override {
    return netcdf::pack(chunk, size_bytes(type), compression);
  }

  EndOfPart end_of_part(const PartOfFile& part, const std::vector<PartVariable>& variables,
                        std::uint64_t size_bytes) const override {
    return netcdf::end_of_part(part, variables, size_bytes);
  }
  std::uint64_t chunks_in_part(std::span<const std::byte> head) const override {
    return netcdf::chunks_in_part(head);
  }
  std::vector<std::string> parts_of(const std::string& path) override {
    silence_hdf5();
    return parts_in(path);
  }

  Index records_of_stretch(const FileDefinition&, std::uint32_t) const override { return 0; }
  LinkRows read_links(const std::string& path, const GridsOfWeights& grids, Index first,
                      Index count) override {
    silence_hdf5();
    check_sizes(path, read_weights_head(path), grids);
    check_target(path, grids, first, count);
    WeightRows rows = read_weight_rows(path, first, count);
    return {std::move(rows.begin), std::move(rows.source), std::move(rows.weight)};
  }

  std::array<std::vector<double>, 2> read_places(const std::string& path, Index first, Index count) override {
    Centres centres = read_source_centres(path, first, count);
    return {std::move(centres.latitude), std::move(centres.longitude)};
  }

  GridOfFile read_grid(const std::string& path) override {
    silence_hdf5();
    return read_grid_file(path);
  }

  std::unique_ptr<InputSource> open_input(const std::string& path) override {
    return open_netcdf_input(path);
  }

 private:
  using Axes = std::shared_ptr<const std::vector<AxisVariables>>;

  Axes make(const std::string& path, const FileDefinition& definition,
            const std::shared_ptr<KnownSeries>& series, KnownFile& known) {
    DefinedFile defined = define(path, definition, largest_packed_, files_);
    const DataRanges data = plain_ranges(definition, defined.static_offsets);
    known.learn({}, std::move(defined.static_offsets), data);
    auto axes = std::make_shared<const std::vector<AxisVariables>>(std::move(defined.axes));
    if (series) series->axes = axes;
    return axes;
  }

  Axes repeat(const std::string& path, const KnownChange& change, const FileDefinition& definition,
              const KnownSeries& series, KnownFile& known) {
    known.repeat(change, {});
    write_plain_values(path, definition.statics, change.addresses, files_);
    return series.axes;
  }

  FileSystem& files_;
  Index largest_packed_;  ///< bytes
  AllKnownSeries known_;
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

void keep_no_freed_memory() { H5set_free_list_limits(0, 0, 0, 0, 0, 0); }

std::unique_ptr<FileFormat> netcdf_format(FileSystem& files, Index largest_packed_bytes) {
  return std::make_unique<NetcdfFormat>(files, largest_packed_bytes);
}

}  // namespace pileus
