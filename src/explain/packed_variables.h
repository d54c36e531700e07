#pragma once
// Who compresses what of compressed variables, as the servers of the run deal it out.

#include <memory>
#include <vector>

#include "disk/file_system.h"
#include "publishing/chunks/packing.h"

namespace pileus::explain {

class PackedVariables {
 public:
  /// The plan must outlive it.
  explicit PackedVariables(const Plan& plan);

  bool are_any() const { return !regions_.empty(); }
  const Packing& packing() const { return packing_; }
  /// What the model rank holds of the variable, in the order of memory.
  const Region& region(VariableId variable, ClientRank rank) const {
    return regions_[rank][(*plan_)[variable].value.index];
  }

 private:
  const Plan* plan_;
  std::unique_ptr<FileSystem> files_;
  std::unique_ptr<FileFormat> format_;
  std::vector<std::vector<Region>> regions_;  ///< by rank and value; empty where nothing is compressed
  Packing packing_;
};

}  // namespace pileus::explain
