#include "explain/handed_over.h"

#include <map>

namespace pileus::explain {
namespace {

std::string names_of(const Plan& plan, const Extract& extract) {
  std::string names;
  for (const ValueId value : extract.values)
    names += (names.empty() ? "" : ", ") + plan[plan[value].rule].name;
  return names;
}

std::string what_of(const Plan& plan, const PlannedField& field, const Extract& extract) {
  std::string as = extract.type == field.type ? "" : "as " + std::string(name(extract.type));
  if (extract.significant_bits > 0) as += " rounded to " + std::to_string(extract.significant_bits) + " bits";
  if (extract.is_reduced) return "Partials for " + names_of(plan, extract);
  if (extract.values[0] == field.value) return as;
  return "the elements that " + names_of(plan, extract) + " takes" + (as.empty() ? "" : ", " + as);
}

std::string what_of(const Plan& plan, const PlannedField& field) {
  std::string text;
  for (const Extract& extract : field.extracts)
    text += (text.empty() ? "" : "; ") + what_of(plan, field, extract);
  return text;
}

}  // namespace

std::vector<HandedOver> handed_over(const Plan& plan) {
  std::map<FieldId, HandedOver> by_field;
  for (ClientRank client = 0; client < plan.layout.clients; ++client) {
    for (const auto& [id, extracts] : extracts_of(plan, client)) {
      HandedOver& one = by_field[id];
      one.field = id;
      one.is_for_far_servers = is_for_far_servers(plan[id], extracts);
      ++one.ranks;
      const Region& part = plan.regions[client][id.index];
      one.bytes += extract_offsets(extracts, part.count).back();
      one.whole_bytes += static_cast<std::uint64_t>(part.size()) * size_bytes(plan[id].type);
    }
  }
  std::vector<HandedOver> all;
  for (auto& [id, one] : by_field) {
    one.what = what_of(plan, plan[id]);
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace pileus::explain
