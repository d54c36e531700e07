#include "server/parcel_costs.h"

#include <utility>

#include "plan/extracts.h"
#include "plan/step_kinds.h"

namespace pileus {
namespace {

/// As of the costs of steps.
constexpr std::size_t kMostKindsOfParcels = 256;

}  // namespace

ParcelCosts::ParcelCosts(const Plan& plan) : plan_(plan) {
  for (ClientRank rank = 0; rank < plan.layout.clients; ++rank) {
    for (const auto& [field, extracts] : extracts_within_node(plan, rank))
      in_place_[{rank, field}] = extract_offsets(extracts, plan.regions[rank][field.index].count).back();
  }
}

std::uint64_t ParcelCosts::bytes_of(ClientRank rank, FieldId field) const {
  const auto in_place = in_place_.find({rank, field});
  if (in_place != in_place_.end()) return in_place->second;
  return static_cast<std::uint64_t>(plan_.regions[rank][field.index].size()) * size_bytes(plan_[field].type);
}

ParcelCosts::Bytes ParcelCosts::of(const std::vector<bool>& is_met) {
  if (const auto known = known_.find(is_met); known != known_.end()) return known->second;
  if (known_.size() == kMostKindsOfParcels) known_.clear();
  std::vector<std::uint64_t> bytes(plan_.layout.clients, 0);
  for (std::size_t f = 0; f < plan_.fields.size(); ++f) {
    const PlannedField& field = plan_.fields[f];
    if (field.is_static || !is_any_met(plan_[field.value].needs, is_met)) continue;
    const ClientRank senders = field.is_sent_by_all ? plan_.layout.clients : 1;
    for (ClientRank rank = 0; rank < senders; ++rank) bytes[rank] += bytes_of(rank, FieldId(f));
  }
  return known_.emplace(is_met, std::make_shared<const std::vector<std::uint64_t>>(std::move(bytes)))
      .first->second;
}

}  // namespace pileus
