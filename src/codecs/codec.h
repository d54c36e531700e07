#pragma once
// What a codec declares of itself, once: a line in the list below, its declaration in codecs/codec.cpp, and a
// file of its name in codecs/coding, which has its library. Configurations, plans and explanations ask the
// declaration, and formats say how their readers find it.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace pileus {

struct Codec {
  const char* name;     ///< of the attribute whose value is its level
  const char* help;     ///< one line
  const char* readers;  ///< what readers of NetCDF need besides the library; "": nothing
  bool sorts_bits;      ///< it can sort the bits of elements, and not their bytes alone
};

// In the order of the reference.
#define PILEUS_CODECS(codec) codec(deflate) codec(zstd) codec(blosc)

// They pack numbers as whole ones of few bits; in the order of the reference.
#define PILEUS_PACKINGS(codec) codec(ccsds) codec(simple)

namespace codecs {
#define PILEUS_DECLARE_CODEC(name) const Codec& name();
PILEUS_CODECS(PILEUS_DECLARE_CODEC)
PILEUS_PACKINGS(PILEUS_DECLARE_CODEC)
#undef PILEUS_DECLARE_CODEC
/// Chunks as they are: of what goes the way of compressed variables and is none. No configuration names it.
const Codec& plain();
}  // namespace codecs

const std::vector<const Codec*>& all_codecs();
const std::vector<const Codec*>& all_packings();
/// Null where none is called so.
const Codec* find_codec(std::string_view name);

/// Of levels, of every codec: what its library calls the fastest, and what costs most time.
inline constexpr int kLowestLevel = 1, kHighestLevel = 9;

/// What lies together before a chunk is compressed.
enum class Shuffle : std::uint8_t {
  none,   ///< elements
  bytes,  ///< the first bytes of all elements, then the second ones, and so on
  bits
};

/// How the chunks of a variable are compressed.
struct Compression {
  const Codec* codec = nullptr;  ///< has static storage; null: not at all
  int level = 0;
  Shuffle shuffle = Shuffle::bytes;
  // Of numbers that are packed as whole ones:
  int bits = 0;                      ///< of each
  std::optional<int> decimals = {};  ///< or as many as it takes for so many decimal places
  /// So many dimensions, the fastest, lie together in a chunk, and it has one element of all others; 0:
  /// chunks are as large as is good.
  int together = 0;

  bool is_packed() const { return codec != nullptr; }
  friend bool operator==(const Compression&, const Compression&) = default;
};

}  // namespace pileus
