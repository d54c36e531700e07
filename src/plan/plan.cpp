#include "plan/plan.h"

#include <numeric>
#include <set>
#include <string>

#include "plan/extracts.h"

namespace pileus {

std::string text(const Lookback& lookback) {
  if (lookback.records == 0) return "";
  const std::string before = lookback.steps == 1  ? "1 step"
                             : lookback.steps > 1 ? std::to_string(lookback.steps) + " steps"
                                                  : text(Frequency(lookback.time_s));
  return ", from " + before + " before its trigger on";
}

std::vector<std::string> Plan::readers() const {
  std::set<std::string> all;
  for (const PlannedFile& file : files) all.insert(file.readers.begin(), file.readers.end());
  return {all.begin(), all.end()};
}

Extents Plan::extents(ValueId id) const {
  Extents extents;
  for (DimensionId dimension : (*this)[id].dimensions) extents.push_back((*this)[dimension].size);
  return extents;
}

Extents Plan::extents_before(const Variable& variable) const {
  Extents extents;
  for (const DimensionId dimension : variable.dimensions) extents.push_back((*this)[dimension].size);
  return extents;
}

Extents Plan::extents_in_file(const Variable& variable) const {
  Extents extents = extents_before(variable);
  if (const auto& level = variable.level) {
    for (std::size_t d = 0; d < extents.size(); ++d)
      extents[d] = (extents[d] + level->lengths[d] - 1) / level->lengths[d];
  }
  return extents;
}

Reduction Plan::reduction_of(ValueId id) const {
  const Rule& rule = (*this)[(*this)[id].rule];
  if (const auto* local = std::get_if<LocalReduce>(&rule.action)) return local->reduction;
  if (const auto* sift = std::get_if<SiftPart>(&rule.action)) return sift->pick->reduction;
  const auto* between = std::get_if<Communicate>(&rule.action);
  if (between != nullptr && !between->takes_rank_zero) return between->reduction;
  return reduction_of(rule.inputs[0]);  // it is scaled or sent, and stays what it was
}

Region Plan::held(const Value& value, const std::vector<Region>& regions) const {
  Region region;
  for (std::size_t d = 0; d < value.dimensions.size(); ++d) {
    const HeldPart part = d < value.parts.size() ? value.parts[d] : HeldPart{};
    const ValueId source = part.field.is_valid() ? (*this)[part.field].value : part.made;
    region.add(source.is_valid() ? regions[source.index].along(static_cast<std::size_t>(part.axis))
                                 : IndexSet(0, (*this)[value.dimensions[d]].size));
  }
  return region;
}

std::vector<ServerRank> Plan::members(const Tree& tree) const {
  std::set<ServerRank> members = {tree.root};
  for (ClientRank client = 0; client < layout.clients; ++client) {
    if (contributes(client, tree)) members.insert(layout.server_of(client));
  }
  return {members.begin(), members.end()};
}

std::int64_t Plan::common_steps() const {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  std::vector<std::int64_t> all = {checkpoints.steps};
  for (const Need& need : needs) all.push_back(need.cadence.steps);
  for (const PlannedFile& file : files) all.push_back(file.write_frequency_steps);
  std::int64_t common = 1;
  for (const std::int64_t steps : all) {
    if (steps <= 0) continue;
    const std::int64_t factor = steps / std::gcd(common, steps);
    if (factor > kMost / common) return 0;
    common *= factor;
  }
  return common;
}

Demand Plan::demand(ClientRank client, std::uint64_t budget_bytes) const {
  Demand demand{needs, {}, budget_bytes, continued, checkpoints, common_steps()};
  for (const PlannedGroup& group : groups) {
    GroupDemand& out = demand.groups.emplace_back(GroupDemand{group.name, group.frequency, {}});
    for (FieldId id : group.fields) {
      const PlannedField& field = (*this)[id];
      const bool is_sent = field.is_sent_by_all || client == 0;
      out.fields.push_back({field.registered, field.type, field.is_optional, is_sent,
                            (*this)[field.value].needs, field.is_static, field.is_kept});
    }
  }
  add_extracts(*this, client, demand);
  return demand;
}

}  // namespace pileus
