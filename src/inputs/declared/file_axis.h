#pragma once
// The time axis of a file as model times: its units "since" a date, its calendar, and how it comes round.

#include <string>

#include "inputs/input_axis.h"
#include "inputs/source.h"

namespace pileus {

/// How the configuration wants the records of a file.
struct AxisWish {
  bool is_linear = true;
  InputCycle cycle;
};

/// REQUIRES: the header has time. Errors: UsageError, without the file's name, for units or a calendar that
/// are none or do not go with those of the run, and for times that do not rise.
InputAxis axis_of_file(const InputHeader& header, const AxisWish& wish, const InputClock& clock);

/// What is wrong with the axis whatever the run's clock is. Errors: likewise.
void check_axis_alone(const InputHeader& header);

}  // namespace pileus
