#include "core/usable_cores.h"

#include <sched.h>

#include <algorithm>
#include <memory>
#include <thread>
#include <utility>

namespace pileus {
namespace {

struct FreeSet {
  void operator()(cpu_set_t* set) const { CPU_FREE(set); }
};

/// A set of 1024 cores, cpu_set_t, is too small for some machines.
constexpr std::size_t kMostCores = 1 << 16;

}  // namespace

CoreSet usable_cores() {
  for (std::size_t cores = CPU_SETSIZE; cores <= kMostCores; cores *= 2) {
    const std::unique_ptr<cpu_set_t, FreeSet> set(CPU_ALLOC(cores));
    const std::size_t bytes = CPU_ALLOC_SIZE(cores);
    if (!set || sched_getaffinity(0, bytes, set.get()) != 0) continue;
    std::uint64_t identity = 0xcbf29ce484222325u;  // FNV-1a
    std::vector<std::int64_t> numbers;
    for (std::size_t core = 0; core < cores; ++core) {
      if (!CPU_ISSET_S(core, bytes, set.get())) continue;
      identity = (identity ^ core) * 0x100000001b3u;
      numbers.push_back(static_cast<std::int64_t>(core));
    }
    return {static_cast<std::int64_t>(identity), CPU_COUNT_S(bytes, set.get()), std::move(numbers)};
  }
  return {0, std::max<std::int64_t>(1, std::thread::hardware_concurrency()), {}};
}

}  // namespace pileus
