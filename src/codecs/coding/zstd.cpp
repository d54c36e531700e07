// zstd: one frame of Zstandard (RFC 8878) for each chunk.

#include <zstd.h>

#include <new>

#include "codecs/coding/coding.h"

namespace pileus::codecs {

std::optional<std::vector<std::byte>> encoded_by_zstd(std::span<const std::byte> bytes, std::size_t,
                                                      const Compression& compression) {
  std::vector<std::byte> out(ZSTD_compressBound(bytes.size()));
  const std::size_t length =
      ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), compression.level);
  if (ZSTD_isError(length) != 0) throw std::bad_alloc();  // there is space for anything
  out.resize(length);
  return out;
}

std::optional<std::vector<std::byte>> decoded_by_zstd(std::span<const std::byte> bytes, std::size_t most) {
  const unsigned long long length = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  if (length == ZSTD_CONTENTSIZE_ERROR || length == ZSTD_CONTENTSIZE_UNKNOWN || length > most)
    return std::nullopt;
  std::vector<std::byte> out(length);
  const std::size_t got = ZSTD_decompress(out.data(), out.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(got) != 0 || got != length) return std::nullopt;
  return out;
}

}  // namespace pileus::codecs
