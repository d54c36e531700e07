#pragma once
// Where a rank of the job runs, as far as the system says. Everything that is decided of placement follows
// from the places of all ranks, which every rank has.

#include <cstdint>

#include "transport/endpoint.h"

namespace pileus {

inline constexpr std::int64_t kUnknown = -1;

struct RankPlace {
  Peer node = 0;  ///< the lowest rank there
  /// Of all processors that the rank may use; kUnknown where they lie in several, or if nobody says.
  std::int64_t socket = kUnknown, numa = kUnknown;
  std::int64_t core = kUnknown;  ///< the lowest processor of its core, by the same rule
  std::int64_t processor = kUnknown;
  bool is_bound = false;  ///< it may use some of the node's processors and not all of them
  friend bool operator==(const RankPlace&, const RankPlace&) = default;
};

}  // namespace pileus
