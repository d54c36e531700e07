#pragma once
// The components of a job, such as an atmosphere and an ocean: who belongs to which. Each is a run of its
// own, and ranks of pileus-server, or those that call pileus_serve, serve all of them. Pure arithmetic, with
// the same result on every rank.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "transport/endpoint.h"

namespace pileus {

/// What a rank says of its component.
struct Membership {
  bool is_server = false;       ///< it serves all
  std::uint64_t component = 0;  ///< number_of_component of its name
};

/// Ranks tell a name by such a number, so that nothing of the length of a name travels from each. 0: no name.
std::uint64_t number_of_component(std::string_view name);

struct ComponentRanks {
  std::uint64_t number = 0;
  Peer first = 0;             ///< its lowest model rank
  std::vector<Peer> members;  ///< rising; the servers of all are among them
};

/// In the order of their first ranks; one of the number 0 where no rank names its component.
/// Errors: UsageError if some name one and others do not.
std::vector<ComponentRanks> components_of(std::span<const Membership> ranks);

/// Why this is no name of a component; "" if it is one. Checkpoints and files are named by it.
std::string mistake_in_component(std::string_view name);

}  // namespace pileus
