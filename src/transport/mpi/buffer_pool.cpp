#include "transport/mpi/buffer_pool.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

#include "transport/mpi/buffer_class.h"

namespace pileus {
namespace {

constexpr std::size_t kCacheLine = 64, kPage = 4096;
constexpr std::size_t kLong = std::size_t{1} << 20;

}  // namespace

void Buffer::Free::operator()(std::byte* bytes) const {
  if (mapped_bytes > 0) {
    ::munmap(bytes, mapped_bytes);
  } else {
    std::free(bytes);
  }
}

Buffer::Buffer(std::size_t capacity) : capacity_(capacity) {
  if (capacity >= kLong) {
    const std::size_t size = capacity + kPage;
    void* const mapped = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    memory_ = {static_cast<std::byte*>(mapped), Free{size}};
    // A wish: large pages halve what the first copy into fresh memory takes.
    (void)::madvise(mapped, size, MADV_HUGEPAGE);
    first_ = memory_.get() + kPage - kPageOffset;
    return;
  }
  // REQUIRES of aligned_alloc: a multiple of the alignment, which every class is.
  memory_.reset(static_cast<std::byte*>(std::aligned_alloc(kCacheLine, capacity)));
  if (!memory_) throw std::bad_alloc();
  first_ = memory_.get();
}

Buffer BufferPool::take(std::size_t bytes) {
  const std::size_t capacity = buffer_class(bytes);
  Size& size = sizes_[capacity];
  if (size.taken >= kPeriod * std::max<std::size_t>(1, size.most)) begin_period(capacity, size);
  Buffer buffer;
  if (size.unused.empty()) {
    buffer = Buffer(capacity);
  } else {
    buffer = std::move(size.unused.back());
    size.unused.pop_back();
    budget_bytes_ += capacity;
  }
  ++size.taken;
  ++size.in_use;
  size.most = std::max(size.most, size.in_use);
  return buffer;
}

void BufferPool::give_back(Buffer buffer) noexcept {
  const std::size_t capacity = buffer.capacity();
  const auto size = sizes_.find(capacity);
  if (capacity == 0 || size == sizes_.end()) return;
  --size->second.in_use;
  if (capacity > budget_bytes_) return;
  try {
    size->second.unused.push_back(std::move(buffer));
  } catch (const std::bad_alloc&) {
    return;
  }
  budget_bytes_ -= capacity;
}

/// Lets go what was needed neither in the period that ends nor in the one before.
void BufferPool::begin_period(std::size_t capacity, Size& size) {
  const std::size_t needed = std::max(size.most, size.most_before);
  const std::size_t there = size.unused.size() + size.in_use;
  const std::size_t excess = std::min(size.unused.size(), there - std::min(there, needed));
  size.unused.erase(size.unused.begin(), size.unused.begin() + static_cast<std::ptrdiff_t>(excess));
  budget_bytes_ += excess * capacity;
  size.most_before = size.most;
  size.most = size.in_use;
  size.taken = 0;
}

}  // namespace pileus
