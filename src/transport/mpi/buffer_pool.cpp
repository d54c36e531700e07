#include "transport/mpi/buffer_pool.h"

#include <algorithm>
#include <new>
#include <utility>

#include "transport/mpi/buffer_class.h"

namespace pileus {
namespace {

constexpr std::size_t kCacheLine = 64, kPage = 4096;
constexpr std::size_t kLong = std::size_t{1} << 20;

}  // namespace

Buffer::Buffer(std::size_t capacity) : capacity_(capacity) {
  // REQUIRES of aligned_alloc: a multiple of the alignment, which every class is.
  const bool is_long = capacity >= kLong;
  const std::size_t skipped = is_long ? kPage - kPageOffset : 0;
  memory_.reset(static_cast<std::byte*>(
      std::aligned_alloc(is_long ? kPage : kCacheLine, capacity + (is_long ? kPage : 0))));
  if (!memory_) throw std::bad_alloc();
  first_ = memory_.get() + skipped;
}

Buffer BufferPool::take(std::size_t bytes) {
  const std::size_t capacity = buffer_class(bytes);
  const auto found = unused_.find(capacity);
  if (found == unused_.end() || found->second.empty()) return Buffer(capacity);
  Buffer buffer = std::move(found->second.back());
  found->second.pop_back();
  budget_bytes_ += capacity;
  return buffer;
}

void BufferPool::give_back(Buffer buffer) noexcept {
  const std::size_t capacity = buffer.capacity();
  if (capacity == 0 || capacity > budget_bytes_) return;
  try {
    unused_[capacity].push_back(std::move(buffer));
  } catch (const std::bad_alloc&) {
    return;
  }
  budget_bytes_ -= capacity;
}

}  // namespace pileus
