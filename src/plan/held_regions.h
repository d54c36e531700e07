#pragma once
// Where values lie: what each model rank or root holds of every value of the Plan. Everything that computes,
// writes or foresees values uses this, so that all agree.

#include <vector>

#include "plan/plan.h"

namespace pileus {

/// What `client` holds of each value, by value.
std::vector<Region> regions_of_client(const Plan& plan, ClientRank client);
/// What each model rank holds of a value, by rank. REQUIRES: the value is distributed.
std::vector<Region> regions_of_value(const Plan& plan, ValueId value);
/// By model rank and value, what they hold of the values that files have in parts; nothing of others. Values
/// that lie alike have one column together.
RankRegions regions_of_parts(const Plan& plan);
/// The whole of each value; an empty region for a value whose shape only its rank knows.
std::vector<Region> whole_regions(const Plan& plan);

/// What a model rank or a root holds of `made`, the value that `rule` makes of its inputs. `regions`: by
/// value, what it holds of the inputs.
Region held_region(const Plan& plan, const Rule& rule, const Value& made, const std::vector<Region>& regions);

/// Where that lies which a reduction over `axes` makes of what a place holds.
Region without_axes(const Region& held, const std::vector<int>& axes);

}  // namespace pileus
