#include "codecs/coding/coding.h"

#include <string>

#include "core/error.h"

namespace pileus::codecs {

std::vector<std::byte> shuffled(std::span<const std::byte> bytes, std::size_t element_size) {
  std::vector<std::byte> out(bytes.begin(), bytes.end());
  const std::size_t count = bytes.size() / element_size;
  if (element_size < 2 || count < 2) return out;
  for (std::size_t b = 0; b < element_size; ++b) {
    for (std::size_t i = 0; i < count; ++i) out[b * count + i] = bytes[i * element_size + b];
  }
  return out;
}

std::optional<std::vector<std::byte>> encoded(std::span<const std::byte> bytes, std::size_t element_size,
                                              const Compression& compression) {
  if (compression.codec == &plain()) return std::vector<std::byte>(bytes.begin(), bytes.end());
#define PILEUS_ENCODE(name) \
  if (compression.codec == &name()) return encoded_by_##name(bytes, element_size, compression);
  PILEUS_CODECS(PILEUS_ENCODE)
#undef PILEUS_ENCODE
  throw UsageError("a chunk is to be compressed by no codec");
}

std::vector<std::byte> decoded(std::span<const std::byte> bytes, const Codec& codec, std::size_t most) {
  std::optional<std::vector<std::byte>> out;
#define PILEUS_DECODE(name) \
  if (&codec == &name()) out = decoded_by_##name(bytes, most);
  PILEUS_CODECS(PILEUS_DECODE)
#undef PILEUS_DECODE
  if (!out)
    throw UsageError("a chunk is not one that " + std::string(codec.name) + " made, or it is damaged");
  return std::move(*out);
}

}  // namespace pileus::codecs
