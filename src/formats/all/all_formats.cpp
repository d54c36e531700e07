#include "formats/all/all_formats.h"

#include <algorithm>

#include "formats/grib/grib_format.h"
#include "formats/netcdf/netcdf_format.h"
#include "formats/zarr/zarr_format.h"

namespace pileus {
namespace {

/// What is read is NetCDF. Chunks are the same in every format, as far as they do not say otherwise.
class AllFormats : public FileFormat {
 public:
  AllFormats(FileSystem& files, Index largest_packed)
      : files_(files), largest_packed_(largest_packed), netcdf_(netcdf_format(files, largest_packed)) {}

  std::unique_ptr<FileWriter> create(const std::string& path, const FileDefinition& definition) override {
    if (definition.kind == &kinds::zarr()) return create_zarr(files_, path, definition, largest_packed_);
#if PILEUS_GRIB
    if (definition.kind == &kinds::grib2()) return create_grib(files_, path, definition);
#endif
    return netcdf_->create(path, definition);
  }
  std::vector<Region> packed_regions(const std::vector<Index>& extents, ElementType type,
                                     const Compression& compression) const override {
    return netcdf_->packed_regions(extents, type, compression);
  }
  PackedChunk pack(std::span<const std::byte> chunk, ElementType type,
                   const Compression& compression) const override {
#if PILEUS_GRIB
    if (std::ranges::count(all_packings(), compression.codec) > 0)
      return pack_as_grib(chunk, type, compression);
#endif
    return netcdf_->pack(chunk, type, compression);
  }
  EndOfPart end_of_part(const PartOfFile& part, const std::vector<PartVariable>& variables,
                        std::uint64_t size_bytes) const override {
    return netcdf_->end_of_part(part, variables, size_bytes);
  }
  std::uint64_t chunks_in_part(std::span<const std::byte> head) const override {
    return netcdf_->chunks_in_part(head);
  }
  std::vector<std::string> parts_of(const std::string& path) override { return netcdf_->parts_of(path); }
  Index records_of_stretch(const FileDefinition& definition, std::uint32_t axis) const override {
    if (definition.kind == &kinds::zarr()) return records_of_zarr_shard(definition, axis);
    return netcdf_->records_of_stretch(definition, axis);
  }
  LinkRows read_links(const std::string& path, const GridsOfWeights& grids, Index first,
                      Index count) override {
    return netcdf_->read_links(path, grids, first, count);
  }
  GridOfFile read_grid(const std::string& path) override { return netcdf_->read_grid(path); }
  std::array<std::vector<double>, 2> read_places(const std::string& path, Index first, Index count) override {
    return netcdf_->read_places(path, first, count);
  }
  std::unique_ptr<InputSource> open_input(const std::string& path) override {
    return netcdf_->open_input(path);
  }

 private:
  FileSystem& files_;
  Index largest_packed_;  ///< bytes
  std::unique_ptr<FileFormat> netcdf_;
};

}  // namespace

std::unique_ptr<FileFormat> all_formats(FileSystem& files, Index largest_packed_bytes) {
  return std::make_unique<AllFormats>(files, largest_packed_bytes);
}

}  // namespace pileus
