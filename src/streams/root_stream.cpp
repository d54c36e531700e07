#include "streams/root_stream.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/error_text.h"
#include "time/static_record.h"

namespace pileus {
namespace {

bool is_rooted(const Plan& plan, ValueId value, ServerRank root) {
  return plan[value].spread == Spread::rooted && plan[value].root == root;
}

std::vector<VariableId> rooted_variables(const Plan& plan, ServerRank root) {
  std::vector<VariableId> variables;
  for (std::size_t v = 0; v < plan.variables.size(); ++v) {
    if (is_rooted(plan, plan.variables[v].value, root)) variables.push_back(VariableId(v));
  }
  return variables;
}

}  // namespace

RootStream::RootStream(const Plan& plan, ServerRank self, Executor& workers, ErrorList& errors,
                       RecordSink& records, StateSink& cuts, Distributions& distributions,
                       const ContinuedWindows* continued)
    : plan_(plan),
      self_(self),
      records_(records),
      cuts_(cuts),
      strand_(workers),
      windows_(
          plan, rooted_variables(plan, self), whole_regions(plan), 0, records,
          [&errors](const std::string& what) { errors.add(what); }, continued),
      analysis_(
          plan,
          [this](const StepFacts& facts, const StepValues& values, const StepBundles& bundles,
                 const StepHold& hold) {
            if (facts.step.is_first != 0) tell_statics(values);
            windows_.advance(facts.actions, values, hold, bundles);
          },
          [&errors](const std::string& what) { errors.add(what); },
          [&distributions](std::size_t distribution, std::int64_t step, const BroadcastValues& values) {
            distributions.send(distribution, step, values);
          }) {
  if (continued != nullptr) analysis_.restore(continued->entries(), self);
}

void RootStream::advance(const SharedFacts& facts, const StepHold& hold) {
  strand_.post([this, facts, hold] {
    analysis_.advance(facts, hold);
    if (facts->step.is_checkpoint) analysis_.cut([this, step = facts->step.index] { keep(step); });
  });
}

void RootStream::complete(std::size_t tree, std::int64_t step, std::unique_ptr<TreeValues> values) {
  strand_.post([this, tree, step, values = std::move(values)]() mutable {
    analysis_.complete(tree, step, std::move(values));
    finish_if_over();
  });
}

void RootStream::end_clock(std::shared_ptr<const ScheduleActions> actions) {
  strand_.post([this, actions = std::move(actions)] {
    last_actions_ = actions;
    finish_if_over();
  });
}

void RootStream::tell_statics(const StepValues& values) const {
  const std::vector<Region> regions = whole_regions(plan_);
  for (std::size_t i = 0; i < plan_.statics.size(); ++i) {
    const ValueId id = plan_.statics[i].value;
    if (!is_rooted(plan_, id, self_)) continue;
    records_.add_static(static_record(plan_, i, regions[id.index], values[id.index]), 0);
  }
}

void RootStream::keep(std::int64_t step) {
  try {
    std::vector<StateEntry> entries = windows_.state();
    std::ranges::move(analysis_.kept(self_), std::back_inserter(entries));
    cuts_.keep(step, std::move(entries), "");
  } catch (...) {
    cuts_.keep(step, {}, text_of_current_exception());
  }
}

void RootStream::finish_if_over() {
  if (!last_actions_ || analysis_.has_open_steps()) return;
  windows_.finish(*std::exchange(last_actions_, nullptr));
}

}  // namespace pileus
