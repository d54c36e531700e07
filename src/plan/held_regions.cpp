#include "plan/held_regions.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "core/halo.h"
#include "plan/points.h"

namespace pileus {
namespace {

Region whole(const Plan& plan, const Value& value) {
  Region region;
  for (DimensionId dimension : value.dimensions) region.add(IndexSet(0, plan[dimension].size));
  return region;
}

/// The part of its result that the operator says it makes from these parts of its inputs.
Region made_region(const Plan& plan, const Rule& rule, const operators::Prepared& prepared,
                   const std::vector<Region>& regions) {
  if (!prepared.region) return held_region(plan, rule, plan[rule.output], regions);
  std::vector<operators::Region> inputs;
  for (ValueId input : rule.inputs)
    inputs.push_back({regions[input.index].start, regions[input.index].count});
  const operators::Region made = prepared.region(inputs);
  return {made.start, made.count};
}

/// The part of a regridding's result that a rank's stream gets. `input`: what the rank has of its input.
Region regridded_region(const Plan& plan, const Rule& rule, ClientRank client, const Region& input) {
  const Regridding& how = *std::get<Regrid>(rule.action).how;
  if (!how.halo.empty()) return with_halo(input, how.axes, how.halo, plan.extents(rule.output));
  Region region = whole(plan, plan[rule.output]);
  const std::size_t slowest = slowest_of_points(how);
  const IndexSet::Range part = dealt_part(region.count[slowest], client, plan.layout.clients);
  region.start[slowest] = part.first;
  region.count[slowest] = part.count;
  return region;
}

bool is_regridded(const Rule& rule) { return std::holds_alternative<Regrid>(rule.action); }

}  // namespace

/// The region as the Plan has it; a nameless shape has the region of the input that has one.
Region held_region(const Plan& plan, const Rule& rule, const Value& made,
                   const std::vector<Region>& regions) {
  if (made.has_nameless_shape) {
    for (ValueId input : rule.inputs) {
      if (plan[input].has_nameless_shape) return regions[input.index];
    }
  }
  return plan.held(made, regions);
}

Region without_axes(const Region& held, const std::vector<int>& axes) {
  Region left;
  for (std::size_t d = 0; d < held.count.size(); ++d)
    if (std::ranges::count(axes, static_cast<int>(d)) == 0) left.add(held.along(d));
  return left;
}

std::vector<Region> regions_of_client(const Plan& plan, ClientRank client) {
  std::vector<Region> regions(plan.values.size());
  for (std::size_t v = 0; v < plan.values.size(); ++v) {
    const Value& value = plan.values[v];
    if (value.field.is_valid()) regions[v] = plan.regions[client][value.field.index];
  }
  for (const Rule& rule : plan.rules) {
    const Value& output = plan[rule.output];
    if (output.spread == Spread::rooted) continue;
    Region& region = regions[rule.output.index];
    const auto* applied = std::get_if<Apply>(&rule.action);
    region = is_regridded(rule) ? regridded_region(plan, rule, client, regions[rule.inputs.front().index])
             : applied          ? made_region(plan, rule, *applied->prepared, regions)
                                : held_region(plan, rule, output, regions);
  }
  return regions;
}

std::vector<Region> regions_of_value(const Plan& plan, ValueId id) {
  const Value& value = plan[id];
  std::vector<Region> regions(plan.layout.clients);
  if (value.field.is_valid()) {
    for (ClientRank client = 0; client < plan.layout.clients; ++client)
      regions[client] = plan.regions[client][value.field.index];
    return regions;
  }
  if (is_regridded(plan[value.rule])) {
    const Rule& rule = plan[value.rule];
    const bool has_halo = !std::get<Regrid>(rule.action).how->halo.empty();
    if (has_halo) regions = regions_of_value(plan, rule.inputs.front());
    for (ClientRank client = 0; client < plan.layout.clients; ++client)
      regions[client] = regridded_region(plan, rule, client, regions[client]);
    return regions;
  }
  const auto* applied = std::get_if<Apply>(&plan[value.rule].action);
  const bool says_itself = applied && applied->prepared->region;
  std::map<ValueId, std::vector<Region>> sources;
  const auto add = [&](ValueId source) {
    if (!sources.contains(source)) sources.emplace(source, regions_of_value(plan, source));
  };
  if (says_itself) std::ranges::for_each(plan[value.rule].inputs, add);
  for (const HeldPart& part : value.parts) {
    if (part.field.is_valid()) add(plan[part.field].value);
    if (part.made.is_valid()) add(part.made);
  }
  std::vector<Region> of_client(plan.values.size());
  for (ClientRank client = 0; client < plan.layout.clients; ++client) {
    for (const auto& [source, held] : sources) of_client[source.index] = held[client];
    regions[client] = says_itself ? made_region(plan, plan[value.rule], *applied->prepared, of_client)
                                  : plan.held(value, of_client);
  }
  return regions;
}

RankRegions regions_of_parts(const Plan& plan) {
  RankRegions regions(plan.layout.clients);
  std::vector<RankRegions::Column> distinct = {
      std::make_shared<const RankColumn>(std::vector<Region>(plan.layout.clients))};
  for (std::size_t v = 0; v < plan.values.size(); ++v) regions.add(distinct.front());
  std::set<ValueId> values;
  for (const Variable& variable : plan.variables) {
    if (plan[variable.value].spread == Spread::distributed) values.insert(variable.value);
  }
  for (const ValueId value : values) {
    auto column = std::make_shared<const RankColumn>(regions_of_value(plan, value));
    const auto known = std::ranges::find_if(distinct, [&](const auto& other) { return *other == *column; });
    regions.set_column(value.index, known == distinct.end() ? distinct.emplace_back(column) : *known);
  }
  return regions;
}

std::vector<Region> whole_regions(const Plan& plan) {
  std::vector<Region> regions(plan.values.size());
  for (std::size_t v = 0; v < plan.values.size(); ++v) {
    if (!plan.values[v].has_nameless_shape) regions[v] = whole(plan, plan.values[v]);
  }
  return regions;
}

}  // namespace pileus
