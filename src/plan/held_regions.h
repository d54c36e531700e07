#pragma once
// Where values lie: what each place, a model rank or a root, holds of every value of the Plan. Used by all
// who compute, write or foresee them, so that they are never of two minds.

#include <vector>

#include "plan/plan.h"

namespace pileus {

/// What `client` holds of every value.
std::vector<Region> regions_of_client(const Plan& plan, ClientRank client);
/// By model rank: what each holds of a value. REQUIRES: it is distributed.
std::vector<Region> regions_of_value(const Plan& plan, ValueId value);
/// The whole of every value; empty regions for values whose shape only their rank knows.
std::vector<Region> whole_regions(const Plan& plan);

/// What a place holds of `made`, which a rule makes of its inputs. `regions`: by value, what it holds of
/// those.
Region held_region(const Plan& plan, const Rule& rule, const Value& made, const std::vector<Region>& regions);

/// Where that lies which a reduction over `axes` makes of what a place holds.
Region without_axes(const Region& held, const std::vector<int>& axes);

}  // namespace pileus
