#pragma once
// What an endpoint sends to one process of its node: what lies in their segment, and what it may claim there.

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "transport/budget.h"
#include "transport/shared/bell.h"
#include "transport/shared/free_memory.h"
#include "transport/shared/segment.h"

namespace pileus {

/// Not thread-safe.
class Outgoing {
 public:
  /// Messages for which the segment has no memory go another way; only their release is noted in it.
  static constexpr std::size_t kNotes = 16384;

  /// Makes a segment for messages of together `bytes` bytes.
  /// Errors: TransportError where the system gives no memory.
  explicit Outgoing(std::size_t bytes);

  Budget& budget() { return budget_; }
  MemoryAddress address() const { return segment_->address(); }
  /// The receiver has the segment, and sleeps at that bell.
  void open(Bell bell);
  bool is_open() const { return bell_.has_value(); }
  /// The receiver does not get the segment.
  void close() { segment_->close(); }

  /// Takes memory of the segment: for a message, or for a note of one that goes another way.
  std::optional<std::uint64_t> take(Channel channel, std::size_t bytes);
  std::optional<std::uint64_t> take_note(Channel channel, std::size_t bytes);
  /// A message or note is not sent.
  void drop(std::uint64_t offset);
  std::byte* payload(std::uint64_t offset) const { return segment_->payload(offset); }

  /// A message went another way before the receiver has the segment, which will release the note.
  void note_early(std::uint64_t note);
  /// Sends what lies there, or says that the next message comes another way. Never waits. REQUIRES: open.
  void send(SegmentEntry entry);
  /// Takes note of what the receiver has taken and given back, and sends what found the queue full.
  void progress() noexcept;
  bool is_all_sent() const { return waiting_.empty(); }

 private:
  std::optional<std::uint64_t> take(FreeMemory& memory, std::size_t block_bytes, Channel channel,
                                    std::size_t payload_bytes);
  void free(std::uint64_t offset) noexcept;
  bool push(SegmentEntry entry) noexcept;
  bool is_metered(SegmentEntry entry) const;

  std::shared_ptr<Segment> segment_;
  std::uint64_t first_note_;
  FreeMemory messages_, notes_;
  Budget budget_;
  std::optional<Bell> bell_;
  std::deque<SegmentEntry> waiting_;  ///< in the order of their sending
  std::vector<bool> are_metered_;     ///< by place in the queue
  std::uint64_t pushed_ = 0, seen_taken_ = 0;
  std::size_t early_ = 0;  ///< metered messages that are not known to be received, and are in no queue
};

}  // namespace pileus
