#pragma once
// How many bits of the fraction variables keep whose configuration says which part of their information. All
// servers count the pairs of bits of their chunks of the first record, and round nothing before the owner of
// the file has added them up and told them the number. It stays for the run and for those that continue it.
// Belongs to the strand of the owner.

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "files/owner_and_writers.h"
#include "files/remarks.h"
#include "information/bit_pairs.h"
#include "publishing/owner/owned_files.h"
#include "state/state_entries.h"

namespace pileus {

inline constexpr const char* kLearnedKind = "learned bits";

/// What a checkpoint has of variables that are what they were. Errors: TransportError.
std::map<VariableId, KnownBits> learned_bits(const Plan& plan, const StateEntries& entries);

class LearnedBits {
 public:
  /// All outlive it.
  LearnedBits(const OwnedFiles& book, FileWriters& writers);

  /// A record that the clock brings, in its order.
  void add_record(FilePeriod key, std::uint32_t axis, Index record);
  /// The pairs of a chunk; they may come before the clock's word of the record.
  void add(const PackedPart& counted);
  /// Nothing more comes of the file: the first record is perhaps another.
  void lost(FilePeriod key);

  std::vector<StateEntry> state() const;
  /// What the file says of its variables.
  std::vector<Remark> remarks(FilePeriod key) const;

 private:
  using RecordOf = std::pair<FilePeriod, Index>;
  struct Counted {
    std::set<std::uint32_t> chunks;
    BitPairs pairs;
  };
  struct Learning {
    FileId file;
    std::uint32_t index = 0;  ///< in its file
    std::deque<RecordOf> records;
    std::map<RecordOf, Counted> counted;
  };
  void learn(VariableId variable);

  const OwnedFiles& book_;
  FileWriters& writers_;
  std::map<VariableId, Learning> learning_;  ///< those that are not known
  std::map<VariableId, KnownBits> known_;
};

}  // namespace pileus
