#pragma once
// One server's part of a checkpoint: a directory that says where each entry lies, then the bytes of entries.
// Who continues reads the directories of the parts that may have something for him, and what he needs.

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/encoder.h"
#include "core/region.h"
#include "state/state_entries.h"

namespace pileus {

/// An entry of a directory.
struct EntryPlace {
  std::string kind, key;
  Region region;
  std::uint64_t first = 0, size = 0;  ///< its bytes in the part
  std::uint32_t checksum = 0;         ///< of these
  friend bool operator==(const EntryPlace&, const EntryPlace&) = default;
};

/// The kind and the key of things that a checkpoint has.
using StateName = std::pair<std::string, std::string>;

/// What a part has of some things.
struct Holding {
  std::vector<std::uint32_t> names;  ///< numbers of these things, ascending
  Region hull;  ///< the smallest region that has all of theirs; of rank 0: they have none
  friend bool operator==(const Holding&, const Holding&) = default;
};

/// What others know of a part, without a look into it.
struct PartSummary {
  std::uint64_t size_bytes = 0;
  std::uint64_t directory_bytes = 0;  ///< the first of the part
  std::uint32_t directory_checksum = 0;
  std::vector<Holding> holdings;  ///< things that lie alike together
  friend bool operator==(const PartSummary&, const PartSummary&) = default;
};
void encode(const PartSummary& part, Encoder& out);
/// `names`: how many things there are. Errors: TransportError.
PartSummary decode_summary(Decoder& in, std::size_t names);

/// A part that is yet to be written.
struct PartOutline {
  Bytes directory;
  std::vector<StateName> names;  ///< ascending, each once
  PartSummary summary;           ///< with numbers of these
};
/// Reads what entries have elsewhere, for its checksum. Errors: those of reading.
PartOutline outline_of(std::span<const StateEntry> entries);
/// Puts all bytes of the part; the longest pieces are entries. Errors: those of reading, and of `put`.
void put_part(const PartOutline& outline, std::span<const StateEntry> entries, const PutBytes& put);

struct EncodedPart {
  Bytes bytes;
  std::vector<StateName> names;
  PartSummary summary;
};
/// All of it in memory.
EncodedPart encode_part(std::span<const StateEntry> entries);

/// Errors: TransportError when the bytes are no directory of a part that is so long.
std::vector<EntryPlace> decode_directory(std::span<const std::byte> bytes, std::uint64_t part_bytes);
/// All entries of a part. Errors: TransportError when the bytes are no part.
std::vector<StateEntry> decode_part(std::span<const std::byte> bytes, std::uint64_t directory_bytes);

}  // namespace pileus
