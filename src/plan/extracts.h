#pragma once
// What model ranks hand over of fields in place of all of them: found once for a Plan, and for each rank how
// it makes that of its part, if it is worth it there (docs/decisions/058). All of it follows from the
// configuration and from sizes.

#include <map>
#include <vector>

#include "plan/plan.h"

namespace pileus {

/// Finds the extracts of all fields whose uses are all made of such.
/// REQUIRES: the plan is whole but for them, and has none yet.
void choose_extracts(Plan& plan);

/// Adds to the rank's demand the extracts of its fields that are worth it.
void add_extracts(const Plan& plan, ClientRank client, Demand& demand);

/// Those of one rank, by field; fields without any are left out.
using FieldExtracts = std::map<FieldId, std::vector<ExtractDemand>>;
FieldExtracts extracts_of(const Plan& plan, ClientRank client);
/// Whether they are handed over to servers of other nodes alone.
bool is_for_far_servers(const PlannedField& field, const std::vector<ExtractDemand>& extracts);
/// Those of one rank that it hands over wherever its server is.
FieldExtracts extracts_within_node(const Plan& plan, ClientRank client);

}  // namespace pileus
