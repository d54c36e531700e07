#pragma once
// What happens in a run that others may wait for: an event each, told to server 0, which alone writes them
// (event_log.h). Said by whoever knows it; nothing in the results depends on it.

#include <cstdint>
#include <functional>
#include <string>

#include "core/encoder.h"
#include "plan/plan.h"

namespace pileus {

struct Event {
  enum class Kind : std::uint32_t {
    published,          ///< a file is complete, on the disk and under its name
    progressed,         ///< of a series: `complete_through_s` has grown, though no file was published
    skipped,            ///< a file could not be written, and why
    waiting,            ///< something is waited for, as long as one is patient
    hook_failed,        ///< what on_publish names did not end well
    checkpointed,       ///< the state after step `period` is on the disk
    checkpoint_failed,  ///< it was given up, and why
    disk_full,          ///< a file waits for space on the disk
    disk_has_space,     ///< and has it
    stopping,           ///< the run is stopped, and why
    late,               ///< a file is due for as long as one is patient, and not published
    came,               ///< what was waited for, as long as one is patient, has come
    overloaded,         ///< at step `period` a server is behind and its memory full, and why that matters
    overload_over,      ///< servers have caught up; `records` were left out meanwhile
    dropped,            ///< how many of a series were, at the end of it
    spilling,           ///< a server lays aside what is handed over from step `period` on, in `path`
    spilled,            ///< it has taken all of it: `records` parcels of steps `period` to `last_step`
    spill_failed,       ///< the disk did not take it, and why
    triggered,          ///< the trigger `text` has begun, or ended where `records` is 0, at step `period`
    happened,           ///< the model sent the word `text` about step `period`
    controlled          ///< `text` is asked for from step `period` on; `path`: why it is not done
  };

  Kind kind = Kind::published;
  FileId file;              ///< not valid where it is about none
  std::int64_t period = 0;  ///< of the file
  std::int64_t records = 0;
  std::int64_t dropped = 0;                      ///< of the file: records that were left out
  double first_record_s = 0, last_record_s = 0;  ///< model time; NaN where there are no records
  double complete_through_s = 0;                 ///< of the series; -infinity while there is nothing
  double lasted_s = 0;       ///< how late a file was published after its last record, or how long one waits
  std::string path;          ///< of the file
  std::string publication;   ///< the same for the same file of the same run, however often it is published
  std::string text;          ///< why, or what is waited for
  std::uint32_t server = 0;  ///< that says it
  std::int64_t last_step = 0, bytes = 0;  ///< of what was spilled
};

/// Beginning with the kind of the frame.
Bytes encode(const Event& event);
/// Errors: TransportError also if the plan does not know the file.
Event decode_event(Decoder& in, const Plan& plan);

/// Tells server 0; thread-safe. Empty where nobody wants to know.
using TellEvent = std::function<void(const Event&)>;

}  // namespace pileus
