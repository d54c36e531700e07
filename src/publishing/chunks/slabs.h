#pragma once
// Slabs are what a record is cut into where few servers write a file: each is one stretch of the record, and
// one server gets all that lies in it and writes it. Which servers these are follows from the Plan alone.

#include <map>
#include <vector>

#include "core/region.h"
#include "plan/plan.h"

namespace pileus {

/// Tells whether records of the variable are written in slabs.
bool is_in_slabs(const Plan& plan, VariableId variable);

/// Cuts a record of `element_bytes` an element into at most `most` slabs along its slowest dimensions, in
/// their order. They are fewer where the record is shorter than so many of `least_bytes`. `extents`: fastest
/// first. REQUIRES: `most` and `least_bytes` are at least 1.
std::vector<Region> slab_regions(const std::vector<Index>& extents, Index element_bytes, Index most,
                                 Index least_bytes);

/// Shares slabs among servers, file by file.
class SlabWriters {
 public:
  explicit SlabWriters(std::size_t servers) : written_(servers, 0) {}

  /// What the model ranks of each server hold of a slab, in elements.
  using Held = std::map<ServerRank, Index>;
  /// The writers of the slabs of one record, none of them twice. Each is, of those that hold at least half as
  /// much of its slab as the one that holds most, the one with the least to write so far; then the owner of
  /// the file; then one that lies as far in the list of servers as the slab in the record.
  /// REQUIRES: there are at least as many servers in `among`.
  std::vector<ServerRank> choose(const std::vector<Held>& slabs, const std::vector<ServerRank>& among,
                                 ServerRank owner);
  /// These write so many bytes more of each record.
  void add(ServerRank writer, Index bytes) { written_[writer] += bytes; }

 private:
  std::vector<Index> written_;  ///< bytes, by server
};

}  // namespace pileus
