#include "explain/rule_costs.h"

#include <algorithm>
#include <iterator>

#include "plan/extracts.h"
#include "plan/held_regions.h"
#include "plan/rule_work.h"
#include "plan/step_kinds.h"

namespace pileus::explain {
namespace {

bool is_on_rank(const Plan& plan, const Rule& rule, ClientRank client) {
  const Value& output = plan[rule.output];
  if (output.spread == Spread::rooted) return false;
  return output.spread != Spread::same || output.is_everywhere || client == 0;
}

/// By value: the variables that are made from it, rising.
std::vector<std::vector<VariableId>> uses_of(const Plan& plan) {
  std::vector<std::vector<VariableId>> uses(plan.values.size());
  for (std::uint32_t v = 0; v < plan.variables.size(); ++v)
    uses[plan.variables[v].value.index].emplace_back(v);
  // Rules stand after those whose results they take, so the uses of an output are complete here.
  for (auto rule = plan.rules.rbegin(); rule != plan.rules.rend(); ++rule) {
    const std::vector<VariableId>& of_output = uses[rule->output.index];
    for (ValueId input : rule->inputs) {
      std::vector<VariableId> joined;
      std::ranges::set_union(uses[input.index], of_output, std::back_inserter(joined));
      uses[input.index] = std::move(joined);
    }
  }
  return uses;
}

/// By value: the number of steps in which it is wanted.
std::vector<std::int64_t> wanted_steps(const Plan& plan, const Steps& steps) {
  std::vector<std::int64_t> steps_of_kind;
  std::vector<std::vector<bool>> is_wanted;  // by kind of step and value
  NeedTracker needs = plan.tracker(steps.start_time_s);
  StepKinds kinds(plan);
  for (const Step& step : steps.steps) {
    needs.advance(step);
    const std::size_t kind = kinds.of(needs);
    if (kind == is_wanted.size()) {
      std::vector<bool>& wanted = is_wanted.emplace_back();
      for (const Value& value : plan.values) wanted.push_back(needs.is_any_met(value.needs));
      steps_of_kind.push_back(0);
    }
    ++steps_of_kind[kind];
  }
  std::vector<std::int64_t> counts(plan.values.size(), 0);
  for (std::size_t kind = 0; kind < is_wanted.size(); ++kind) {
    for (std::size_t v = 0; v < counts.size(); ++v) counts[v] += is_wanted[kind][v] ? steps_of_kind[kind] : 0;
  }
  return counts;
}

std::string where_of(const Plan& plan, const Rule& rule) {
  const Value& output = plan[rule.output];
  if (std::holds_alternative<Communicate>(rule.action))
    return "between the servers, to server " + std::to_string(output.root);
  if (std::holds_alternative<Broadcast>(rule.action))
    return "from server " + std::to_string(plan[rule.inputs[0]].root) + " to all servers";
  const auto* const regrid = std::get_if<Regrid>(&rule.action);
  if (regrid != nullptr && !regrid->how->halo.empty())
    return "between the servers, what lies beside the part of each model rank";
  if (regrid != nullptr) return "between the servers, to those of the model ranks that get a part of it";
  if (output.spread == Spread::rooted) return "server " + std::to_string(output.root);
  if (output.spread == Spread::same && !output.is_everywhere)
    return "the server of model rank 0, for it alone";
  const bool is_whole =
      std::holds_alternative<LocalReduce>(rule.action) && output.spread == Spread::distributed;
  return is_whole ? "the server of each model rank, which holds all that is reduced for its part"
                  : "the server of each model rank, for its part";
}

/// By value: whether the rank hands it over in place of what it is made of.
std::vector<bool> values_handed_over(const Plan& plan, ClientRank client) {
  std::vector<bool> is_handed_over(plan.values.size(), false);
  for (const auto& [field, extracts] : extracts_within_node(plan, client)) {
    for (const Extract& extract : plan[field].extracts)
      for (const ValueId value : extract.values) is_handed_over[value.index] = true;
  }
  return is_handed_over;
}

}  // namespace

std::vector<RuleCost> rule_costs(const Plan& plan, const Steps& steps) {
  const auto uses = uses_of(plan);
  const auto wanted = wanted_steps(plan, steps);
  const std::vector<Region> whole = whole_regions(plan);
  std::vector<RuleCost> all;
  for (std::uint32_t r = 0; r < plan.rules.size(); ++r) {
    const Rule& rule = plan.rules[r];
    RuleCost& cost = all.emplace_back();
    cost.rule = RuleId(r);
    cost.what = what_of(rule);
    cost.where = where_of(plan, rule);
    cost.steps = wanted[rule.output.index];
    cost.operations = operations_of(rule);
    cost.uses = uses[rule.output.index];
    if (plan[rule.output].spread != Spread::rooted) continue;
    cost.elements = elements_of(plan, rule, whole);
    const bool runs = !std::holds_alternative<Communicate>(rule.action) && !plan[rule.output].is_in_bundle;
    if (runs) cost.runs = cost.steps;
  }
  for (ClientRank client = 0; client < plan.layout.clients; ++client) {
    const std::vector<Region> regions = regions_of_client(plan, client);
    const std::vector<bool> is_handed_over = values_handed_over(plan, client);
    for (RuleCost& cost : all) {
      const Rule& rule = plan[cost.rule];
      if (!is_on_rank(plan, rule, client) || is_handed_over[rule.output.index]) continue;
      cost.elements += elements_of(plan, rule, regions);
      if (!std::holds_alternative<Broadcast>(rule.action)) cost.runs += cost.steps;
    }
  }
  return all;
}

}  // namespace pileus::explain
