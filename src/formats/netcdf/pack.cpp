#include "formats/netcdf/pack.h"

#include <zlib.h>

#include <cmath>
#include <new>

namespace pileus::netcdf {
namespace {

/// What HDF5 gives deflate (H5Zdeflate.c): a little more than the data, and the header.
std::size_t space_of_deflate(std::size_t bytes) {
  return static_cast<std::size_t>(std::ceil(static_cast<double>(bytes) * static_cast<double>(1.001F)) + 12);
}

}  // namespace

std::vector<std::byte> shuffled(std::span<const std::byte> bytes, std::size_t element_size) {
  std::vector<std::byte> out(bytes.begin(), bytes.end());
  const std::size_t count = bytes.size() / element_size;
  if (element_size < 2 || count < 2) return out;
  for (std::size_t b = 0; b < element_size; ++b) {
    for (std::size_t i = 0; i < count; ++i) out[b * count + i] = bytes[i * element_size + b];
  }
  return out;
}

PackedChunk pack(std::span<const std::byte> chunk, std::size_t element_size, const Compression& compression) {
  PackedChunk out;
  std::vector<std::byte> sorted;
  if (compression.is_shuffled) {
    sorted = shuffled(chunk, element_size);
    chunk = sorted;
  }
  uLongf length = space_of_deflate(chunk.size());
  out.bytes.resize(length);
  const int status = compress2(reinterpret_cast<Bytef*>(out.bytes.data()), &length,
                               reinterpret_cast<const Bytef*>(chunk.data()), chunk.size(), compression.level);
  if (status == Z_MEM_ERROR) throw std::bad_alloc();
  if (status == Z_OK) {
    out.bytes.resize(length);
  } else {
    out.bytes.assign(chunk.begin(), chunk.end());
    out.skipped_filters = compression.is_shuffled ? 2 : 1;  // deflate is the last filter
  }
  return out;
}

}  // namespace pileus::netcdf
