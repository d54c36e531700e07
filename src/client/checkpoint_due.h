#pragma once
// When a checkpoint is due on model rank 0, by what the configuration says: every so many steps, model time
// or time on the wall since the last one, or a signal.

#include <chrono>
#include <cstdint>
#include <optional>

#include "core/step.h"
#include "plan/demand.h"

namespace pileus {

/// What pileus_checkpoint_due gives.
enum class Due : std::uint8_t {
  no = 0,
  yes = 1,
  before_the_end = 2  ///< the job is about to end: stop after the checkpoint
};

class CheckpointDue {
 public:
  using Clock = std::chrono::steady_clock;

  /// `continued_after`: the step of the checkpoint that the run goes on from.
  CheckpointDue(const CheckpointReasons& reasons, std::optional<std::int64_t> continued_after,
                Clock::time_point now)
      : reasons_(reasons), last_step_(continued_after), last_wall_(now) {}

  /// Of a step that is about to begin. `signals`: how many have come in this run.
  /// What is due stays due until a checkpoint begins.
  Due ask(const Step& step, Clock::time_point now, std::int64_t signals);
  /// A step begins; with Step::is_checkpoint it is the last checkpoint from now on.
  void note(const Step& step, Clock::time_point now);

 private:
  void begin(const Step& first);
  bool is_due(const Step& step, Clock::time_point now) const;

  CheckpointReasons reasons_;
  std::optional<std::int64_t> last_step_;      ///< of the last checkpoint, or the one before the first step
  std::optional<std::int64_t> last_boundary_;  ///< of the frequency that has passed there
  Clock::time_point last_wall_;
  std::int64_t seen_signals_ = 0;      ///< when it was last asked
  std::int64_t answered_signals_ = 0;  ///< that a checkpoint has answered
};

}  // namespace pileus
