#include "state/state_entries.h"

#include <algorithm>

#include "core/possible_region.h"

namespace pileus {
namespace {

constexpr std::uint32_t kMagic = 0x50'54'53'50;  // "PSTP"
constexpr std::uint32_t kSchema = 2;

/// An order that follows from the entries alone, so that entries of other servers do not lie in the order of
/// arrival.
bool is_before(const StateEntry& a, const StateEntry& b) {
  const auto precedes = [](const Extents& one, const Extents& other) {
    return std::ranges::lexicographical_compare(one, other);
  };
  if (a.region.start != b.region.start) return precedes(a.region.start, b.region.start);
  if (a.region.count != b.region.count) return precedes(a.region.count, b.region.count);
  return a.bytes < b.bytes;
}

}  // namespace

void StateEntries::add(StateEntry entry) {
  std::vector<StateEntry>& of_key = entries_[{entry.kind, entry.key}];
  of_key.insert(std::ranges::upper_bound(of_key, entry, is_before), std::move(entry));
}

std::span<const StateEntry> StateEntries::find(std::string_view kind, std::string_view key) const {
  const auto found = entries_.find(std::pair(std::string(kind), std::string(key)));
  return found == entries_.end() ? std::span<const StateEntry>() : std::span(found->second);
}

std::vector<std::string> StateEntries::keys(std::string_view kind) const {
  std::vector<std::string> keys;
  for (const auto& [name, entries] : entries_) {
    if (name.first == kind) keys.push_back(name.second);
  }
  return keys;
}

Bytes encode_entries(std::span<const StateEntry> entries) {
  std::size_t size = 0;
  for (const StateEntry& entry : entries)
    size += entry.kind.size() + entry.key.size() + entry.bytes.size() + 16 * (4 + entry.region.start.size());
  Bytes bytes;
  bytes.reserve(size);  // at a checkpoint nothing in memory is larger
  Encoder out(bytes);
  out.put(kMagic);
  out.put(kSchema);
  out.put(static_cast<std::uint64_t>(entries.size()));
  for (const StateEntry& entry : entries) {
    out.put(std::string_view(entry.kind));
    out.put(std::string_view(entry.key));
    out.put(entry.region.start);
    out.put(entry.region.count);
    out.put(static_cast<std::uint64_t>(entry.bytes.size()));
    out.put_raw(entry.bytes);
  }
  return bytes;
}

std::vector<StateEntry> decode_entries(std::span<const std::byte> bytes) {
  Decoder in(bytes);
  if (in.get<std::uint32_t>() != kMagic) throw TransportError("it is no part of a checkpoint");
  const auto schema = in.get<std::uint32_t>();
  if (schema != kSchema) {
    throw TransportError("it is of version " + std::to_string(schema) + " of the format, known is version " +
                         std::to_string(kSchema));
  }
  std::vector<StateEntry> entries;
  for (std::size_t i = in.get_length(5 * sizeof(std::uint64_t)); i > 0; --i) {
    StateEntry entry;
    entry.kind = in.get_text();
    entry.key = in.get_text();
    entry.region.start = in.get_extents();
    entry.region.count = in.get_extents();
    if (!is_possible(entry.region)) throw TransportError("an entry of a checkpoint has an impossible region");
    const auto raw = in.get_raw(in.get_length(1));
    entry.bytes.assign(raw.begin(), raw.end());
    entries.push_back(std::move(entry));
  }
  if (!in.is_at_end()) throw TransportError("a part of a checkpoint is longer than its entries");
  return entries;
}

}  // namespace pileus
