#pragma once
// The number of workers of a server that shares its cores with others, where nobody gives it.

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/usable_cores.h"

namespace pileus {

/// What one rank does, and on which cores.
struct CoreUse {
  std::int64_t node = 0;
  std::int64_t cores = 0;  ///< identity of its CoreSet
  bool computes = false;   ///< it computes for the model
  bool serves = false;     ///< it is a server or hosts one
};

/// Divides what the model leaves of the cores equally among the servers there, and subtracts one core for the
/// thread that owns MPI. The result is at least one. REQUIRES: `mine` is among `all`.
std::size_t share_of_cores(const CoreUse& mine, std::int64_t core_count, std::span<const CoreUse> all);

}  // namespace pileus
