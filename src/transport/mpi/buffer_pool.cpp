#include "transport/mpi/buffer_pool.h"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

namespace pileus {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kSmallest = 256;

/// The next number of the form (4, 5, 6 or 7) * 2^k: four sizes for each power of two.
std::size_t rounded_to_class(std::size_t bytes) {
  if (bytes <= kSmallest) return kSmallest;
  const std::size_t unit = std::bit_floor(bytes - 1) / 4;
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

Buffer::Buffer(std::size_t capacity) : capacity_(capacity) {
  // REQUIRES of aligned_alloc: a multiple of the alignment, which every class is.
  bytes_.reset(static_cast<std::byte*>(std::aligned_alloc(kAlignment, capacity)));
  if (!bytes_) throw std::bad_alloc();
}

Buffer BufferPool::take(std::size_t bytes) {
  const std::size_t capacity = rounded_to_class(bytes);
  const auto found = unused_.find(capacity);
  if (found == unused_.end() || found->second.empty()) return Buffer(capacity);
  Buffer buffer = std::move(found->second.back());
  found->second.pop_back();
  room_bytes_ += capacity;
  return buffer;
}

void BufferPool::give_back(Buffer buffer) {
  const std::size_t capacity = buffer.capacity();
  if (capacity == 0 || capacity > room_bytes_) return;
  room_bytes_ -= capacity;
  unused_[capacity].push_back(std::move(buffer));
}

}  // namespace pileus
