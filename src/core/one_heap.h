#pragma once
// How a server's process allocates memory. Its threads pass memory on to each other. With a heap for each
// thread, glibc's default, every heap would grow to the most that its thread ever used.

#include <cstdlib>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace pileus {

/// Makes all threads share one heap, where the C library can do that. For a process that does nothing else
/// but serve.
/// Order: call it before any thread but the first has allocated memory.
inline void use_one_heap() noexcept {
#if defined(__GLIBC__)
  mallopt(M_ARENA_MAX, 1);
#endif
}

}  // namespace pileus
