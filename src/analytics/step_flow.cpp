#include "analytics/step_flow.h"

#include <algorithm>

namespace pileus {
namespace {

/// Also where a rule throws: what was found may hold arrays of the model.
struct ForgetFound {
  RuleRunner& runner;
  ~ForgetFound() { runner.forget_found(); }
};

}  // namespace

StepFlow::StepFlow(const Plan& plan, RuleRunner& runner, const StepKind& kind,
                   const std::vector<RuleId>& rules, LocalSweeps* sweeps, StepMemory memory)
    : plan_(plan), runner_(runner), sweeps_(sweeps), kind_(kind), memory_(std::move(memory)) {
  memory_.values.resize(plan.values.size());
  memory_.is_settled.resize(plan.values.size());
  memory_.waiting.reserve(rules.size());
  for (const RuleId rule : rules) wait_for(rule);
}

void StepFlow::wait_for(RuleId rule) {
  if (sweeps_ != nullptr && sweeps_->is_within_sweeps(rule)) return;
  const auto sweep = sweeps_ != nullptr ? sweeps_->sweep_of(rule) : std::nullopt;
  (sweep ? swept_waiting_[*sweep] : memory_.waiting).push_back(rule);
}

void StepFlow::settle(ValueId value, Sample sample) {
  memory_.values[value.index] = std::move(sample);
  mark_settled(value);
}

void StepFlow::settle_made(ValueId value, Sample sample) {
  if (!is_wanted(value)) return;
  settle(value, std::move(sample));
  has_made_ = true;
}

void StepFlow::settle_clock(const Step& step) {
  moment_ = {step.index, step.time};
  for (const RuleId id : memory_.waiting) {
    if (runner_.followed().has(id)) runner_.followed().expect(id, step.index);
    const auto* const given = std::get_if<Given>(&plan_[id].action);
    if (given == nullptr || !given->clock) continue;
    const double value = clock_value(*given->clock, step, plan_.time.calendar, plan_.time.epoch);
    settle(plan_[id].output, make_array({value}, {}));
  }
}

void StepFlow::mark_settled(ValueId value) {
  memory_.is_settled[value.index] = true;
  memory_.settled.push_back(value);
}

StepMemory StepFlow::give_up() && {
  for (const ValueId value : memory_.settled) {
    memory_.values[value.index] = Absent{};
    memory_.is_settled[value.index] = false;
  }
  memory_.settled.clear();
  memory_.waiting.clear();
  return std::move(memory_);
}

/// They are made of fields alone, and never wait for each other or for a rule.
void StepFlow::run_sweeps() {
  if (std::exchange(has_made_, false)) {
    for (auto& [sweep, rules] : swept_waiting_)
      std::erase_if(rules, [&](RuleId rule) { return is_settled(plan_[rule].output); });
    std::erase_if(swept_waiting_, [](const auto& waiting) { return waiting.second.empty(); });
  }
  std::erase_if(swept_waiting_, [&](const auto& waiting) {
    const auto& [sweep, rules] = waiting;
    if (!sweeps_->is_ready(sweep, rules, [&](ValueId value) { return is_settled(value); })) return false;
    sweeps_->run(sweep, rules, memory_.values);
    for (const RuleId rule : rules) mark_settled(plan_[rule].output);
    return true;
  });
}

bool StepFlow::follows() const {
  return std::ranges::any_of(memory_.waiting, [&](RuleId rule) { return runner_.followed().has(rule); });
}

bool StepFlow::run_rules() {
  run_sweeps();
  bool has_followed = false;
  const ForgetFound forget{runner_};
  CostOfRuns costs;
  // Rules stand in the order of their dependencies, so one pass finds all that have become ready.
  std::erase_if(memory_.waiting, [&](RuleId id) {
    const Rule& rule = plan_[id];
    if (is_settled(rule.output)) return true;                    // its result has come
    if (std::holds_alternative<Lag>(rule.action)) return false;  // what is kept will be
    if (!std::ranges::all_of(rule.inputs, [&](ValueId input) { return is_settled(input); })) return false;
    const bool follows = runner_.followed().has(id);
    if (follows && !runner_.followed().is_turn(id, moment_.step)) return false;
    runner_.run(id, memory_.values, costs, moment_);
    has_followed = has_followed || follows;
    mark_settled(rule.output);
    return true;
  });
  return has_followed;
}

}  // namespace pileus
