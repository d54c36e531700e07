#pragma once
// Matches the servers' demand with what this rank registered, once at commit: which field goes where.

#include <cstdint>
#include <vector>

#include "client/registration.h"
#include "plan/demand.h"

namespace pileus {

/// One place that a registered field goes to. A field may have several, as several groups may want it.
struct FieldRoute {
  std::uint32_t group = 0;  ///< index into Demand::groups
  std::uint32_t place = 0;  ///< index into GroupDemand::fields
  ElementType wire_type = ElementType::float64;
  bool is_optional = false;
  bool is_sent = false;                   ///< whether this rank sends it
  const FieldDemand* extracts = nullptr;  ///< that go in place of it; null: all of it goes
};

/// One group as this rank sends it; both lists are by place.
struct GroupRoute {
  std::vector<int> fields;                 ///< registered number; -1: optional, and not on this rank
  std::vector<std::uint64_t> sizes_bytes;  ///< sizes on the wire
};

struct Routes {
  std::vector<std::vector<FieldRoute>> fields;  ///< by registered number
  std::vector<GroupRoute> groups;               ///< by index into Demand::groups
};

/// Errors: TransportError if the demand cannot be right: it names a field that is not here, the same field
/// twice, or an unknown need. ConfigError if a field's type on the wire would lose some of the model's
/// values.
/// `is_near`: whether the server is on this rank's node. PILEUS_PUSHDOWN says whether extracts are made.
/// REQUIRES: the demand outlives the routes.
Routes match(const Demand& demand, const Registration& registration, bool is_near);

}  // namespace pileus
