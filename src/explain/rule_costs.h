#pragma once
// The rules of a Plan: where they run, how often, on how much, and for which variables of files.

#include <cstdint>
#include <string>
#include <vector>

#include "explain/expected_files.h"
#include "plan/plan.h"

namespace pileus::explain {

struct RuleCost {
  RuleId rule;
  std::string what;              ///< "localreduce sum", "arithmetic", the operator
  std::string where;             ///< in words
  std::int64_t runs = 0;         ///< over all model ranks and steps, as the report of a run counts them
  std::int64_t steps = 0;        ///< in which it runs
  std::int64_t elements = 0;     ///< that it goes over in one step, of all model ranks
  std::int64_t operations = 0;   ///< on each of these elements; 0: only the operator knows
  std::vector<VariableId> uses;  ///< variables that are made of its result
};

/// In the order of the Plan.
std::vector<RuleCost> rule_costs(const Plan& plan, const Steps& steps);

}  // namespace pileus::explain
