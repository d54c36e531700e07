#pragma once
// How many bytes of parcels each model rank hands over in a step, as the Plan has it.

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "plan/plan.h"

namespace pileus {

class ParcelCosts {
 public:
  /// REQUIRES: the plan outlives it.
  explicit ParcelCosts(const Plan& plan);

  using Bytes = std::shared_ptr<const std::vector<std::uint64_t>>;

  /// By model rank, of a step that meets these needs.
  Bytes of(const std::vector<bool>& is_met);

 private:
  const Plan& plan_;
  /// By field, and for those of which ranks hand over something else wherever their server is, by rank.
  std::vector<std::vector<std::uint64_t>> bytes_;
  std::map<std::vector<bool>, Bytes> known_;  ///< of some of the kinds of steps
};

}  // namespace pileus
