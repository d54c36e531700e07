#pragma once
// What model ranks hand over in place of fields (plan/extracts.h), for people.

#include <cstdint>
#include <string>
#include <vector>

#include "plan/extracts.h"

namespace pileus::explain {

/// What some model ranks hand over in place of one field.
struct HandedOver {
  FieldId field;
  std::string what;                 ///< "as float", "sums for ..."
  bool is_for_far_servers = false;  ///< from ranks alone whose server is on another node
  std::uint64_t ranks = 0;          ///< number of model ranks that may
  std::uint64_t bytes = 0;          ///< that these hand over in a step that needs all of it
  std::uint64_t whole_bytes = 0;    ///< of the whole field on these ranks
};

/// By field, without those that all ranks hand over whole.
std::vector<HandedOver> handed_over(const Plan& plan);

}  // namespace pileus::explain
