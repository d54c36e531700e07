#include "analytics/local_sweeps.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <new>
#include <set>

#include "analytics/sweep_grouping.h"
#include "core/error.h"
#include "core/error_text.h"

namespace pileus {
namespace {

const std::vector<int>& axes_of_rule(const Plan& plan, RuleId rule) {
  return std::get<LocalReduce>(plan[rule].action).reduced_axes;
}

/// The rules of one domain, each with others whose cells its own are made of.
std::vector<std::vector<RuleId>> rules_with_common_cells(const Plan& plan, const std::vector<Index>& extents,
                                                         std::vector<RuleId> rules) {
  std::ranges::stable_sort(rules, {}, [&](RuleId rule) { return axes_of_rule(plan, rule).size(); });
  std::vector<std::vector<RuleId>> groups;
  for (const RuleId rule : rules) {
    const std::vector<int>& axes = axes_of_rule(plan, rule);
    const auto found = std::ranges::find_if(groups, [&](const std::vector<RuleId>& group) {
      return std::ranges::includes(axes, axes_of_rule(plan, group.front()));
    });
    if (found != groups.end()) {
      found->push_back(rule);
    } else if (sweep_shape(extents, axes)) {
      groups.push_back({rule});
    }
  }
  for (std::vector<RuleId>& group : groups) std::ranges::sort(group);
  return groups;
}

/// A sweep passes over its fields twice, the rule of a sum or moment of one field only once. So these join
/// where a field is in the sweep anyway, and equations where they share one; extremes and covariances always.
std::vector<RuleId> rules_that_gain(const Plan& plan, const SweptValues& swept_values,
                                    const std::vector<RuleId>& group) {
  std::map<ValueId, std::size_t> takers;
  std::set<ValueId> is_there_anyway;
  const auto always_gains = [&](RuleId rule) {
    const ReductionDeclaration& reduction =
        declaration_of(std::get<LocalReduce>(plan[rule].action).reduction);
    return reduction.takes_pairs || reduction.keeps == Keeps::extreme;
  };
  for (const RuleId rule : group) {
    const bool needs_field = always_gains(rule) || !swept_values.is_of_field_alone(plan[rule]);
    for (const ValueId field : swept_values.fields_behind(plan[rule])) {
      ++takers[field];
      if (needs_field) is_there_anyway.insert(field);
    }
  }
  std::vector<RuleId> gaining;
  std::ranges::copy_if(group, std::back_inserter(gaining), [&](RuleId rule) {
    const auto is_shared = [&](ValueId field) {
      return takers[field] > 1 && is_there_anyway.contains(field);
    };
    return always_gains(rule) || std::ranges::any_of(swept_values.fields_behind(plan[rule]), is_shared);
  });
  return gaining;
}

std::vector<std::vector<RuleId>> groups_of(const Plan& plan, const SweptValues& swept_values,
                                           const std::vector<Index>& extents,
                                           const std::vector<RuleId>& rules) {
  std::vector<RuleId> gaining;
  for (const std::vector<RuleId>& group : rules_with_common_cells(plan, extents, rules))
    std::ranges::copy(rules_that_gain(plan, swept_values, group), std::back_inserter(gaining));
  // Those that are left may be made of fewer cells than all were.
  return rules_with_common_cells(plan, extents, gaining);
}

}  // namespace

LocalSweeps::LocalSweeps(const Plan& plan, const std::vector<RuleId>& rules, RuleRunner& runner)
    : plan_(plan), runner_(runner), sweep_of_(plan.rules.size()) {
  const SweptValues swept_values(plan, runner);
  std::map<SweptDomain, std::vector<RuleId>> rules_of_domain;
  for (const RuleId rule : rules) {
    if (const auto domain = swept_values.domain_of(plan[rule])) rules_of_domain[*domain].push_back(rule);
  }
  for (const auto& [domain, of_domain] : rules_of_domain) {
    const std::vector<Index>& extents = domain.region.count;
    for (const std::vector<RuleId>& group : groups_of(plan, swept_values, extents, of_domain))
      add_sweep(swept_values, extents, group);
  }
  std::vector<bool> is_swept;
  for (const std::optional<std::size_t>& sweep : sweep_of_) is_swept.push_back(sweep.has_value());
  is_within_ = rules_within_sweeps(plan, rules, is_swept);
  for (const std::unique_ptr<Swept>& swept : swept_) {
    for (Member& member : swept->members)
      std::erase_if(member.within, [&](RuleId rule) { return !is_within_sweeps(rule); });
  }
}

void LocalSweeps::add_sweep(const SweptValues& swept_values, const std::vector<Index>& extents,
                            const std::vector<RuleId>& group) {
  auto& swept = *swept_.emplace_back(std::make_unique<Swept>());
  const auto cells =
      std::ranges::min_element(group, {}, [&](RuleId rule) { return axes_of_rule(plan_, rule).size(); });
  const std::vector<int>& cell_axes = axes_of_rule(plan_, *cells);
  for (const RuleId rule : group) {
    const std::vector<int>& axes = axes_of_rule(plan_, rule);
    SweptResult result = swept_values.add(swept.nodes, plan_[rule]);
    result.extents = runner_.region(plan_[rule].output).count;
    if (axes != cell_axes) result.target_of_cell = targets_of_cells(extents, cell_axes, axes);
    Member& member = swept.members.emplace_back(Member{rule, std::move(result), {}, {}});
    for (const ValueId value : swept_values.values_behind(plan_[rule])) {
      if (plan_[value].field.is_valid()) member.fields.push_back(value);
      if (plan_[value].rule.is_valid()) member.within.push_back(plan_[value].rule);
    }
    sweep_of_[rule.index] = swept_.size() - 1;
  }
  swept.sweep = std::make_unique<Sweep>(swept.nodes, *sweep_shape(extents, cell_axes));
}

std::optional<std::size_t> LocalSweeps::sweep_of(RuleId rule) const { return sweep_of_[rule.index]; }

const LocalSweeps::Member& LocalSweeps::member(std::size_t sweep, RuleId rule) const {
  return *std::ranges::lower_bound(swept_[sweep]->members, rule, {}, &Member::rule);
}

bool LocalSweeps::is_ready(std::size_t sweep, const std::vector<RuleId>& rules,
                           const std::function<bool(ValueId)>& is_settled) const {
  return std::ranges::all_of(
      rules, [&](RuleId rule) { return std::ranges::all_of(member(sweep, rule).fields, is_settled); });
}

void LocalSweeps::run(std::size_t sweep, const std::vector<RuleId>& rules, StepValues& values) {
  std::vector<RuleId> run;
  std::vector<const SweptResult*> wanted;
  for (const RuleId rule : rules) {
    const Member& one = member(sweep, rule);
    values[plan_[rule].output.index] = Absent{};
    if (std::ranges::any_of(one.fields, [&](ValueId field) { return is_absent(values[field.index]); }))
      continue;
    run.push_back(rule);
    wanted.push_back(&one.result);
  }
  if (run.empty()) return;
  const auto began = std::chrono::steady_clock::now();
  try {
    std::vector<PartialArray> results = swept_[sweep]->sweep->run(wanted, values);
    for (std::size_t i = 0; i < run.size(); ++i) values[plan_[run[i]].output.index] = std::move(results[i]);
  } catch (const std::bad_alloc&) {
    const Rule& first = plan_[run.front()];
    throw PluginError(first.where.text() + ": " + first.name + ": " + text_of_current_exception());
  }
  charge(sweep, run, std::chrono::steady_clock::now() - began);
}

/// Each rule, and each that is computed on the way, with the same share of the time.
void LocalSweeps::charge(std::size_t sweep, const std::vector<RuleId>& rules,
                         std::chrono::steady_clock::duration time) {
  std::set<RuleId> all(rules.begin(), rules.end());
  for (const RuleId rule : rules) {
    const std::vector<RuleId>& within = member(sweep, rule).within;
    all.insert(within.begin(), within.end());
  }
  for (const RuleId rule : all) runner_.charge(rule, time / static_cast<std::int64_t>(all.size()));
}

}  // namespace pileus
