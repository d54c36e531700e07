#pragma once
// The rules of a Plan: where they run, how often, on how much data, and for which variables of files.

#include <cstdint>
#include <string>
#include <vector>

#include "explain/expected_files.h"
#include "plan/plan.h"

namespace pileus::explain {

struct RuleCost {
  RuleId rule;
  std::string what;              ///< "localreduce sum", "arithmetic", the operator
  std::string where;             ///< where it runs, in words
  std::int64_t runs = 0;         ///< over all model ranks and steps, as in the report of a run
  std::int64_t steps = 0;        ///< number of steps in which it runs
  std::int64_t elements = 0;     ///< elements that it goes over in one step, on all model ranks
  std::int64_t operations = 0;   ///< operations on each of these elements; 0: only the operator knows
  std::vector<VariableId> uses;  ///< the variables that are made from its result
};

/// The costs in the order of the Plan's rules.
std::vector<RuleCost> rule_costs(const Plan& plan, const Steps& steps);

}  // namespace pileus::explain
