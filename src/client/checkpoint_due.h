#pragma once
// Decides on model rank 0 when a checkpoint is due. The configuration asks for one after so many steps, a
// model time or a time on the wall since the last one, or on a signal.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include "core/step.h"
#include "plan/demand.h"

namespace pileus {

/// The answer of pileus_checkpoint_due.
enum class Due : std::uint8_t {
  no = 0,
  yes = 1,
  before_the_end = 2  ///< a signal says that the job is about to end: stop after the checkpoint
};

class CheckpointDue {
 public:
  using Clock = std::chrono::steady_clock;

  /// `continued_after`: the step of the checkpoint that the run goes on from.
  CheckpointDue(const CheckpointReasons& reasons, std::optional<std::int64_t> continued_after,
                Clock::time_point now)
      : reasons_(reasons), last_step_(continued_after), last_wall_(now) {}

  /// Answers for a step that is about to begin. `signals`: how many have come in this run.
  /// A checkpoint that is due stays due until one begins.
  Due ask(const Step& step, Clock::time_point now, std::int64_t signals);
  /// A trigger asks for a checkpoint: it is due until one begins.
  void want() { is_wanted_ = true; }
  /// A step begins. If Step::is_checkpoint is set, it counts as the last checkpoint from now on.
  void note(const Step& step, Clock::time_point now);

  /// The first step is so many after those of the run before: multiples of steps up to it were not left out.
  void count_from(std::int64_t index) {
    if (last_step_) last_step_ = std::max(*last_step_, index);
  }

 private:
  void begin(const Step& first);
  bool is_due(const Step& step, Clock::time_point now) const;

  CheckpointReasons reasons_;
  std::optional<std::int64_t> last_step_;      ///< step of the last checkpoint, or the one before the first
                                               ///< step
  std::optional<std::int64_t> last_boundary_;  ///< the last boundary of the frequency that had passed at that
                                               ///< step
  Clock::time_point last_wall_;
  bool is_wanted_ = false;
  std::int64_t seen_signals_ = 0;      ///< how many had come when it was last asked
  std::int64_t answered_signals_ = 0;  ///< how many of them a checkpoint has answered
};

}  // namespace pileus
