#pragma once
// What a server reads for one model rank: the inputs that the rank registered, as far as files bring them.

#include <memory>
#include <span>
#include <vector>

#include "core/ids.h"
#include "inputs/declared/planned_inputs.h"
#include "inputs/input_service.h"

namespace pileus {

/// By number; nullptr where the configuration does not bring it. Errors: ConfigError with all that does not
/// go together: dimensions, units, types.
std::vector<std::shared_ptr<const ServedInput>> served_inputs(std::span<const PlannedInput> planned,
                                                              std::span<const ModelInput> registered,
                                                              const ReadInputLinks& read_links);

/// The inputs of the configuration that a model does not register, for people; empty: none.
std::vector<std::string> unused_inputs(std::span<const PlannedInput> planned,
                                       std::span<const ModelInput> registered);

}  // namespace pileus
