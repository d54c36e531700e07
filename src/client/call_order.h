#pragma once
// The order in which a model may call: the states of a run on one model rank, and the message about a call
// that comes too early, too late or twice.

#include <cstdint>

namespace pileus {

enum class RunState : std::uint8_t {
  registering,    ///< before commit
  failed,         ///< commit failed: the servers said no, or could not be reached
  ready,          ///< committed, before the first step
  in_step,        ///< between begin and end
  between_steps,  ///< after end
  handed_over,    ///< after the end of the final step
  finished,
  wants_failed,  ///< the servers could not be reached when they were asked what the configuration wants
  finish_failed  ///< they could not be told that the run is over
};

/// Nothing may be called any more, and nothing was.
constexpr bool has_failed(RunState state) {
  return state == RunState::failed || state == RunState::wants_failed || state == RunState::finish_failed;
}

enum class Call : std::uint8_t {
  option,
  dimension,
  dimension_bounds,
  points,
  calendar,
  continue_after,
  count_anew,
  field,
  field_metadata,
  static_field,
  input,
  wants,
  commit,
  is_used,
  is_brought,
  get,
  checkpoint_due,
  event,
  begin,
  begin_closing,
  put,
  end,
  progress,
  flush,
  finish
};

/// Errors: UsageError if `call` may not come in `state`. The text names both and says which call is right.
void require_order(Call call, RunState state);

/// "pileus_put"
const char* c_name(Call call);

}  // namespace pileus
