#include "client/puts.h"

#include <algorithm>

#include "client/call_order.h"

namespace pileus {

void Puts::open(bool from_threads) {
  std::fill(came_.begin(), came_.end(), Came::nothing);
  if (!from_threads && !is_from_threads()) return;
  // A put that comes too late counts itself until it is refused.
  std::uint32_t before = word_.load(std::memory_order_relaxed);
  const std::uint32_t flags = from_threads ? kThreads : 0;
  while (!word_.compare_exchange_weak(before, flags | (before & kUnderWay), std::memory_order_release,
                                      std::memory_order_relaxed)) {
  }
}

std::uint32_t Puts::close() {
  if (!is_from_threads()) return 0;
  std::uint32_t none_under_way = kThreads;
  if (word_.compare_exchange_strong(none_under_way, kThreads | kClosed, std::memory_order_acquire)) return 0;
  return none_under_way & kUnderWay;
}

void Puts::reopen() {
  if (is_from_threads()) word_.fetch_and(~kClosed, std::memory_order_release);
}

void Puts::enter() {
  if ((word_.fetch_add(1, std::memory_order_acquire) & kClosed) == 0) return;
  word_.fetch_sub(1, std::memory_order_release);
  require_order(Call::put, RunState::between_steps);
}

Puts::Came Puts::claim_among_threads(Came& came, Came as) {
  Came before = Came::nothing;
  std::atomic_ref(came).compare_exchange_strong(before, as, std::memory_order_acquire);
  return before;
}

/// The sum over all times in which any copy was under way does not depend on the order of its terms.
void Puts::note_copy_begins() {
  if (copies_.fetch_add(1, std::memory_order_relaxed) != 0) return;
  of_several_.fetch_sub(Clock::now().time_since_epoch().count(), std::memory_order_relaxed);
}

void Puts::note_copy_ends() {
  const Clock::rep now = Clock::now().time_since_epoch().count();
  if (copies_.fetch_sub(1, std::memory_order_relaxed) != 1) return;
  of_several_.fetch_add(now, std::memory_order_relaxed);
}

Puts::Clock::duration Puts::time() const {
  const bool is_any_under_way = copies_.load(std::memory_order_relaxed) > 0;
  const auto now = is_any_under_way ? Clock::now().time_since_epoch() : Clock::duration(0);
  return of_one_thread_ + now + Clock::duration(of_several_.load(std::memory_order_relaxed));
}

}  // namespace pileus
