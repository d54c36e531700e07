#include "analytics/rule_runner.h"

#include <algorithm>
#include <new>

#include "core/error.h"
#include "core/error_text.h"
#include "core/log.h"

namespace pileus {
namespace {

std::vector<bool> values_with_one_taker(const Plan& plan) {
  std::vector<std::size_t> takers(plan.values.size(), 0);
  for (const Rule& rule : plan.rules) {
    for (ValueId input : rule.inputs) ++takers[input.index];
  }
  for (const Variable& variable : plan.variables) takers[variable.sampled().index] += 2;
  for (const Variable& variable : plan.statics) takers[variable.value.index] += 2;
  std::vector<bool> has_one;
  for (const std::size_t count : takers) has_one.push_back(count == 1);
  return has_one;
}

struct AfterRun {
  FollowedWork& followed;
  RuleId rule;
  std::int64_t step;
  ~AfterRun() {
    if (followed.has(rule)) followed.done(rule, step);
  }
};

}  // namespace

RuleRunner::RuleRunner(const Plan& plan, std::vector<Region> regions, Failed failed)
    : plan_(plan),
      regions_(std::move(regions)),
      report_(std::move(failed)),
      costs_(plan.rules.size()),
      has_one_taker_(values_with_one_taker(plan)),
      found_(plan),
      followed_(plan, regions_),
      bound_(plan.rules.size()) {}

void RuleRunner::bind(const std::vector<RuleId>& rules) {
  for (const RuleId rule : rules) {
    try {
      bound(rule);
    } catch (const std::bad_alloc&) {
      throw;
    } catch (...) {
      continue;  // told in its first run, if there is one
    }
  }
}

BoundRule& RuleRunner::bound(RuleId id) {
  std::unique_ptr<BoundRule>& bound = bound_[id.index];
  if (!bound)
    bound = pileus::bind(id, {plan_, regions_, has_one_taker_, registers_, found_, followed_, moment_});
  return *bound;
}

void RuleRunner::run(RuleId id, StepValues& values, CostOfRuns& costs, const operators::Moment& moment) {
  const Rule& rule = plan_[id];
  const bool lacks_input =
      std::ranges::any_of(rule.inputs, [&](ValueId input) { return is_absent(values[input.index]); });
  Sample& output = values[rule.output.index];
  output = Absent{};
  const AfterRun after{followed_, id, moment.step};
  if (lacks_input) return;
  moment_ = moment;
  try {
    output = bound(id).run(values);
  } catch (const std::bad_alloc&) {
    // Not this rule alone: nothing can be trusted to go on.
    throw PluginError(rule.where.text() + ": " + rule.name + ": " + text_of_current_exception());
  } catch (...) {
    if (failed_.insert(id).second) {
      const std::string what =
          rule.where.text() + ": " + rule.name + " failed and gives no value: " + text_of_current_exception();
      report_ ? report_(what) : log::error(what);
    }
  }
  costs.add(costs_[id.index]);
}

}  // namespace pileus
