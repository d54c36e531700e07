#pragma once
// How many workers a server starts where nobody says it, when others share its cores.

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/usable_cores.h"

namespace pileus {

/// What one rank does with which cores.
struct CoreUse {
  std::int64_t node = 0;
  std::int64_t cores = 0;  ///< identity of its CoreSet
  bool computes = false;   ///< for the model
  bool serves = false;     ///< is a server or hosts one
};

/// An equal share, for each server on the same cores, of what the model leaves there, less one core for the
/// thread that owns MPI; at least one. `mine` is among `all`.
std::size_t share_of_cores(const CoreUse& mine, std::int64_t core_count, std::span<const CoreUse> all);

}  // namespace pileus
