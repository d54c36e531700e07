#include "plan/parcel_costs.h"

#include <utility>

#include "plan/extracts.h"
#include "plan/points.h"
#include "plan/step_kinds.h"

namespace pileus {
namespace {

/// As of the costs of steps.
constexpr std::size_t kMostKindsOfParcels = 256;

}  // namespace

ParcelCosts::ParcelCosts(const Plan& plan) : plan_(plan), bytes_(plan.fields.size()) {
  for (ClientRank rank = 0; rank < plan.layout.clients; ++rank) {
    for (const auto& [field, extracts] : extracts_within_node(plan, rank)) {
      std::vector<std::uint64_t>& bytes = bytes_[field.index];
      if (bytes.empty()) {
        for (ClientRank each = 0; each < plan.layout.clients; ++each)
          bytes.push_back(bytes_handed_over(plan, each, field));
      }
      bytes[rank] = extract_offsets(extracts, plan.regions[rank][field.index].count).back();
    }
  }
}

ParcelCosts::Bytes ParcelCosts::of(const std::vector<bool>& is_met) {
  if (const auto known = known_.find(is_met); known != known_.end()) return known->second;
  if (known_.size() == kMostKindsOfParcels) known_.clear();
  std::vector<std::uint64_t> bytes(plan_.layout.clients, 0);
  for (std::size_t f = 0; f < plan_.fields.size(); ++f) {
    const PlannedField& field = plan_.fields[f];
    if (field.is_static || !is_any_met(plan_[field.value].needs, is_met)) continue;
    const ClientRank senders = field.is_sent_by_all ? plan_.layout.clients : 1;
    const std::vector<std::uint64_t>& known = bytes_[f];
    for (ClientRank rank = 0; rank < senders; ++rank)
      bytes[rank] += known.empty() ? bytes_handed_over(plan_, rank, FieldId(f)) : known[rank];
  }
  return known_.emplace(is_met, std::make_shared<const std::vector<std::uint64_t>>(std::move(bytes)))
      .first->second;
}

}  // namespace pileus
