#pragma once
// What the rules of a Plan are and how much work a run of each is, for `pileus explain` and others who
// foresee a run: here, where they run.

#include <cstdint>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace pileus {

/// In the words of the configuration: "localreduce mean".
std::string what_of(const Rule& rule);
/// Of each element: operations on numbers; 0 where an operator does not say.
std::int64_t operations_of(const Rule& rule);
/// Elements that the rule goes over, where `regions` has what is held of each value.
std::int64_t elements_of(const Plan& plan, const Rule& rule, const std::vector<Region>& regions);

}  // namespace pileus
