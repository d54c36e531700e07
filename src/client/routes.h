#pragma once
// The servers' demand matched with what this rank registered: which field goes where, made once at commit.

#include <cstdint>
#include <vector>

#include "client/registration.h"
#include "plan/demand.h"

namespace pileus {

/// One of the places that a registered field goes to: it may be wanted in several groups.
struct FieldRoute {
  std::uint32_t group = 0;  ///< index into Demand::groups
  std::uint32_t place = 0;  ///< index into GroupDemand::fields
  ElementType wire_type = ElementType::float64;
  bool is_optional = false;
  bool is_sent = false;  ///< by this rank
};

/// One group as this rank sends it; both by place.
struct GroupRoute {
  std::vector<int> fields;                 ///< registered number; -1: optional, and not on this rank
  std::vector<std::uint64_t> sizes_bytes;  ///< on the wire
};

struct Routes {
  std::vector<std::vector<FieldRoute>> fields;  ///< by registered number
  std::vector<GroupRoute> groups;               ///< by index into Demand::groups
};

/// Errors: TransportError if the demand names what cannot be: a field that is not here, the same one twice,
/// an unknown need. ConfigError if a field's type on the wire would lose what the model has.
Routes match(const Demand& demand, const Registration& registration);

}  // namespace pileus
