#include "start/share_of_cores.h"

#include <algorithm>

namespace pileus {

std::size_t share_of_cores(const CoreUse& mine, std::int64_t core_count, std::span<const CoreUse> all) {
  std::int64_t models = 0, servers = 0;
  for (const CoreUse& one : all) {
    if (one.node != mine.node || one.cores != mine.cores) continue;
    models += one.computes && !one.serves;  // a host's own thread is the one that owns MPI for the server
    servers += one.serves;
  }
  const std::int64_t left = std::max<std::int64_t>(0, core_count - models);
  const std::int64_t share = left / std::max<std::int64_t>(1, servers);
  return static_cast<std::size_t>(std::max<std::int64_t>(1, share - 1));
}

}  // namespace pileus
