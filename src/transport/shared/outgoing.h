#pragma once
// What an endpoint sends to one process of its node: what lies in their segment, and what it may claim there.

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
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
  /// The receiver has the segment. An entry that is no message is in the queue now.
  void join();
  bool is_joined() const { return pushed_ > 0; }
  /// Where the receiver sleeps: it is woken when something comes, if its sleep is deep.
  void set_receiver(std::unique_ptr<Bell> bell) { receiver_ = std::move(bell); }
  bool wakes_receiver() const { return receiver_ != nullptr; }
  /// For what went another way, beside the queue.
  void wake_receiver() noexcept {
    if (receiver_) receiver_->ring_deep_sleeper();
  }
  /// The receiver will read the queue behind all that went another way until now. REQUIRES: joined.
  void open() { is_open_ = true; }
  bool is_open() const { return is_open_; }

  /// Takes memory of the segment: for a message, or for a note of one that goes another way.
  std::optional<std::uint64_t> take(Channel channel, std::size_t bytes);
  std::optional<std::uint64_t> take_note(Channel channel, std::size_t bytes);
  /// A message or note is not sent.
  void drop(std::uint64_t offset);
  /// What lies there stays as it is until let_go(), also when the receiver has given it back.
  /// REQUIRES: a message that lies in the segment.
  void keep(std::uint64_t offset) noexcept;
  void let_go(std::uint64_t offset) noexcept;
  std::byte* payload(std::uint64_t offset) const { return segment_->payload(offset); }

  /// A message went another way before the receiver has the segment, which will release the note.
  void note_early(std::uint64_t note);
  /// Lines an entry up, to be sent by send_waiting(): of what lies there, or that the next message comes
  /// another way. The last one may be taken back until then. Errors: std::bad_alloc. REQUIRES: open.
  void line_up(SegmentEntry entry) { waiting_.push_back(entry); }
  void take_back() noexcept { waiting_.pop_back(); }
  void send_waiting() noexcept;
  /// Takes note of what the receiver has taken and given back, and sends what found the queue full.
  void progress() noexcept;
  bool is_all_sent() const { return waiting_.empty(); }
  /// Whether progress() has something to take note of.
  bool has_news() const noexcept;

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
  bool is_open_ = false;
  std::unique_ptr<Bell> receiver_ = nullptr;
  std::deque<SegmentEntry> waiting_;  ///< in the order of their sending
  std::vector<bool> are_metered_;     ///< by place in the queue
  std::uint64_t pushed_ = 0, seen_taken_ = 0;
  std::size_t early_ = 0;  ///< metered messages that are not known to be received, and are in no queue
};

}  // namespace pileus
