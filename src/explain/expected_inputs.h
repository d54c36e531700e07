#pragma once
// What model ranks will read by their servers: records, memory and messages. A model's description does not
// say which part of an input each rank takes, so the figures are those of ranks that share its values.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "explain/expected_files.h"
#include "inputs/declared/planned_inputs.h"

namespace pileus::explain {

struct ExpectedInput {
  std::string name, source;  ///< "forcing.nc: w"
  std::string how;           ///< "linear in time, 2 records ahead"
  std::int64_t records =
      0;  ///< that the steps need; 0: some of them are at times that the file does not cover
  std::int64_t messages = 0;       ///< one for each record and model rank
  std::uint64_t record_bytes = 0;  ///< of all values
  /// Of all ranks together, and as much on the servers while it is on its way.
  std::uint64_t held_bytes = 0;
  std::string problem;  ///< why the steps cannot be read for; "" if they can
};

std::vector<ExpectedInput> expected_inputs(std::span<const PlannedInput> inputs, const Steps& steps,
                                           ClientRank clients);

}  // namespace pileus::explain
