#pragma once
// One piece of memory for many small objects that are made together: what shared pointers of a step point to.
// The piece is given back when the last of the objects is gone.

#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <utility>

namespace pileus {

class Arena {
 public:
  explicit Arena(std::size_t bytes) : memory_(new std::byte[bytes]), size_(bytes) {}

  /// Null where there is no memory left. Not thread-safe.
  void* take(std::size_t bytes, std::size_t alignment) noexcept {
    void* place = memory_.get() + used_;
    std::size_t left = size_ - used_;
    if (std::align(alignment, bytes, place, left) == nullptr) return nullptr;
    used_ = size_ - left + bytes;
    return place;
  }
  /// Whether take() gave it. Thread-safe.
  bool has(const void* place) const noexcept {
    const auto* const byte = static_cast<const std::byte*>(place);
    return !std::less<>()(byte, memory_.get()) && std::less<>()(byte, memory_.get() + size_);
  }

 private:
  std::unique_ptr<std::byte[]> memory_;
  std::size_t size_, used_ = 0;
};

/// For std::allocate_shared: in the arena, which it keeps, and elsewhere where the arena is full.
/// Order: one thread allocates; any thread gives back.
template <class T>
class ArenaAllocator {
 public:
  using value_type = T;

  explicit ArenaAllocator(std::shared_ptr<Arena> arena) noexcept : arena_(std::move(arena)) {}
  template <class Other>
  // NOLINTNEXTLINE(google-explicit-constructor): as the standard asks of allocators
  ArenaAllocator(const ArenaAllocator<Other>& other) noexcept : arena_(other.arena_) {}

  T* allocate(std::size_t count) {
    void* const place = arena_->take(count * sizeof(T), alignof(T));
    return static_cast<T*>(place != nullptr ? place : ::operator new(count * sizeof(T)));
  }
  void deallocate(T* place, std::size_t) noexcept {
    if (!arena_->has(place)) ::operator delete(place);
  }
  friend bool operator==(const ArenaAllocator&, const ArenaAllocator&) = default;

 private:
  template <class Other>
  friend class ArenaAllocator;
  std::shared_ptr<Arena> arena_;
};

}  // namespace pileus
