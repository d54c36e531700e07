// deflate: the streams of zlib, as HDF5's filter writes them.

#include <zlib.h>

#include <cmath>
#include <new>

#include "codecs/coding/coding.h"

namespace pileus::codecs {
namespace {

/// What HDF5 gives deflate (H5Zdeflate.c): a little more than the data, and the header.
std::size_t space_of_deflate(std::size_t bytes) {
  return static_cast<std::size_t>(std::ceil(static_cast<double>(bytes) * static_cast<double>(1.001F)) + 12);
}

}  // namespace

/// Where deflate would need more space than HDF5 gives it, it is left out, as HDF5 does.
std::optional<std::vector<std::byte>> encoded_by_deflate(std::span<const std::byte> bytes, std::size_t,
                                                         const Compression& compression) {
  uLongf length = space_of_deflate(bytes.size());
  std::vector<std::byte> out(length);
  const int status = compress2(reinterpret_cast<Bytef*>(out.data()), &length,
                               reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), compression.level);
  if (status == Z_MEM_ERROR) throw std::bad_alloc();
  if (status != Z_OK) return std::nullopt;
  out.resize(length);
  return out;
}

std::optional<std::vector<std::byte>> decoded_by_deflate(std::span<const std::byte> bytes, std::size_t most) {
  std::vector<std::byte> out(most);
  uLongf length = most;
  const int status = uncompress(reinterpret_cast<Bytef*>(out.data()), &length,
                                reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  if (status == Z_MEM_ERROR) throw std::bad_alloc();
  if (status != Z_OK) return std::nullopt;
  out.resize(length);
  return out;
}

}  // namespace pileus::codecs
