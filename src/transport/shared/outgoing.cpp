#include "transport/shared/outgoing.h"

#include <new>
#include <utility>

namespace pileus {
namespace {

/// BlockHeader::keeping: what is kept, and what is to be done with it when it is let go.
enum Keeping : std::uint32_t { kNotKept, kKept, kKeptAfterRelease, kKeptAfterDrop };

constexpr std::size_t kLong = std::size_t{1} << 20, kPage = 4096;

constexpr std::size_t rounded_up(std::size_t bytes) {
  return (bytes + FreeMemory::kUnit - 1) / FreeMemory::kUnit * FreeMemory::kUnit;
}

constexpr std::size_t kNoteBytes = Outgoing::kNotes * sizeof(BlockHeader);

/// Memory for messages of together `bytes` bytes with what lies between them.
constexpr std::size_t for_messages(std::size_t bytes) { return rounded_up(bytes + bytes / 4 + (1 << 20)); }

}  // namespace

Outgoing::Outgoing(std::size_t bytes)
    : segment_(Segment::begin(
          std::make_shared<SharedMemory>(Segment::size_for(for_messages(bytes) + kNoteBytes)))),
      first_note_(Segment::first_block() + for_messages(bytes)),
      messages_(Segment::first_block(), for_messages(bytes)),
      notes_(first_note_, kNoteBytes),
      are_metered_(Segment::kEntries) {}

void Outgoing::join() {
  segment_->close();
  push({});
}

/// A long message begins with a page, as arrays of a model nearly do: it is copied fastest then.
std::optional<std::uint64_t> Outgoing::take(Channel channel, std::size_t bytes) {
  const std::size_t more = bytes >= kLong ? kPage : 0;
  return take(messages_, sizeof(BlockHeader) + rounded_up(bytes) + more, channel, bytes);
}

std::optional<std::uint64_t> Outgoing::take_note(Channel channel, std::size_t bytes) {
  return take(notes_, sizeof(BlockHeader), channel, bytes);
}

std::optional<std::uint64_t> Outgoing::take(FreeMemory& memory, std::size_t block_bytes, Channel channel,
                                            std::size_t payload_bytes) {
  const std::optional<std::size_t> block = memory.take(block_bytes);
  if (!block) return std::nullopt;
  const bool is_long = &memory == &messages_ && payload_bytes >= kLong;
  const std::size_t first = *block + sizeof(BlockHeader);
  const std::size_t offset = (is_long ? (first + kPage - 1) / kPage * kPage : first) - sizeof(BlockHeader);
  BlockHeader& header = *new (&segment_->header(offset)) BlockHeader;
  header.payload_bytes = payload_bytes;
  header.block = *block;
  header.block_bytes = block_bytes;
  header.channel = channel;
  return offset;
}

void Outgoing::drop(std::uint64_t offset) {
  BlockHeader& header = segment_->header(offset);
  budget_.drop(header.channel, header.payload_bytes);
  if (header.keeping == kKept)
    header.keeping = kKeptAfterDrop;
  else
    free(offset);
}

void Outgoing::keep(std::uint64_t offset) noexcept { segment_->header(offset).keeping = kKept; }

void Outgoing::let_go(std::uint64_t offset) noexcept {
  BlockHeader& header = segment_->header(offset);
  const std::uint32_t was = std::exchange(header.keeping, kNotKept);
  if (was == kKeptAfterRelease) budget_.give_back(header.channel, 1, header.payload_bytes);
  if (was != kKept) free(offset);
}

void Outgoing::free(std::uint64_t offset) noexcept {
  const BlockHeader& header = segment_->header(offset);
  (offset < first_note_ ? messages_ : notes_).give_back(header.block, header.block_bytes);
}

void Outgoing::note_early(std::uint64_t note) {
  if (is_metered({note, true})) ++early_;
}

void Outgoing::send_waiting() noexcept {
  const std::uint64_t before = pushed_;
  while (!waiting_.empty() && push(waiting_.front())) waiting_.pop_front();
  if (receiver_ && pushed_ != before) receiver_->ring_deep_sleeper();
}

bool Outgoing::push(SegmentEntry entry) noexcept {
  const bool is_metered_one = is_metered(entry);
  // Whether an entry is metered is looked up when it is taken, so its place is not free before.
  if (pushed_ - seen_taken_ >= Segment::kEntries || !segment_->push(entry)) return false;
  are_metered_[pushed_++ % Segment::kEntries] = is_metered_one;
  return true;
}

/// An entry without a note is counted by the endpoint below, or is control.
bool Outgoing::is_metered(SegmentEntry entry) const {
  return entry.offset != 0 && segment_->header(entry.offset).channel != kControl;
}

void Outgoing::progress() noexcept {
  // The first entry is taken when all that went another way before it has come.
  if (segment_->taken() > 0) budget_.note_received(std::exchange(early_, 0));
  for (const std::uint64_t taken = segment_->taken(); seen_taken_ < taken; ++seen_taken_) {
    if (are_metered_[seen_taken_ % Segment::kEntries]) budget_.note_received(1);
  }
  while (const std::uint64_t offset = segment_->take_released()) {
    BlockHeader& header = segment_->header(offset);
    if (header.keeping == kKept) {
      header.keeping = kKeptAfterRelease;
      continue;
    }
    budget_.give_back(header.channel, 1, header.payload_bytes);
    free(offset);
  }
  send_waiting();
}

bool Outgoing::has_news() const noexcept {
  return segment_->taken() != seen_taken_ || segment_->has_released();
}

}  // namespace pileus
