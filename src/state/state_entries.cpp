#include "state/state_entries.h"

#include <algorithm>

namespace pileus {
namespace {

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

void StateEntries::add_key(const std::string& kind, const std::string& key) { entries_[{kind, key}]; }

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

}  // namespace pileus
