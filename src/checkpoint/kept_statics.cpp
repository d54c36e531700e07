#include "checkpoint/kept_statics.h"

#include <algorithm>

#include "core/error.h"

namespace pileus {
namespace {

constexpr const char* kStatic = "static";

/// "z,y 8,4": what the region counts in.
std::string shape_of(const Plan& plan, const PlannedField& field) {
  std::string names, sizes;
  for (DimensionId id : plan[field.value].dimensions) {
    names += (names.empty() ? "" : ",") + plan[id].name;
    sizes += (sizes.empty() ? "" : ",") + std::to_string(plan[id].size);
  }
  return names + " " + sizes;
}

}  // namespace

std::vector<StateEntry> entries_of(const Plan& plan, const std::vector<KeptStatic>& statics) {
  std::vector<StateEntry> entries;
  for (const KeptStatic& one : statics) {
    const PlannedField& field = plan[one.field];
    StateEntry& entry = entries.emplace_back(StateEntry{kStatic, field.name, one.region, {}});
    Encoder out(entry.bytes);
    out.put(one.values.type);
    out.put(std::string_view(shape_of(plan, field)));
    out.put_raw({one.values.bytes.get(), one.values.size_bytes()});
  }
  return entries;
}

std::vector<KeptStatic> kept_statics(const Plan& plan, const StateEntries& entries) {
  std::vector<KeptStatic> kept;
  for (std::size_t f = 0; f < plan.fields.size(); ++f) {
    const PlannedField& field = plan.fields[f];
    if (!field.is_static) continue;
    for (const StateEntry& entry : entries.find(kStatic, field.name)) {
      Decoder in(entry.bytes);
      Array values;
      values.type = in.get<ElementType>();
      if (!is_known(values.type)) throw TransportError("a static field is of an unknown type");
      const bool is_same = in.get_text() == shape_of(plan, field) && values.type == field.type;
      values.extents = entry.region.count;
      if (in.rest().size() != values.size_bytes()) throw TransportError("a static field has a wrong size");
      const auto bytes = std::make_shared<std::vector<std::byte>>(in.rest().begin(), in.rest().end());
      values.bytes = std::shared_ptr<const std::byte>(bytes, bytes->data());
      if (is_same) kept.push_back({FieldId(f), entry.region, std::move(values)});
    }
  }
  return kept;
}

void mark_kept_statics(Plan& plan, const StateEntries& entries) {
  const std::vector<KeptStatic> kept = kept_statics(plan, entries);
  for (std::size_t f = 0; f < plan.fields.size(); ++f) {
    const auto has_all = [&](std::size_t rank) {
      Index found = 0;
      bool is_any = false;
      for (const KeptStatic& one : kept) {
        if (one.field != FieldId(f)) continue;
        is_any = true;
        found += common(one.region, plan.regions[rank][f]).size();
      }
      return is_any && found == plan.regions[rank][f].size();
    };
    bool is_kept = plan.fields[f].is_static;
    for (std::size_t rank = 0; is_kept && rank < plan.regions.size(); ++rank) is_kept = has_all(rank);
    plan.fields[f].is_kept = is_kept;
  }
}

}  // namespace pileus
