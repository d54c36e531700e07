#pragma once
// The processor time of one thread: what it did, without what others took from it meanwhile.

#include <ctime>

#include <chrono>

namespace pileus {

/// Of the calling thread since it began.
inline std::chrono::nanoseconds thread_time() noexcept {
  std::timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace pileus
