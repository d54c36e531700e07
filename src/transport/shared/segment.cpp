#include "transport/shared/segment.h"

#include <array>
#include <new>
#include <utility>

#include "core/error.h"

namespace pileus {
namespace {

constexpr std::uint64_t kBegun = 0x5049'4c45'5553'0001;
constexpr std::uint64_t kAnotherWay = 1;  // offsets are multiples of 64

}  // namespace

static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "two processes share them");
static_assert(sizeof(BlockHeader) == 64);

struct Segment::Shared {
  std::uint64_t begun;
  alignas(64) std::atomic<std::uint64_t> pushed;    // written by the sender
  alignas(64) std::atomic<std::uint64_t> popped;    // written by the receiver
  alignas(64) std::atomic<std::uint64_t> released;  // the last block that was given back, which says the next
  alignas(64) std::array<std::uint64_t, kEntries> entries;
};

std::size_t Segment::first_block() { return (sizeof(Shared) + 4095) / 4096 * 4096; }

std::size_t Segment::size_for(std::size_t bytes) {
  return first_block() + (bytes + sizeof(BlockHeader) + 4095) / 4096 * 4096;
}

std::shared_ptr<Segment> Segment::begin(std::shared_ptr<SharedMemory> memory) {
  std::shared_ptr<Segment> segment(new Segment(std::move(memory)));
  segment->shared().begun = kBegun;
  return segment;
}

std::shared_ptr<Segment> Segment::join(std::shared_ptr<SharedMemory> memory) {
  std::shared_ptr<Segment> segment(new Segment(std::move(memory)));
  const bool is_one = segment->size() > first_block() && segment->shared().begun == kBegun;
  if (!is_one) throw TransportError("the memory of another process holds no messages of this version");
  return segment;
}

Segment::Shared& Segment::shared() const { return *reinterpret_cast<Shared*>(memory_->bytes().data()); }

BlockHeader& Segment::header(std::uint64_t offset) const {
  return *reinterpret_cast<BlockHeader*>(memory_->bytes().data() + offset);
}

bool Segment::push(SegmentEntry entry) noexcept {
  const std::uint64_t number = shared().pushed.load(std::memory_order_relaxed);
  if (number - taken() >= kEntries) return false;
  shared().entries[number % kEntries] = entry.offset | (entry.comes_another_way ? kAnotherWay : 0);
  shared().pushed.store(number + 1, std::memory_order_release);
  return true;
}

std::uint64_t Segment::taken() const noexcept { return shared().popped.load(std::memory_order_acquire); }

std::optional<SegmentEntry> Segment::front() const {
  const std::uint64_t number = shared().popped.load(std::memory_order_relaxed);
  if (shared().pushed.load(std::memory_order_acquire) == number) return std::nullopt;
  const std::uint64_t word = shared().entries[number % kEntries];
  const SegmentEntry entry = {word & ~kAnotherWay, (word & kAnotherWay) != 0};
  const std::uint64_t end = size() - sizeof(BlockHeader);
  const bool is_inside =
      has_block(entry.offset) &&
      (entry.comes_another_way || header(entry.offset).payload_bytes <= end - entry.offset);
  if (entry.offset != 0 && !is_inside)
    throw TransportError("a process of this node has put a message where there is no memory for it");
  return entry;
}

bool Segment::has_block(std::uint64_t offset) const {
  return offset >= first_block() && offset <= size() - sizeof(BlockHeader) && offset % 64 == 0;
}

void Segment::pop() noexcept { shared().popped.fetch_add(1, std::memory_order_release); }

std::span<const std::byte> Segment::bytes(std::uint64_t offset) const {
  return {payload(offset), static_cast<std::size_t>(header(offset).payload_bytes)};
}

void Segment::release(std::uint64_t offset) noexcept {
  std::uint64_t next = shared().released.load(std::memory_order_relaxed);
  do {
    header(offset).next_released.store(next, std::memory_order_relaxed);
  } while (!shared().released.compare_exchange_weak(next, offset, std::memory_order_release,
                                                    std::memory_order_relaxed));
}

bool Segment::has_released() const noexcept {
  return released_ != 0 || shared().released.load(std::memory_order_relaxed) != 0;
}

std::uint64_t Segment::take_released() noexcept {
  if (released_ == 0) {
    if (shared().released.load(std::memory_order_relaxed) == 0) return 0;
    released_ = shared().released.exchange(0, std::memory_order_acquire);
  }
  const std::uint64_t offset = released_;
  if (offset != 0) released_ = header(offset).next_released.load(std::memory_order_relaxed);
  return offset;
}

}  // namespace pileus
