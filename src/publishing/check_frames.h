#pragma once
// These checks refuse what another server cannot mean: every index must be one of the Plan. Whoever takes a
// frame calls them before anything relies on it. Errors: TransportError.

#include "files/file_frames.h"
#include "publishing/chunks/packing.h"

namespace pileus {

void check(const Plan& plan, const Placement& placement);
void check(const Plan& plan, const Progress& progress);
void check(const Plan& plan, const Closing& closing);
void check(const Plan& plan, const PartsDone& done);
void check(const Plan& plan, const Cut& cut);
void check(const Plan& plan, const CutSynced& synced);
/// `packing`: of the plan; null if there are no chunks.
void check(const Plan& plan, const Packing* packing, const Part& part);
void check_static(const Plan& plan, const Part& part);
void check(const Plan& plan, const Packing* packing, const PackedPart& part);

/// A model rank that has ended.
void check_client(const Plan& plan, ClientRank client);

}  // namespace pileus
