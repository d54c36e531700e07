#pragma once
// Buffers that are used again. Fresh memory costs a page fault for every 4 KiB, which for large messages is
// more than the copy into them.

#include <cstddef>
#include <cstdlib>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace pileus {

class Buffer {
 public:
  /// In a buffer of 1 MiB or more this byte is the first of a page; what is copied to there from an array
  /// that begins with a page, or a little later, is copied fastest.
  static constexpr std::size_t kPageOffset = 64;

  Buffer() = default;
  Buffer(Buffer&& other) noexcept
      : memory_(std::move(other.memory_)),
        first_(std::exchange(other.first_, nullptr)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    memory_ = std::move(other.memory_);
    first_ = std::exchange(other.first_, nullptr);
    capacity_ = std::exchange(other.capacity_, 0);
    return *this;
  }
  /// Errors: std::bad_alloc.
  explicit Buffer(std::size_t capacity);

  std::byte* data() { return first_; }
  const std::byte* data() const { return first_; }
  std::size_t capacity() const { return capacity_; }

 private:
  struct Free {
    void operator()(std::byte* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<std::byte[], Free> memory_;
  std::byte* first_ = nullptr;  // aligned to a cache line
  std::size_t capacity_ = 0;
};

/// Not thread-safe.
class BufferPool {
 public:
  /// Keeps at most `kept_bytes` bytes of unused buffers.
  explicit BufferPool(std::size_t kept_bytes) : budget_bytes_(kept_bytes) {}

  /// A buffer of at least `bytes` bytes, at most a quarter more than that or 256 bytes.
  Buffer take(std::size_t bytes);
  /// One that there is no memory to remember is let go.
  void give_back(Buffer buffer) noexcept;

 private:
  std::size_t budget_bytes_;                           // how much more may be kept
  std::map<std::size_t, std::vector<Buffer>> unused_;  // by capacity
};

}  // namespace pileus
