#pragma once
// How a process that serves takes memory. The threads of a server pass their memory on to each other; where
// each has a heap of its own, as glibc gives it, each heap grows to the most that its thread ever had.

#include <cstdlib>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace pileus {

/// All threads share one heap, where the C library can do that. For a process that has no other business.
/// Order: before any thread but the first has asked for memory.
inline void use_one_heap() noexcept {
#if defined(__GLIBC__)
  mallopt(M_ARENA_MAX, 1);
#endif
}

}  // namespace pileus
