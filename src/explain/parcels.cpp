#include "explain/parcels.h"

#include <algorithm>

#include "plan/extracts.h"

namespace pileus::explain {

Parcels::Parcels(const Plan& plan, ClientRank rank, const RankDescription& registered) : plan_(plan) {
  const FieldExtracts extracts = extracts_within_node(plan, rank);
  for (const PlannedGroup& group : plan.groups) {
    std::vector<std::uint64_t> sizes;
    std::vector<std::uint32_t> sent;
    for (std::uint32_t place = 0; place < group.fields.size(); ++place) {
      const PlannedField& field = plan[group.fields[place]];
      const auto found = std::ranges::find(registered.fields, field.registered, &ModelField::name);
      const bool has_it = found != registered.fields.end();
      const auto in_place = extracts.find(group.fields[place]);
      sizes.push_back(!has_it ? 0
                      : in_place != extracts.end()
                          ? extract_offsets(in_place->second, found->region.count).back()
                          : static_cast<std::uint64_t>(found->region.size()) * size_bytes(field.type));
      if (field.is_sent_by_all || rank == 0) sent.push_back(place);
    }
    groups_.push_back({ParcelWriter(std::move(sizes)), std::move(sent)});
  }
}

std::vector<Parcels::Parcel> Parcels::sizes_bytes(const NeedTracker& needs) {
  std::vector<Parcel> sizes;
  const auto first = std::ranges::find_if(plan_.needs, &Need::at_first) - plan_.needs.begin();
  const bool is_first = first < std::ssize(plan_.needs) && needs.is_met(static_cast<std::size_t>(first));
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    std::vector<std::uint32_t> chosen;
    bool is_sent = false;
    for (const std::uint32_t place : groups_[g].sent) {
      const PlannedField& field = plan_[plan_.groups[g].fields[place]];
      if (!needs.is_any_met(plan_[field.value].needs)) continue;
      is_sent = true;
      if (!field.is_static || is_first) chosen.push_back(place);
    }
    groups_[g].parcel.lay_out(chosen);
    if (is_sent) sizes.push_back({g, groups_[g].parcel.size_bytes()});
  }
  return sizes;
}

}  // namespace pileus::explain
