#pragma once
// The fields that change seldom: the last value that each has had, which holds in all steps until the next
// one, as the stream of one model rank keeps it. It lies where the field lies, and goes into checkpoints
// (docs/decisions/085).

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "math/sample.h"
#include "plan/plan.h"
#include "state/state_entries.h"

namespace pileus {

inline constexpr const char* kHeldKind = "held";
/// How a field is known in a checkpoint.
std::string held_key(const PlannedField& field);

class HeldValues {
 public:
  /// `regions`: by value, what the stream has. `continued`: what a checkpoint has; null at a run's start.
  /// REQUIRES: the plan outlives it. Errors: TransportError where an entry is damaged.
  HeldValues(const Plan& plan, ClientRank client, const std::vector<Region>& regions,
             const StateEntries* continued = nullptr);

  /// What a step has of a field: what it has brought, of which a copy is kept, or what holds from before;
  /// Absent where nothing has ever come. Order: by increasing step. REQUIRES: the field is held.
  Sample take(FieldId field, std::int64_t step, const Sample& sample);
  /// No state is asked for any more that is before the one after this step. Order: by increasing step.
  void close(std::int64_t step);

  /// What a run needs that continues after the last step that was closed.
  std::vector<StateEntry> state() const;
  std::size_t size_bytes() const;

 private:
  struct Kept {
    std::int64_t step;
    Array array;
  };
  struct Source {
    FieldId field;
    std::deque<Kept> kept;  ///< by step; the last is what holds
  };
  void let_go(Source& source) const;

  const Plan& plan_;
  ClientRank client_;
  std::vector<Region> regions_;  ///< by value
  std::vector<Source> sources_;
  std::int64_t closed_ = INT64_MIN;
};

}  // namespace pileus
