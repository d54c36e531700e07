#pragma once
// Which records stand for which, of a variable whose records may be left out, as a writer of files keeps it.

#include <span>
#include <vector>

#include "formats/format.h"

namespace pileus {

class RepeatedChunks {
 public:
  /// A record that is written, in its order; the last one may come once more, with chunks that were left out.
  void take(Index record, const PackedRecord& packed);

  bool is_empty() const { return sources_.empty(); }
  /// Of each record of a chunk the one whose values stand there.
  const std::vector<Index>& of_chunk(std::size_t chunk) const { return sources_.at(chunk); }
  std::size_t chunks() const { return sources_.size(); }
  bool is_own(std::size_t chunk, Index record) const {
    return sources_.at(chunk).at(static_cast<std::size_t>(record)) == record;
  }
  /// Of each record the oldest one that a chunk of it has.
  std::vector<Index> oldest() const;
  /// Whether some chunks have other sources than others.
  bool are_apart() const;
  bool is_any_repeated() const;

 private:
  std::vector<std::vector<Index>> sources_;  ///< by chunk
};

}  // namespace pileus
