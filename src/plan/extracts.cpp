#include "plan/extracts.h"

#include <algorithm>
#include <exception>
#include <numeric>
#include <optional>

#include "plan/held_regions.h"

namespace pileus {
namespace {

/// What is predicted, in seconds: to add up an element, to copy a byte, and what a byte costs the model and
/// the network on its way to another node. They are of this size on the machines of docs/performance.md.
constexpr double kSum_s = 1e-9, kCopy_s = 0.2e-9, kSend_s = 0.5e-9;
/// Extracts are handed over where they are at most this part of the field; Partials are to be far less.
constexpr std::uint64_t kWorthElements = 2, kWorthPartials = 4;

/// What needs each value.
struct Uses {
  explicit Uses(const Plan& plan) : rules(plan.values.size()), variables(plan.values.size()) {
    for (std::size_t r = 0; r < plan.rules.size(); ++r)
      for (const ValueId input : plan.rules[r].inputs) rules[input.index].emplace_back(r);
    for (std::size_t v = 0; v < plan.variables.size(); ++v)
      variables[plan.variables[v].value.index].emplace_back(v);
    for (const Variable& variable : plan.statics) is_static.push_back(variable.value);
  }
  bool is_in_static(ValueId value) const { return std::ranges::find(is_static, value) != is_static.end(); }

