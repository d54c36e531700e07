#pragma once
// How a server's process allocates memory. Its threads pass memory on to each other. With a heap for each
// thread, glibc's default, every heap would grow to the most that its thread ever used; with one for all of
// them the threads of a server of small values would wait for each other.

#include <cstddef>
#include <cstdlib>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace pileus {

/// Makes all threads share two heaps, where the C library can do that, and lets these keep the memory that
/// every step asks for anew. For a process that does nothing else but serve.
/// Order: call it before the server starts its threads. A thread that has allocated memory keeps its heap.
inline void use_few_heaps() noexcept {
#if defined(__GLIBC__)
  mallopt(M_ARENA_MAX, 2);
  // After a large array has come and gone the library asks the system for less, and gives back what is free
  // above twice its size: here 8 MiB. By itself it gives back 128 KiB, which each step would ask for again,
  // page by page; said with mallopt it would stop to learn from arrays that are larger.
  constexpr std::size_t kLargeArray = std::size_t{4} << 20;
  void* const volatile array = std::malloc(kLargeArray);
  std::free(array);
#endif
}

}  // namespace pileus
