#pragma once
// A process sleeps at its bell until another one rings it, on any thread of the node. It is rung only where
// somebody sleeps: a system call then, and else none.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "transport/shared/shared_memory.h"

namespace pileus {

class Bell {
 public:
  /// `memory`: of kBytes, all zero before its first bell.
  explicit Bell(std::shared_ptr<SharedMemory> memory) : memory_(std::move(memory)) {}
  static constexpr std::size_t kBytes = 4096;

  enum Sleep : std::uint32_t { awake, light, deep };

  void ring() noexcept { ring_from(light); }
  /// Rings only where somebody sleeps deep: who naps looks again soon, and waking takes time.
  void ring_deep_sleeper() noexcept { ring_from(deep); }
  /// Sleeps until it is rung, at most for `limit`, but not at all where `has_work` says true.
  /// Returns whether it was rung.
  /// Order: one thread of one process sleeps. Whoever rings has left the work before.
  template <class HasWork>
  bool sleep(std::chrono::microseconds limit, const HasWork& has_work, Sleep how = light) {
    const std::uint32_t rings = begin_sleep(how);
    if (!has_work()) wait(rings, limit);
    return end_sleep() != rings;
  }
  /// Whether somebody sleeps deep there now.
  bool has_deep_sleeper() const noexcept { return state().sleep.load(std::memory_order_acquire) == deep; }
  MemoryAddress address() const { return memory_->address(); }

 private:
  struct State {
    std::atomic<std::uint32_t> rings;
    std::atomic<std::uint32_t> sleep;
  };
  State& state() const { return *reinterpret_cast<State*>(memory_->bytes().data()); }
  void ring_from(Sleep least) noexcept;
  std::uint32_t begin_sleep(Sleep how) noexcept;
  void wait(std::uint32_t rings, std::chrono::microseconds limit) noexcept;
  std::uint32_t end_sleep() noexcept;

  std::shared_ptr<SharedMemory> memory_;
};

}  // namespace pileus
