// blosc: a frame of Blosc, version 1, with Zstandard inside, for each chunk. It sorts bytes or bits itself.

#include <blosc.h>

#include <new>

#include "codecs/coding/coding.h"

namespace pileus::codecs {
namespace {

int shuffle_of(Shuffle shuffle) {
  switch (shuffle) {
    case Shuffle::none: return BLOSC_NOSHUFFLE;
    case Shuffle::bytes: return BLOSC_SHUFFLE;
    case Shuffle::bits: return BLOSC_BITSHUFFLE;
  }
  return BLOSC_NOSHUFFLE;
}

}  // namespace

std::optional<std::vector<std::byte>> encoded_by_blosc(std::span<const std::byte> bytes,
                                                       std::size_t element_size,
                                                       const Compression& compression) {
  std::vector<std::byte> out(bytes.size() + BLOSC_MAX_OVERHEAD);
  const int length =
      blosc_compress_ctx(compression.level, shuffle_of(compression.shuffle), element_size, bytes.size(),
                         bytes.data(), out.data(), out.size(), BLOSC_ZSTD_COMPNAME, 0, 1);
  if (length <= 0) throw std::bad_alloc();  // there is space for anything
  out.resize(static_cast<std::size_t>(length));
  return out;
}

std::optional<std::vector<std::byte>> decoded_by_blosc(std::span<const std::byte> bytes, std::size_t most) {
  std::size_t length = 0;
  if (blosc_cbuffer_validate(bytes.data(), bytes.size(), &length) != 0 || length > most) return std::nullopt;
  std::vector<std::byte> out(length);
  if (length == 0) return out;
  if (blosc_decompress_ctx(bytes.data(), out.data(), out.size(), 1) != static_cast<int>(length))
    return std::nullopt;
  return out;
}

}  // namespace pileus::codecs
