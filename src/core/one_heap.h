#pragma once
// How a process that serves takes memory. The threads of a server pass their memory on to each other; where
// each has a heap of its own, as glibc gives it, each heap grows to the most that its thread ever had.

#include <cstddef>
#include <cstdlib>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace pileus {

/// All threads share one heap, where the C library can do that, and it keeps what steps need anew each time.
/// For a process that has no other business.
/// Order: before any thread but the first has asked for memory.
inline void use_one_heap() noexcept {
#if defined(__GLIBC__)
  mallopt(M_ARENA_MAX, 1);
  // After a large array has come and gone the library asks the system for less, and gives back what is free
  // above twice its size: here 8 MiB. By itself it gives back 128 KiB, which each step would ask for again,
  // page by page; said with mallopt it would stop to learn from arrays that are larger.
  constexpr std::size_t kLargeArray = std::size_t{4} << 20;
  void* const volatile array = std::malloc(kLargeArray);
  std::free(array);
#endif
}

}  // namespace pileus
