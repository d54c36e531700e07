#include "formats/netcdf/static_values.h"

#include <algorithm>
#include <iterator>

#include "formats/chunk_shape.h"
#include "formats/chunk_values.h"
#include "formats/netcdf/hdf5_file.h"
#include "formats/netcdf/pack.h"

namespace pileus::netcdf {
namespace {

void write_chunks(Hdf5Dataset& dataset, const FileStatic& one) {
  const std::vector<Index> extents = dataset.extents();
  for (const Region& chunk : chunk_regions(extents, {1, dataset.chunk()})) {
    const PackedChunk packed = pack(values_in(*one.values, extents, chunk, size_bytes(one.type)),
                                    size_bytes(one.type), one.compression);
    std::vector<hsize_t> offset;
    std::ranges::reverse_copy(chunk.start, std::back_inserter(offset));
    dataset.write_chunk(offset, packed.bytes, packed.skipped_filters);
  }
}

bool is_large(const FileStatic& one) { return one.values->size_bytes() > kPieceBytes; }

/// Makes space for the values, and writes them where they are few: scalars have no first element.
std::uint64_t place(Hdf5Dataset& dataset, const FileStatic& one) {
  if (is_large(one)) {
    dataset.touch(std::vector<hsize_t>(one.dimensions.size(), 0));
  } else {
    dataset.write(all_of(one).data());
  }
  return dataset.address();
}

}  // namespace

bool is_compressed(const FileStatic& one) { return one.compression.is_packed() && !one.dimensions.empty(); }

bool is_in_definition(const FileStatic& one) { return is_compressed(one) && !is_large(one); }

std::vector<std::byte> all_of(const FileStatic& one) {
  std::vector<std::byte> values(one.values->size_bytes());
  one.values->read(0, values);
  return values;
}

std::vector<std::uint64_t> write_static_values(const std::string& path,
                                               const std::vector<FileStatic>& statics,
                                               const std::vector<std::string>& names, FileSystem& files,
                                               const OnDisk& on_disk) {
  std::vector<std::uint64_t> offsets;
  if (std::ranges::all_of(statics, is_in_definition)) return offsets;
  Hdf5File file(path, 0, on_disk);
  for (std::size_t i = 0; i < statics.size(); ++i) {
    if (is_in_definition(statics[i])) continue;
    Hdf5Dataset dataset(file, names[i]);
    if (is_compressed(statics[i])) {
      write_chunks(dataset, statics[i]);
    } else {
      offsets.push_back(place(dataset, statics[i]));
    }
  }
  file.close();
  std::vector<FileStatic> large;
  std::vector<std::uint64_t> large_offsets;
  for (std::size_t i = 0, next = 0; i < statics.size(); ++i) {
    if (is_compressed(statics[i])) continue;
    const std::uint64_t offset = offsets[next++];
    if (!is_large(statics[i])) continue;
    large.push_back(statics[i]);
    large_offsets.push_back(offset);
  }
  write_plain_values(path, large, large_offsets, files);
  return offsets;
}

void write_plain_values(const std::string& path, const std::vector<FileStatic>& statics,
                        std::span<const std::uint64_t> offsets, FileSystem& files) {
  if (offsets.empty()) return;
  const auto file = files.open_parts(path);
  std::size_t next = 0;
  for (const FileStatic& one : statics) {
    if (is_compressed(one)) continue;
    const std::uint64_t offset = offsets[next++];
    in_pieces(*one.values, [&](std::uint64_t first, std::span<const std::byte> piece) {
      file->write_at(offset + first, piece);
    });
  }
}

}  // namespace pileus::netcdf
