#pragma once
// What runs in one server, and for how long: counted and timed as it happens, from any of its threads, read
// for the run's report and to find out when nothing runs. Two readings of a clock for a task; nothing in the
// results depends on it.

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>

namespace pileus {

/// What is held now, and the most that ever was.
class Gauge {
 public:
  void add(std::int64_t amount) {
    const std::int64_t now = held_.fetch_add(amount, std::memory_order_relaxed) + amount;
    std::int64_t most = most_.load(std::memory_order_relaxed);
    while (now > most && !most_.compare_exchange_weak(most, now, std::memory_order_relaxed)) {
    }
    std::int64_t recent = recent_most_.load(std::memory_order_relaxed);
    while (now > recent && !recent_most_.compare_exchange_weak(recent, now, std::memory_order_relaxed)) {
    }
  }
  /// What the caller did before is seen by whoever sees the gauge fall.
  void take_away(std::int64_t amount) { held_.fetch_sub(amount, std::memory_order_release); }
  std::int64_t held() const { return held_.load(std::memory_order_acquire); }
  std::int64_t most() const { return most_.load(std::memory_order_relaxed); }
  /// The most since this was asked last. For one reader.
  std::int64_t take_recent_most() { return recent_most_.exchange(held(), std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> held_ = 0, most_ = 0, recent_most_ = 0;
};

/// analysis: rules, reductions, windows. records: what goes between them and the disk, in short tasks. disk:
/// the file library and writing, which may block. messages: the server's lane, its processor time, as
/// others may have the processor while it waits in the message library.
enum class Work : std::uint8_t { analysis, records, disk, messages };
inline constexpr std::size_t kKindsOfWork = 4;

class Activity {
 public:
  using Clock = std::chrono::steady_clock;

  /// Tasks that were submitted and have not ended.
  Gauge tasks;
  /// Bytes of parcels that have arrived and are still needed.
  Gauge parcel_bytes;
  /// Bytes of records that windows have made and that are still needed.
  Gauge record_bytes;

  /// Something began at `now`; the same `now` goes to end() when it ends.
  void begin(Clock::time_point now) {
    if (running_.fetch_add(1, std::memory_order_relaxed) == 0) busy_ns_.fetch_sub(ns(now));
  }
  void end(Work work, Clock::time_point began) {
    const Clock::time_point now = Clock::now();
    end(work, now, now - began);
  }
  /// Where less than the time from its beginning to `now` was spent on it.
  void end(Work work, Clock::time_point now, std::chrono::nanoseconds spent) {
    spent_ns_[static_cast<std::size_t>(work)].fetch_add(spent.count(), std::memory_order_relaxed);
    if (running_.fetch_sub(1, std::memory_order_relaxed) == 1) busy_ns_.fetch_add(ns(now));
    ended_[static_cast<std::size_t>(work)].fetch_add(1, std::memory_order_relaxed);
  }

  /// Summed over threads.
  double spent_s(Work work) const { return seconds(spent_ns_[static_cast<std::size_t>(work)].load()); }
  /// The time until `now` in which anything ran.
  double busy_s(Clock::time_point now) const {
    return seconds(busy_ns_.load() + (running_.load() > 0 ? ns(now) : 0));
  }
  /// How often something of the kind has ended.
  std::uint64_t ended(Work work) const {
    return ended_[static_cast<std::size_t>(work)].load(std::memory_order_relaxed);
  }

 private:
  static std::int64_t ns(Clock::time_point at) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(at.time_since_epoch()).count();
  }
  static double seconds(std::int64_t ns) { return 1e-9 * static_cast<double>(ns); }

  std::atomic<std::int64_t> running_ = 0;
  std::atomic<std::int64_t> busy_ns_ = 0;  ///< plus the time of the clock for each begin that is not ended
  std::array<std::atomic<std::int64_t>, kKindsOfWork> spent_ns_{};
  std::array<std::atomic<std::uint64_t>, kKindsOfWork> ended_{};
};

}  // namespace pileus
