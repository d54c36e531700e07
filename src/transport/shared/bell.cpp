#include "transport/shared/bell.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>

namespace pileus {

static_assert(std::atomic<std::uint32_t>::is_always_lock_free, "two processes share them");

void Bell::ring_from(Sleep least) noexcept {
  // Both sides change the word: whoever comes second sees the other, as sleeper or as work that lies there.
  if (state().sleep.fetch_add(0, std::memory_order_acq_rel) < least) return;
  state().rings.fetch_add(1, std::memory_order_release);
  syscall(SYS_futex, &state().rings, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

std::uint32_t Bell::begin_sleep(Sleep how) noexcept {
  const std::uint32_t rings = state().rings.load(std::memory_order_acquire);
  state().sleep.exchange(how, std::memory_order_acq_rel);
  return rings;
}

void Bell::wait(std::uint32_t rings, std::chrono::microseconds limit) noexcept {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(limit);
  const timespec timeout = {static_cast<std::time_t>(seconds.count()),
                            static_cast<long>((limit - seconds).count()) * 1000};
  syscall(SYS_futex, &state().rings, FUTEX_WAIT, rings, &timeout, nullptr, 0);
}

/// How often it has been rung.
std::uint32_t Bell::end_sleep() noexcept {
  state().sleep.store(awake, std::memory_order_relaxed);
  return state().rings.load(std::memory_order_acquire);
}

}  // namespace pileus
