#pragma once
// One direction between two processes of a node: the sender puts messages into memory that both have, the
// receiver reads them where they lie, and gives them back in any order, from any thread.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "transport/endpoint.h"
#include "transport/shared/shared_memory.h"

namespace pileus {

/// The header of a message in the segment.
struct alignas(64) BlockHeader {
  std::uint64_t payload_bytes = 0;
  std::uint64_t block = 0;        ///< the offset of what was taken of the segment for it: this header, or
  std::uint64_t block_bytes = 0;  ///< a little before it, and its length
  std::uint32_t channel = kControl;
  std::uint32_t keeping = 0;  ///< the sender's own account (outgoing.cpp)
  std::atomic<std::uint64_t> next_released = 0;
};

/// An entry of the queue: a message that lies in the segment, or one that comes another way, whose release is
/// noted at the offset, if there is one. Without either it is no message: by it the sender learns that the
/// receiver has come so far.
struct SegmentEntry {
  std::uint64_t offset = 0;  ///< of a BlockHeader; 0: none
  bool comes_another_way = false;
  bool is_message() const { return offset != 0 || comes_another_way; }
};

/// The view that both sides have. Who calls what is said at each member: one thread of each process, but for
/// release().
class Segment {
 public:
  /// So many messages may lie there that the receiver has not taken.
  static constexpr std::size_t kEntries = 4096;
  /// Memory for `bytes` bytes of messages and their headers.
  static std::size_t size_for(std::size_t bytes);
  static std::size_t first_block();

  /// The sender's, in memory that is all zero.
  static std::shared_ptr<Segment> begin(std::shared_ptr<SharedMemory> memory);
  /// The receiver's. Errors: TransportError if no segment has begun there.
  static std::shared_ptr<Segment> join(std::shared_ptr<SharedMemory> memory);

  std::size_t size() const { return memory_->bytes().size(); }
  MemoryAddress address() const { return memory_->address(); }
  void close() { memory_->close(); }

  /// The sender's. False while the queue is full.
  bool push(SegmentEntry entry) noexcept;
  /// The sender's: how many entries the receiver has taken, since the beginning.
  std::uint64_t taken() const noexcept;
  /// The sender's: the next one that the receiver has given back since the last call, 0 if there is none.
  std::uint64_t take_released() noexcept;
  bool has_released() const noexcept;
  BlockHeader& header(std::uint64_t offset) const;
  std::byte* payload(std::uint64_t offset) const {
    return memory_->bytes().data() + offset + sizeof(BlockHeader);
  }

  /// The receiver's: the next entry, which stays until pop().
  /// Errors: TransportError for one that lies outside of the segment.
  std::optional<SegmentEntry> front() const;
  void pop() noexcept;
  std::span<const std::byte> bytes(std::uint64_t offset) const;
  /// Whether a header may lie there.
  bool has_block(std::uint64_t offset) const;
  /// The receiver's, on any thread.
  void release(std::uint64_t offset) noexcept;

 private:
  struct Shared;
  explicit Segment(std::shared_ptr<SharedMemory> memory) : memory_(std::move(memory)) {}
  Shared& shared() const;

  std::shared_ptr<SharedMemory> memory_;
  std::uint64_t released_ = 0;  // the sender's: taken from the receiver, and not handed on
};

}  // namespace pileus
