#pragma once
// What a run goes on from: one checkpoint, read and checked, and who the run is. The same on every server.

#include <string>
#include <vector>

#include "disk/whole_files.h"
#include "files/run_identity.h"
#include "plan/plan.h"
#include "state/manifest.h"
#include "state/state_entries.h"

namespace pileus {

struct Continuation {
  Step step;             ///< the run goes on after it
  RunIdentity identity;  ///< of the run that goes on; server 0 says which attempt it is
  Manifest manifest;
  StateEntries entries;  ///< of all parts
};

/// The manifest of the checkpoint of `step` below `directory`.
/// Errors: UsageError with the file and what is wrong with it.
Manifest read_manifest(WholeFiles& files, const std::string& directory, std::int64_t step);

/// Reads everything and checks it. Errors: as read_manifest.
Continuation read_continuation(WholeFiles& files, const std::string& directory, std::int64_t step);

/// The identity of a run that goes on from it.
RunIdentity identity_after(const Manifest& manifest);
/// An attempt after all that have left anything of the run in the directory: none of its files has the name
/// of one that a killed attempt left. REQUIRES: `identity`, of the run.
int next_attempt(WholeFiles& files, const std::string& directory, const RunIdentity& identity);

/// One sentence for each other run that has checkpoints there: a run of `identity` does not touch them.
std::vector<std::string> texts_of_other_runs(WholeFiles& files, const std::string& directory,
                                             const RunIdentity& identity);

/// Lets the plan's needs go on where they were.
void go_on(Plan& plan, const Continuation& continuation);
/// The state of the plan's needs after a step: what go_on looks for.
std::vector<StateEntry> entries_of(const Plan& plan, const NeedTracker& needs);

}  // namespace pileus
