#pragma once
// Tasks that are to run later. Nobody sleeps for them: whoever has a lane that comes round anyway polls.

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

#include "exec/executor.h"

namespace pileus {

class Pauses {
 public:
  using Clock = std::chrono::steady_clock;

  /// `now`: of tests; empty for the clock.
  explicit Pauses(std::function<Clock::time_point()> now = {})
      : now_(now ? std::move(now) : [] { return Clock::now(); }) {}

  Clock::time_point now() const { return now_(); }

  /// The task runs in a poll, at the earliest after so many seconds; it is to be short. Thread-safe.
  void after(double seconds, Task task) {
    const auto due =
        now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    const std::lock_guard lock(mutex_);
    waiting_.emplace(due, std::move(task));
  }

  /// Runs what is due. True if anything was.
  bool poll() {
    std::multimap<Clock::time_point, Task> due;
    {
      const std::lock_guard lock(mutex_);
      if (waiting_.empty()) return false;
      const auto end = waiting_.upper_bound(now());
      while (waiting_.begin() != end) due.insert(waiting_.extract(waiting_.begin()));
    }
    for (auto& [when, task] : due) task();
    return !due.empty();
  }

  /// True when no task waits for its time.
  bool is_idle() const {
    const std::lock_guard lock(mutex_);
    return waiting_.empty();
  }

 private:
  const std::function<Clock::time_point()> now_;
  mutable std::mutex mutex_;  // guards what waits: strands add, the lane that polls runs no tasks of theirs
  std::multimap<Clock::time_point, Task> waiting_;
};

}  // namespace pileus
