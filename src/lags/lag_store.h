#pragma once
// The earlier values that lags take, as the stream of one model rank keeps them: of each field, and of the
// clock, those of the last hand-overs. They lie where the field lies, and go into checkpoints
// (docs/decisions/082).

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "lags/lag_sources.h"
#include "math/sample.h"
#include "plan/plan.h"
#include "state/state_entries.h"
#include "step/step_facts.h"

namespace pileus {

inline constexpr const char* kLagKind = "lag";
/// How what was kept of a lag's input is known in a checkpoint. `age`: 1 is the last hand-over.
std::string lag_key(const Plan& plan, const Rule& lag, std::int64_t age);

class LagStore {
 public:
  /// `regions`: by value, what the stream has. `continued`: what a checkpoint has; null at a run's start.
  /// REQUIRES: the plan outlives it. Errors: TransportError where an entry is damaged.
  LagStore(const Plan& plan, ClientRank client, const std::vector<Region>& regions,
           const StateEntries* continued = nullptr);

  /// What lags go back in, by number.
  std::size_t size() const { return sources_.size(); }
  ValueId input(std::size_t source) const { return sources_[source].of.input; }
  const std::vector<RuleId>& lags(std::size_t source) const { return sources_[source].of.rules; }
  /// Those that come in a step.
  std::vector<std::size_t> of_step(const StepKind& kind) const;

  /// Keeps a copy of what a step has of the source. Order: by increasing step.
  void take(std::size_t source, std::int64_t step, const Sample& sample);
  /// So many hand-overs before the one that was taken last; Absent where there was none.
  Sample before(std::size_t source, std::int64_t back) const;
  /// No state is asked for any more that is before the one after this step. Order: by increasing step.
  void close(std::int64_t step);

  /// What a run needs that continues after the last step that was closed.
  std::vector<StateEntry> state() const;
  std::size_t size_bytes() const;

 private:
  struct Kept {
    std::int64_t step;
    Sample sample;
  };
  struct Source {
    LagSource of;
    std::deque<Kept> kept;  ///< by step
  };
  void restore(Source& source, const StateEntries& continued);
  void let_go(Source& source) const;

  const Plan& plan_;
  ClientRank client_;
  std::vector<Region> regions_;
  std::vector<Source> sources_;
  std::int64_t closed_ = INT64_MIN;
};

}  // namespace pileus