  std::vector<std::vector<RuleId>> rules;          ///< by value
  std::vector<std::vector<VariableId>> variables;  ///< by value
  std::vector<ValueId> is_static;
};

/// The extract of a value's elements, cast to float where nothing but records of instants needs them, all of
/// which have floats with as many bits.
Extract elements_of(const Plan& plan, const Uses& uses, ValueId id) {
  const Value& value = plan[id];
  Extract extract{{id}, value.type};
  const std::vector<VariableId>& variables = uses.variables[id.index];
  // A number that is almost the missing one might become it.
  if (value.type != ElementType::float64 || value.missing || variables.empty()) return extract;
  if (!uses.rules[id.index].empty() || uses.is_in_static(id)) return extract;
  const int bits = plan[variables.front()].storage.significant_bits;
  const bool are_floats = std::ranges::all_of(variables, [&](VariableId variable) {
    const Schedule& schedule = plan[plan[variable].schedule];
    // Rounded to floats before it is converted, a value would be rounded twice.
    return !plan[variable].change && plan[variable].type == ElementType::float32 &&
           plan[variable].storage.significant_bits == bits && plan[variable].storage.step == 0 &&
           !schedule.manipulation.covers_window() && schedule.keeps_type();
  });
  if (!are_floats) return extract;
  extract.type = ElementType::float32;
  extract.significant_bits = bits;
  return extract;
}

bool is_cheap(const Rule& rule) {
  const auto* action = std::get_if<LocalReduce>(&rule.action);
  if (action == nullptr || action->computed || rule.inputs.size() != 1) return false;
  const Keeps keeps = keeps_of(action->reduction);
  return keeps == Keeps::sum || keeps == Keeps::extreme || keeps == Keeps::count;
}

bool picks(const Rule& rule) {
  const auto* action = std::get_if<Apply>(&rule.action);
  return action != nullptr && action->prepared && action->prepared->picks && rule.inputs.size() == 1;
}

/// Sums and means of the same are read from the same Partials.
bool are_of_same(const Rule& a, const Rule& b) {
  const auto& one = std::get<LocalReduce>(a.action);
  const auto& other = std::get<LocalReduce>(b.action);
  const bool are_alike = one.reduction == other.reduction ||
                         (keeps_of(one.reduction) == Keeps::sum && keeps_of(other.reduction) == Keeps::sum);
  return are_alike && one.reduced_axes == other.reduced_axes;
}

void add_reduced(const Plan& plan, const Rule& rule, std::vector<Extract>& extracts) {
  const auto same = std::ranges::find_if(extracts, [&](const Extract& extract) {
    return extract.is_reduced && are_of_same(plan[plan[extract.values[0]].rule], rule);
  });
  if (same != extracts.end()) return same->values.push_back(rule.output);
  extracts.push_back({{rule.output}, ElementType::float64, 0, true});
}

/// Empty: something needs all of the field as it is.
std::vector<Extract> extracts_of_field(const Plan& plan, const Uses& uses, const PlannedField& field) {
  const Value& value = plan[field.value];
  const bool may_be = value.spread == Spread::distributed && !field.is_static && !field.is_held &&
                      !field.points && is_number(value.type) && !value.has_nameless_shape &&
                      !uses.is_in_static(field.value);
  if (!may_be || field.pushdown == Pushdown::no) return {};
  std::vector<Extract> extracts;
  for (const RuleId id : uses.rules[field.value.index]) {
    const Rule& rule = plan[id];
    if (picks(rule)) {
      extracts.push_back(elements_of(plan, uses, rule.output));
    } else if (is_cheap(rule)) {
      add_reduced(plan, rule, extracts);
    } else {
      return {};
    }
  }
  if (uses.variables[field.value.index].empty()) return extracts;
  // Beside others the elements themselves would be a second copy.
  const Extract whole = elements_of(plan, uses, field.value);
  return extracts.empty() && whole.type != value.type ? std::vector{whole} : std::vector<Extract>{};
}

void add_needs(const Plan& plan, const Extract& extract, std::vector<std::uint32_t>& needs) {
  for (const ValueId value : extract.values)
    needs.insert(needs.end(), plan[value].needs.begin(), plan[value].needs.end());
  std::ranges::sort(needs);
  needs.erase(std::ranges::unique(needs).begin(), needs.end());
}

ExtractDemand demand_of(const Plan& plan, const PlannedField& field, const Extract& extract,
                        const std::vector<Region>& regions) {
  ExtractDemand demand;
  add_needs(plan, extract, demand.needs);
  demand.type = extract.type;
  demand.significant_bits = extract.significant_bits;
  demand.is_reduced = extract.is_reduced;
  demand.missing = plan[field.value].missing;
  const Region& part = regions[field.value.index];
  if (extract.values[0] == field.value) {
    demand.extents = part.count;
    return demand;
  }
  const Rule& rule = plan[plan[extract.values[0]].rule];
  const Region& made = regions[rule.output.index];
  demand.extents = made.count;
  if (const auto* reduce = std::get_if<LocalReduce>(&rule.action)) {
    demand.reduction = keeps_of(reduce->reduction) == Keeps::sum ? Reduction::sum : reduce->reduction;
    demand.axes.assign(reduce->reduced_axes.begin(), reduce->reduced_axes.end());
    demand.start = without_axes(part, reduce->reduced_axes).start;
    for (std::size_t d = 0; d < demand.start.size(); ++d) demand.start[d] -= made.start[d];
    return demand;
  }
  if (made.size() == 0) {
    demand.first = demand.count = Extents(part.count.size(), 0);
    demand.step = Extents(part.count.size(), 1);
    return demand;
  }
  try {
    const operators::Picked picked =
        std::get<Apply>(rule.action).prepared->picks(operators::Region{part.start, part.count});
    demand.first = picked.first;
    demand.count = picked.count;
    demand.step = picked.step;
  } catch (const std::exception&) {
    demand.first.clear();  // not of the part's rank, so that it is not right
    demand.extents = {-1};
  }
  return demand;
}

/// Whether elements that an operator says it picks are there, and as many as its result has.
bool are_right(const ExtractDemand& extract, bool is_picked, const Extents& part) {
  if (extract.is_reduced || !is_picked) return true;
  const std::size_t rank = part.size();
  if (extract.first.size() != rank || extract.count.size() != rank || extract.step.size() != rank)
    return false;
  for (std::size_t d = 0; d < rank; ++d) {
    const Index first = extract.first[d], count = extract.count[d], step = extract.step[d];
    if (first < 0 || count < 0 || step < 1 || count > part[d]) return false;
    if (count > 0 && (first >= part[d] || count - 1 > (part[d] - 1 - first) / step)) return false;
  }
  return Region{{}, extract.count}.size() == Region{{}, extract.extents}.size();
}

/// What extracts of a field are on one rank.
struct Offer {
  FieldId field;
  std::vector<ExtractDemand> extracts{};
  bool has_partials = false;
  double saved_bytes = 0;
  double cost_s = 0;  ///< of the model rank, beside that of handing over all of the field
};

std::optional<Offer> offer(const Plan& plan, FieldId id, const std::vector<Region>& regions) {
  const PlannedField& field = plan[id];
  const Extents& part = regions[field.value.index].count;
  const auto elements = static_cast<double>(regions[field.value.index].size());
  Offer offer{id};
  std::size_t sums = 0;
  for (const Extract& extract : field.extracts) {
    offer.extracts.push_back(demand_of(plan, field, extract, regions));
    if (!are_right(offer.extracts.back(), extract.values[0] != field.value, part)) return std::nullopt;
    sums += extract.is_reduced ? 1 : 0;
  }
  offer.has_partials = sums > 0;
  const std::uint64_t bytes = extract_offsets(offer.extracts, part).back();
  const auto whole = static_cast<std::uint64_t>(regions[field.value.index].size()) * size_bytes(field.type);
  // A little more than half is what casts and long tables of extracts come to.
  constexpr std::uint64_t kTable = 2 * kExtractAlignment;
  if (bytes > whole / (offer.has_partials ? kWorthPartials : kWorthElements) + kTable) return std::nullopt;
  if (bytes >= whole) return std::nullopt;
  offer.saved_bytes = static_cast<double>(whole - bytes);
  const double sums_s = static_cast<double>(sums) * elements * kSum_s;
  if (sums_s > offer.saved_bytes * kSend_s) return std::nullopt;
  offer.cost_s = std::max(0.0, sums_s - offer.saved_bytes * kCopy_s);
  return offer;
}

}  // namespace

void choose_extracts(Plan& plan) {
  const Uses uses(plan);
  for (PlannedField& field : plan.fields) field.extracts = extracts_of_field(plan, uses, field);
}

FieldExtracts extracts_of(const Plan& plan, ClientRank client) {
  const bool has_any =
      std::ranges::any_of(plan.fields, [](const PlannedField& field) { return !field.extracts.empty(); });
  if (!has_any) return {};
  const std::vector<Region> regions = regions_of_client(plan, client);
  std::vector<Offer> offers;
  for (std::size_t f = 0; f < plan.fields.size(); ++f) {
    if (plan.fields[f].extracts.empty()) continue;
    if (auto one = offer(plan, FieldId(f), regions)) offers.push_back(std::move(*one));
  }
  // Those that save most for their time come first.
  std::ranges::stable_sort(offers, [](const Offer& a, const Offer& b) {
    return a.saved_bytes * b.cost_s > b.saved_bytes * a.cost_s;
  });
  FieldExtracts extracts;
  double cost_s = 0;
  for (Offer& one : offers) {
    if (cost_s + one.cost_s > plan.pushdown_budget_s) continue;
    cost_s += one.cost_s;
    extracts.emplace(one.field, std::move(one.extracts));
  }
  return extracts;
}

bool is_for_far_servers(const PlannedField& field, const std::vector<ExtractDemand>& extracts) {
  return field.pushdown != Pushdown::yes && std::ranges::any_of(extracts, &ExtractDemand::is_reduced);
}

FieldExtracts extracts_within_node(const Plan& plan, ClientRank client) {
  FieldExtracts extracts = extracts_of(plan, client);
  std::erase_if(extracts, [&](const auto& one) { return is_for_far_servers(plan[one.first], one.second); });
  return extracts;
}

void add_extracts(const Plan& plan, ClientRank client, Demand& demand) {
  for (auto& [id, extracts] : extracts_of(plan, client)) {
    const PlannedField& field = plan[id];
    const std::vector<FieldId>& fields = plan[field.group].fields;
    const auto place = static_cast<std::size_t>(std::ranges::find(fields, id) - fields.begin());
    FieldDemand& of_field = demand.groups[field.group.index].fields[place];
    of_field.is_for_far_servers = is_for_far_servers(field, extracts);
    of_field.extracts = std::move(extracts);
  }
}

}  // namespace pileus
