#pragma once
// A checkpoint keeps windows and time axes. This class finds what of them this run can go on with: axes whose
// schedule is the same, and on them variables that are made alike (architecture D8). Known by the names of
// files, axes and variables, so that it does not matter how either run is spread.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "state/state_entries.h"
#include "time/schedule_cursor.h"
#include "time/window_state.h"

namespace pileus {

inline constexpr const char* kWindowKind = "window";
/// How a window's state is known in a checkpoint. `window`: counts those of a variable with several.
std::string window_key(const Plan& plan, VariableId variable, std::size_t window = 0);

/// The key of the first window of the same variable.
std::string first_window_key(const std::string& key);

/// The kept state of an axis: where its cursor stands, and how its variables are made.
StateEntry axis_entry(const Plan& plan, ScheduleId schedule, const ScheduleCursor& cursor);

class ContinuedWindows {
 public:
  /// `after_s`: model time of the step after which the run continues. REQUIRES: all outlive it.
  /// Errors: TransportError when an entry is damaged.
  ContinuedWindows(const Plan& plan, const StateEntries& entries, double after_s);

  /// A cursor that stands where the axis's stood, or at the step after which the run continues.
  ScheduleCursor cursor(ScheduleId schedule) const;

  struct Taken {
    std::vector<WindowPiece> pieces;
    std::int64_t absent_samples = 0;
  };
  /// The kept states of the elements of `region`, the part of the variable that a stream has. Thread-safe.
  /// Errors: TransportError when an entry is damaged.
  Taken pieces(VariableId variable, const Region& region, std::size_t window = 0) const;

  /// All that was kept, of which others than windows may go on with something.
  const StateEntries& entries() const { return entries_; }

  /// Sentences for a warning about what is not continued, and what begins afresh.
  std::vector<std::string> warnings() const;

 private:
  const Plan& plan_;
  const StateEntries& entries_;
  double after_s_;
  std::map<ScheduleId, ScheduleCursor> cursors_;  ///< that go on
  std::vector<bool> goes_on_;                     ///< by variable
  std::vector<std::string> warnings_;
};

/// The state of one variable's window, with the number of samples that were absent in it.
Bytes encode_window(const std::optional<WindowState>& state, std::int64_t absent_samples);

}  // namespace pileus
