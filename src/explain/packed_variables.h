#pragma once
// Which server compresses which part of the compressed variables, and which writes which slab. It is the
// division that the servers of a run use.

#include <memory>
#include <vector>

#include "disk/file_system.h"
#include "publishing/chunks/packing.h"

namespace pileus::explain {

class PackedVariables {
 public:
  /// REQUIRES: the plan outlives it.
  explicit PackedVariables(const Plan& plan);

  bool are_any() const { return regions_.size() > 0; }
  const Packing& packing() const { return packing_; }
  bool has_chunks(VariableId variable) const { return are_any() && !packing_.chunks(variable).empty(); }
  /// What the model rank holds of the variable, in the order of memory.
  Region region(VariableId variable, ClientRank rank) const {
    return regions_[rank][(*plan_)[variable].value.index];
  }

 private:
  const Plan* plan_;
  std::unique_ptr<FileSystem> files_;
  std::unique_ptr<FileFormat> format_;
  RankRegions regions_;  ///< by rank and value; empty if there are no chunks
  Packing packing_;
};

}  // namespace pileus::explain
