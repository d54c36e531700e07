#pragma once
// What the servers want from the model, and when. This is all of the Plan that the client knows.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/element_type.h"
#include "core/encoder.h"
#include "core/step.h"

namespace pileus {

/// One reason for sampling: at steps whose index is a multiple of `cadence`, and there either every one
/// (no frequency), or only the first one at or after each boundary of `frequency` (instantaneous output).
/// The state at the start is a sample whatever its index.
struct Need {
  std::int64_t cadence = 1;     ///< steps; 0: no step but the final one
  Frequency frequency;          ///< not given: every sample
  bool at_end = false;          ///< the final step counts as if it were a multiple
  bool takes_last = false;      ///< the final step is wanted between boundaries too
  bool at_checkpoints = false;  ///< instead: at every step whose state is kept, and at no other
  bool skips_initial = false;   ///< windows: the state at the start stands for no time
  bool at_first = false;        ///< instead: at the first step of each run, and at no other
  bool is_sampled(const Step& step) const {
    if (at_first) return step.is_first != 0;
    if (step.is_initial() && skips_initial) return false;
    if (at_checkpoints) return step.is_checkpoint != 0;
    const bool is_multiple = cadence > 0 && (step.is_initial() || step.index % cadence == 0);
    return is_multiple || (at_end && step.is_final);
  }
  friend bool operator==(const Need&, const Need&) = default;
};

/// "every 2 steps, the first after each 10 s". Equal needs, and no others, have equal texts: a checkpoint
/// knows them by these.
std::string text(const Need& need);

/// Says of each step which needs it meets. All ranks and servers that are shown the same steps decide alike;
/// a step that meets no need may be left out without changing later answers.
class NeedTracker {
 public:
  NeedTracker(std::vector<Need> needs, double start_time_s);
  /// One that goes on where another was. `passed`: its passed(), one for each need.
  NeedTracker(std::vector<Need> needs, std::vector<std::int64_t> passed);
  /// Where a need stands that no step was shown to before `start_time_s`.
  static std::int64_t passed_at(const Need& need, double start_time_s);

  /// REQUIRES: steps come by increasing index and time.
  void advance(const Step& step);
  /// Whether the step last shown meets need `i`.
  bool is_met(std::size_t i) const { return met_[i]; }
  bool is_any_met(const std::vector<std::uint32_t>& needs) const;
  /// All that later answers depend on: by need, the last boundary that was passed.
  const std::vector<std::int64_t>& passed() const { return last_; }

 private:
  std::vector<Need> needs_;
  std::vector<std::int64_t> last_;  ///< last boundary that was passed, by need
  std::vector<bool> met_;
};

/// Where a run goes on that was interrupted.
struct Continued {
  Step after;                        ///< the last step that the run before it had
  std::vector<std::int64_t> passed;  ///< NeedTracker::passed() after it, by need
};

struct FieldDemand {
  std::string name;
  ElementType type = ElementType::float64;  ///< on the wire
  bool is_optional = false;
  bool is_sent = true;               ///< by this rank
  std::vector<std::uint32_t> needs;  ///< indices into Demand::needs
  bool is_static = false;            ///< it travels in the first step alone
  bool is_kept = false;              ///< static, and in the checkpoint: it need not be put again
};

struct GroupDemand {
  std::string name;
  std::int64_t frequency = 1;       ///< steps; 0: at the end only
  std::vector<FieldDemand> fields;  ///< in the order of the wire
};

/// When a checkpoint is due, which model rank 0 tells the model; each of these that is given is a reason.
struct CheckpointReasons {
  std::int64_t steps = 0;            ///< from one to the next; 0: not given
  Frequency frequency;               ///< of model time
  double wall_time_s = 0;            ///< from one to the next; 0: not given
  std::vector<std::string> signals;  ///< words of core/signals.h; every rank catches them
};

/// The servers' answer to one rank's registration.
struct Demand {
  std::vector<Need> needs;
  std::vector<GroupDemand> groups;
  std::uint64_t budget_bytes = 0;  ///< of parcels that this rank may have outstanding
  std::optional<Continued> continued = {};
  CheckpointReasons checkpoints = {};

  void encode(Encoder& out) const;
  static Demand decode(Decoder& in);
};

}  // namespace pileus
