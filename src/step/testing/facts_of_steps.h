#pragma once
// The facts of the steps of a test, as a server has them: each step once, whoever asks for it.

#include <cstdint>
#include <map>

#include "step/step_facts.h"

namespace pileus::testing {

class FactsOfSteps {
 public:
  /// REQUIRES: the plan outlives it, and does not change once a step was asked for.
  explicit FactsOfSteps(const Plan& plan, ServerRank self = 0) : maker_(plan, self) {}

  SharedFacts of(const Step& step, double start_time_s = 0) {
    SharedFacts& facts = known_[step.index];
    if (!facts) facts = maker_.advance(step, start_time_s);
    return facts;
  }

 private:
  StepFactsMaker maker_;
  std::map<std::int64_t, SharedFacts> known_;
};

}  // namespace pileus::testing
