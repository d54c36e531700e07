#pragma once
// Memory that ends: for tests of what is left where the n-th request for memory is refused. One file of a
// test program includes it, as it replaces operator new for all of them.

#include <cstdint>
#include <cstdlib>
#include <new>

namespace pileus::testing {

/// As long as it lives, its thread gets memory so many times, and then std::bad_alloc.
class ScarceMemory {
 public:
  explicit ScarceMemory(std::int64_t requests) : before_(requests_left) { requests_left = requests; }
  ~ScarceMemory() { requests_left = before_; }
  ScarceMemory(const ScarceMemory&) = delete;
  ScarceMemory& operator=(const ScarceMemory&) = delete;

  static constexpr std::int64_t kNoLimit = -1;
  static inline thread_local std::int64_t requests_left = kNoLimit;

 private:
  std::int64_t before_;
};

inline void* memory_if_left(std::size_t bytes) {
  std::int64_t& left = ScarceMemory::requests_left;
  if (left == 0) throw std::bad_alloc();
  if (left > 0) --left;
  if (void* const memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}

}  // namespace pileus::testing

[[gnu::noinline]] void* operator new(std::size_t bytes) { return pileus::testing::memory_if_left(bytes); }
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
