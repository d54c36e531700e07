#pragma once
// Buffers that are used again. Fresh memory costs a page fault for every 4 KiB, which for large messages is
// more than the copy into them. A process that had more in use for once does not keep them for good.

#include <cstddef>
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
  /// Long buffers are mapped, so that the system has their memory again when they go. The C library would
  /// keep up to twice the largest one that it ever freed.
  struct Free {
    explicit Free(std::size_t mapped) : mapped_bytes(mapped) {}
    Free() : Free(0) {}
    std::size_t mapped_bytes;  // 0: of the C library
    void operator()(std::byte* bytes) const;
  };
  std::unique_ptr<std::byte[], Free> memory_;
  std::byte* first_ = nullptr;  // aligned to a cache line
  std::size_t capacity_ = 0;
};

/// Not thread-safe.
class BufferPool {
 public:
  /// A period ends when a size was taken so often for each buffer of it that was in use at once.
  static constexpr std::size_t kPeriod = 32;

  /// Keeps at most `kept_bytes` bytes of unused buffers, of each size no more than were in use at once in
  /// this period and the one before.
  explicit BufferPool(std::size_t kept_bytes) : budget_bytes_(kept_bytes) {}

  /// A buffer of at least `bytes` bytes, at most a quarter more than that or 256 bytes.
  Buffer take(std::size_t bytes);
  /// REQUIRES: it was taken here. One that there is no memory to remember is let go.
  void give_back(Buffer buffer) noexcept;

 private:
  /// The buffers of one capacity.
  struct Size {
    std::vector<Buffer> unused = {};
    std::size_t in_use = 0;
    std::size_t taken = 0, most = 0;  ///< in this period; the most in use at once
    std::size_t most_before = 0;      ///< in the one before
  };
  void begin_period(std::size_t capacity, Size& size);

  std::size_t budget_bytes_;           // how much more may be kept
  std::map<std::size_t, Size> sizes_;  // by capacity
};

}  // namespace pileus
