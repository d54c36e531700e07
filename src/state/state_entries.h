#pragma once
// What the rooms keep of a run for its continuation. It is named by configuration names and global indices,
// never by ranks, as the run that continues may be spread otherwise (architecture D8).

#include <compare>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/byte_source.h"
#include "core/encoder.h"
#include "core/region.h"

namespace pileus {

struct StateEntry {
  std::string kind;  ///< the kind of thing it belongs to: "window", "axis", "file", …
  std::string key;   ///< which one, by names of the configuration and the model
  Region region;     ///< the part of it, in global indices; of rank 0 if it is the whole
  Bytes bytes;       ///< as its room encodes it
  /// What follows them, where that is too much for the memory: read when the entry is written. Null: nothing.
  std::shared_ptr<const ByteSource> more = {};
  friend bool operator==(const StateEntry&, const StateEntry&) = default;
};

/// Entries of all parts of a checkpoint: all of them, or those that somebody needs.
class StateEntries {
 public:
  void add(StateEntry entry);
  /// There are such entries, though none that is needed.
  void add_key(const std::string& kind, const std::string& key);
  /// The entries of one thing, in an order that depends on nothing but them.
  std::span<const StateEntry> find(std::string_view kind, std::string_view key) const;
  /// The keys that there are of a kind, ascending.
  std::vector<std::string> keys(std::string_view kind) const;
  bool is_empty() const { return entries_.empty(); }

 private:
  std::map<std::pair<std::string, std::string>, std::vector<StateEntry>, std::less<>> entries_;
};

}  // namespace pileus
