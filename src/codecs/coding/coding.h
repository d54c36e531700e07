#pragma once
// Chunks as their codec writes them, and the way back. Pure functions; workers call them.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "codecs/codec.h"

namespace pileus::codecs {

/// The first bytes of all elements, then all second bytes, and so on; what is no whole element stays at the
/// end.
std::vector<std::byte> shuffled(std::span<const std::byte> bytes, std::size_t element_size);

/// What the codec makes of dense elements. Blosc sorts them itself; of others they come sorted. nullopt where
/// they would not become shorter, and the codec leaves such as they are.
/// Errors: std::bad_alloc.
std::optional<std::vector<std::byte>> encoded(std::span<const std::byte> bytes, std::size_t element_size,
                                              const Compression& compression);

/// The way back. Errors: UsageError where the bytes are none of the codec, or have more than `most` bytes in
/// them.
std::vector<std::byte> decoded(std::span<const std::byte> bytes, const Codec& codec, std::size_t most);

// One of each in the file of its codec.
#define PILEUS_CODING(name)                                                                        \
  std::optional<std::vector<std::byte>> encoded_by_##name(                                         \
      std::span<const std::byte> bytes, std::size_t element_size, const Compression& compression); \
  std::optional<std::vector<std::byte>> decoded_by_##name(std::span<const std::byte> bytes, std::size_t most);
PILEUS_CODECS(PILEUS_CODING)
#undef PILEUS_CODING

}  // namespace pileus::codecs
