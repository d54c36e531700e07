#pragma once
// What a run goes on from: one checkpoint, of which a server reads what it needs, and who the run is.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "disk/scratch_space.h"
#include "disk/whole_files.h"
#include "files/run_identity.h"
#include "plan/plan.h"
#include "state/checkpoint_folders.h"
#include "state/manifest.h"
#include "state/state_entries.h"

namespace pileus {

struct Continuation {
  Step step;             ///< the run goes on after it
  RunIdentity identity;  ///< of the run that goes on; server 0 says which attempt it is
  Manifest manifest;
  StateEntries entries;  ///< of all parts: what is wanted, and keys of all that there is
};

/// What somebody wants of an entry. `on_disk`: all, which stays on the disk where it is more than
/// kMostInMemory: StateEntry::more reads it then.
enum class Wanted : std::uint8_t { nothing, region, all, on_disk };
/// Asked for each entry, and before that for the smallest region with all entries of a thing in a part:
/// what is wanted of any entry there.
using StateFilter = std::function<Wanted(const StateName& name, const Region& region)>;

/// The manifest of the checkpoint of `step` of `home`.
/// Errors: UsageError with the file and what is wrong with it.
Manifest read_manifest(WholeFiles& files, const CheckpointHome& home, std::int64_t step);

/// Reads everything and checks it. Errors: as read_manifest.
Continuation read_continuation(WholeFiles& files, const CheckpointHome& home, std::int64_t step);
/// Reads and checks what is wanted. Parts that have nothing of it are not opened; what is not wanted whole
/// has no bytes. It holds one part's directory at a time. What is wanted on the disk stays in its part, which
/// is kept open, as later checkpoints may remove its name. `scratch`: it is copied there instead; null: it is
/// not. Errors: as read_manifest.
Continuation read_continuation(WholeFiles& files, const CheckpointHome& home, std::int64_t step,
                               const StateFilter& wanted, ScratchSpace* scratch = nullptr);

/// The identity of a run that goes on from it.
RunIdentity identity_after(const Manifest& manifest);
/// An attempt after all that have left anything of the run in the directory: none of its files has the name
/// of one that a killed attempt left. REQUIRES: `identity`, of the run.
int next_attempt(WholeFiles& files, const CheckpointHome& home, const RunIdentity& identity);

/// One sentence for each other run that has checkpoints there: a run of `identity` does not touch them.
std::vector<std::string> texts_of_other_runs(WholeFiles& files, const CheckpointHome& home,
                                             const RunIdentity& identity);

/// Lets the plan's needs go on where they were. Which static fields need not be put again is for
/// mark_kept_statics.
void go_on(Plan& plan, const Continuation& continuation);
/// The state of the plan's needs after a step: what go_on looks for.
std::vector<StateEntry> entries_of(const Plan& plan, const NeedTracker& needs);

}  // namespace pileus
