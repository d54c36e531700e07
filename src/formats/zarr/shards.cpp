#include "formats/zarr/shards.h"

#include <array>
#include <cstddef>

namespace pileus::zarr {
namespace {

constexpr std::array<std::uint32_t, 256> remainders() {
  std::array<std::uint32_t, 256> all = {};
  for (std::uint32_t byte = 0; byte < all.size(); ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1U) ^ ((rest & 1U) != 0 ? 0x82F63B78U : 0U);
    all[byte] = rest;
  }
  return all;
}

void put(std::vector<std::byte>& bytes, std::uint64_t number, int size) {
  for (int i = 0; i < size; ++i) bytes.push_back(static_cast<std::byte>(number >> (8 * i)));
}

}  // namespace

std::uint32_t crc32c(const std::vector<std::byte>& bytes) {
  static constexpr std::array<std::uint32_t, 256> kRemainders = remainders();
  std::uint32_t sum = ~0U;
  for (const std::byte byte : bytes)
    sum = (sum >> 8U) ^ kRemainders[(sum ^ std::to_integer<std::uint32_t>(byte)) & 0xFFU];
  return ~sum;
}

std::vector<std::byte> encoded_index(const std::vector<ChunkPlace>& chunks) {
  std::vector<std::byte> bytes;
  bytes.reserve(16 * chunks.size() + 4);
  for (const ChunkPlace& chunk : chunks) {
    put(bytes, chunk.offset, 8);
    put(bytes, chunk.length, 8);
  }
  put(bytes, crc32c(bytes), 4);
  return bytes;
}

std::vector<ChunkPlace> decoded_index(const std::vector<std::byte>& bytes) {
  const auto number = [&](std::size_t first) {
    std::uint64_t all = 0;
    for (std::size_t i = 8; i-- > 0;) all = (all << 8U) | std::to_integer<std::uint64_t>(bytes[first + i]);
    return all;
  };
  std::vector<ChunkPlace> chunks;
  for (std::size_t at = 0; at + 16 <= bytes.size(); at += 16) chunks.push_back({number(at), number(at + 8)});
  return chunks;
}

}  // namespace pileus::zarr
