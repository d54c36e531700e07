#include "checkpoint/kept_statics.h"

#include <algorithm>

#include "core/error.h"

namespace pileus {
namespace {

/// Of a field in its region.
Array array_of(const StateEntry& entry, ElementType type) {
  Array values;
  values.type = type;
  values.extents = entry.region.count;
  if (entry.bytes.size() != values.size_bytes()) throw TransportError("a static field has a wrong size");
  const auto bytes = std::make_shared<const Bytes>(entry.bytes);
  values.bytes = std::shared_ptr<const std::byte>(bytes, bytes->data());
  return values;
}

}  // namespace

/// "orography\ny,x 8,4 double"
StateName static_name(const Plan& plan, const PlannedField& field) {
  std::string names, sizes;
  for (DimensionId id : plan[field.value].dimensions) {
    names += (names.empty() ? "" : ",") + plan[id].name;
    sizes += (sizes.empty() ? "" : ",") + std::to_string(plan[id].size);
  }
  return {kStaticKind, field.name + "\n" + names + " " + sizes + " " + std::string(name(field.type))};
}

std::vector<StateEntry> entries_of(const Plan& plan, const std::vector<KeptStatic>& statics) {
  std::vector<StateEntry> entries;
  for (const KeptStatic& one : statics) {
    const PlannedField& field = plan[one.field];
    const std::span<const std::byte> bytes(one.values.bytes.get(), one.values.size_bytes());
    auto [kind, key] = static_name(plan, field);
    entries.push_back({std::move(kind), std::move(key), one.region, Bytes(bytes.begin(), bytes.end())});
  }
  return entries;
}

std::vector<KeptStatic> kept_statics(const Plan& plan, const StateEntries& entries) {
  std::vector<KeptStatic> kept;
  for (std::size_t f = 0; f < plan.fields.size(); ++f) {
    const PlannedField& field = plan.fields[f];
    if (!field.is_static) continue;
    for (const StateEntry& entry : entries.find(kStaticKind, static_name(plan, field).second))
      kept.push_back({FieldId(f), entry.region, array_of(entry, field.type)});
  }
  return kept;
}

std::vector<std::string> fields_kept_whole(const Plan& plan, const StateEntries& entries) {
  std::vector<std::string> whole;
  for (std::size_t f = 0; f < plan.fields.size(); ++f) {
    if (!plan.fields[f].is_static) continue;
    const auto kept = entries.find(kStaticKind, static_name(plan, plan.fields[f]).second);
    const auto has_all = [&](std::size_t rank) {
      const Region region = plan.regions[rank][f];
      Index found = 0;
      for (const StateEntry& entry : kept) found += common(entry.region, region).size();
      return found == region.size();
    };
    bool is_whole = !kept.empty();
    for (std::size_t rank = 0; is_whole && rank < plan.regions.size(); ++rank) is_whole = has_all(rank);
    if (is_whole) whole.push_back(plan.fields[f].name);
  }
  return whole;
}

void mark_kept_statics(Plan& plan, const std::vector<std::string>& names) {
  for (PlannedField& field : plan.fields)
    field.is_kept = field.is_static && std::ranges::find(names, field.name) != names.end();
}

}  // namespace pileus
