#pragma once
// The inputs of a configuration, checked against the files that bring them.

#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "core/error.h"
#include "inputs/input_axis.h"
#include "inputs/source.h"
#include "plan/plan.h"

namespace pileus {

struct PlannedInput {
  std::string name;
  InputHeader header;
  InputAxis axis;
  std::int64_t ahead = 0;
  bool may_lack = false;  ///< missing values become NaN
  std::string weights;    ///< path of the file of weights that lead to the model's points; "": none
  Location where;

  /// What a record of all its values takes, in bytes, on the wire.
  std::uint64_t record_bytes() const;
  /// Records that a model rank holds or has asked for at once.
  std::uint64_t records_at_once() const;
};

InputClock clock_of(const PlannedTime& time);
/// What the configuration alone says of the run's clock; nullopt where the model may say it.
std::optional<InputClock> clock_of(const TimeConfig& time);

/// `clock`: nullopt where it is not known yet; the axes are then checked by themselves. `open`: empty: files
/// are not looked at, and there are no inputs. `findings` gets every mistake.
std::vector<PlannedInput> plan_inputs(const Config& config, const std::optional<InputClock>& clock,
                                      const OpenInput& open, Findings& findings);

}  // namespace pileus
