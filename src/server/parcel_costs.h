#pragma once
// How many bytes of parcels each model rank hands over in a step, as the Plan has it.

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
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
  std::uint64_t bytes_of(ClientRank rank, FieldId field) const;

  const Plan& plan_;
  std::map<std::pair<ClientRank, FieldId>, std::uint64_t> in_place_;  ///< of fields, wherever servers are
  std::map<std::vector<bool>, Bytes> known_;                          ///< of some of the kinds of steps
};

}  // namespace pileus
