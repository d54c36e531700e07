#include "state/checkpoint_part.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/error.h"
#include "core/possible_region.h"
#include "state/checksum.h"

namespace pileus {
namespace {

constexpr std::uint32_t kMagic = 0x50'54'53'50;  // "PSTP"
constexpr std::uint32_t kSchema = 3;

Region hull_of(const Region& a, const Region& b) {
  if (a.size() == 0) return b;
  if (b.size() == 0) return a;
  Region hull = a;
  for (std::size_t d = 0; d < hull.start.size(); ++d) {
    hull.start[d] = std::min(a.start[d], b.start[d]);
    hull.count[d] = std::max(a.start[d] + a.count[d], b.start[d] + b.count[d]) - hull.start[d];
  }
  return hull;
}

/// By kind, key and rank: regions of another rank are wrong, which who takes them says.
using Hulls = std::map<std::tuple<std::string, std::string, std::size_t>, Region>;

Hulls hulls_of(std::span<const StateEntry> entries) {
  Hulls hulls;
  for (const StateEntry& entry : entries) {
    const auto [known, is_new] =
        hulls.try_emplace({entry.kind, entry.key, entry.region.rank()}, entry.region);
    if (!is_new) known->second = hull_of(known->second, entry.region);
  }
  return hulls;
}

void add_holdings(const Hulls& hulls, PartOutline& part) {
  std::map<std::pair<std::vector<Index>, std::vector<Index>>, std::vector<std::uint32_t>> alike;
  for (const auto& [key, hull] : hulls) {
    StateName name(std::get<0>(key), std::get<1>(key));
    if (part.names.empty() || part.names.back() != name) part.names.push_back(std::move(name));
    alike[{{hull.start.begin(), hull.start.end()}, {hull.count.begin(), hull.count.end()}}].push_back(
        static_cast<std::uint32_t>(part.names.size() - 1));
  }
  for (auto& [hull, names] : alike) {
    const auto& [start, count] = hull;
    part.summary.holdings.push_back(
        {std::move(names), {Extents(start.begin(), start.end()), Extents(count.begin(), count.end())}});
  }
}

std::uint64_t size_of(const StateEntry& entry) {
  return entry.bytes.size() + (entry.more ? entry.more->size_bytes() : 0);
}

std::uint32_t checksum_of(const StateEntry& entry) {
  std::uint32_t sum = checksum(entry.bytes);
  if (!entry.more) return sum;
  in_pieces(*entry.more,
            [&](std::uint64_t, std::span<const std::byte> piece) { sum = checksum(piece, sum); });
  return sum;
}

}  // namespace

void encode(const PartSummary& part, Encoder& out) {
  out.put(part.size_bytes);
  out.put(part.directory_bytes);
  out.put(part.directory_checksum);
  out.put(static_cast<std::uint64_t>(part.holdings.size()));
  for (const Holding& holding : part.holdings) {
    out.put(holding.hull.start);
    out.put(holding.hull.count);
    out.put(holding.names);
  }
}

PartSummary decode_summary(Decoder& in, std::size_t names) {
  PartSummary part;
  part.size_bytes = in.get<std::uint64_t>();
  part.directory_bytes = in.get<std::uint64_t>();
  part.directory_checksum = in.get<std::uint32_t>();
  if (part.directory_bytes > part.size_bytes) throw TransportError("a directory is longer than its part");
  part.holdings.resize(in.get_length(3 * sizeof(std::uint64_t)));
  for (Holding& holding : part.holdings) {
    holding.hull.start = in.get_extents();
    holding.hull.count = in.get_extents();
    holding.names = in.get_vector<std::uint32_t>();
    if (!is_possible(holding.hull)) throw TransportError("a part of a checkpoint has an impossible region");
    if (std::ranges::any_of(holding.names, [&](std::uint32_t name) { return name >= names; }))
      throw TransportError("a part of a checkpoint has something without a name");
  }
  return part;
}

PartOutline outline_of(std::span<const StateEntry> entries) {
  PartOutline part;
  Encoder out(part.directory);
  out.put(kMagic);
  out.put(kSchema);
  out.put(static_cast<std::uint64_t>(entries.size()));
  std::uint64_t size = 0;
  for (const StateEntry& entry : entries) {
    out.put(std::string_view(entry.kind));
    out.put(std::string_view(entry.key));
    out.put(entry.region.start);
    out.put(entry.region.count);
    out.put(size_of(entry));
    out.put(checksum_of(entry));
    size += size_of(entry);
  }
  part.summary.directory_bytes = part.directory.size();
  part.summary.directory_checksum = checksum(part.directory);
  part.summary.size_bytes = part.directory.size() + size;
  add_holdings(hulls_of(entries), part);
  return part;
}

/// Short entries go together: each piece is a call of the system.
void put_part(const PartOutline& outline, std::span<const StateEntry> entries, const PutBytes& put) {
  Bytes together;
  const auto put_together = [&] {
    put(together);
    together.clear();
  };
  put(outline.directory);
  for (const StateEntry& entry : entries) {
    if (together.size() + entry.bytes.size() > kPieceBytes) put_together();
    if (entry.bytes.size() > kPieceBytes) {
      put(entry.bytes);
    } else {
      together.insert(together.end(), entry.bytes.begin(), entry.bytes.end());
    }
    if (!entry.more) continue;
    put_together();
    in_pieces(*entry.more, [&](std::uint64_t, std::span<const std::byte> piece) { put(piece); });
  }
  put_together();
}

EncodedPart encode_part(std::span<const StateEntry> entries) {
  PartOutline outline = outline_of(entries);
  EncodedPart part{{}, {}, {}};
  part.bytes.reserve(outline.summary.size_bytes);
  put_part(outline, entries, [&](std::span<const std::byte> bytes) {
    part.bytes.insert(part.bytes.end(), bytes.begin(), bytes.end());
  });
  part.names = std::move(outline.names);
  part.summary = std::move(outline.summary);
  return part;
}

std::vector<EntryPlace> decode_directory(std::span<const std::byte> bytes, std::uint64_t part_bytes) {
  Decoder in(bytes);
  if (in.get<std::uint32_t>() != kMagic) throw TransportError("it is no part of a checkpoint");
  const auto schema = in.get<std::uint32_t>();
  if (schema != kSchema) {
    throw TransportError("it is of version " + std::to_string(schema) + " of the format, known is version " +
                         std::to_string(kSchema));
  }
  std::vector<EntryPlace> places;
  std::uint64_t next = bytes.size();
  for (std::size_t i = in.get_length(5 * sizeof(std::uint64_t)); i > 0; --i) {
    EntryPlace& place = places.emplace_back();
    place.kind = in.get_text();
    place.key = in.get_text();
    place.region.start = in.get_extents();
    place.region.count = in.get_extents();
    if (!is_possible(place.region)) throw TransportError("an entry of a checkpoint has an impossible region");
    place.first = next;
    place.size = in.get<std::uint64_t>();
    place.checksum = in.get<std::uint32_t>();
    if (place.size > part_bytes - next)
      throw TransportError("a part of a checkpoint ends before its entries");
    next += place.size;
  }
  if (!in.is_at_end()) throw TransportError("the directory of a part is longer than its entries");
  if (next != part_bytes) throw TransportError("a part of a checkpoint is longer than its entries");
  return places;
}

std::vector<StateEntry> decode_part(std::span<const std::byte> bytes, std::uint64_t directory_bytes) {
  if (directory_bytes > bytes.size()) throw TransportError("a directory is longer than its part");
  std::vector<StateEntry> entries;
  for (EntryPlace& place : decode_directory(bytes.first(directory_bytes), bytes.size())) {
    const auto raw = bytes.subspan(place.first, place.size);
    if (checksum(raw) != place.checksum) throw TransportError("an entry of a checkpoint is damaged");
    entries.push_back(
        {std::move(place.kind), std::move(place.key), place.region, Bytes(raw.begin(), raw.end())});
  }
  return entries;
}

}  // namespace pileus
