#pragma once
// Messages between processes that share memory, as the one that sends and the one that receives hold them.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "transport/endpoint.h"
#include "transport/shared/bell.h"
#include "transport/shared/outgoing.h"
#include "transport/shared/segment.h"
#include "transport/shared/shared_memory.h"

namespace pileus {

/// What precedes the bytes of a message between neighbours that goes through the endpoint below, once the
/// sender has offered memory. It is as long as two cache lines, so that the bytes behind it are aligned as
/// before it.
struct Envelope {
  enum Word : std::uint32_t { message, offer, acceptance, refusal, switched, urgent };
  static constexpr std::uint64_t kSeal = 0x93c1'7e5a'd20f'b864;  ///< no message begins so by itself
  std::uint64_t seal = kSeal;
  std::uint32_t word = message;
  std::uint64_t note = 0;  ///< in the segment, of a message that came before it was in use; of `switched`: 1
                           ///< where the sender wakes the receiver
  MemoryAddress segment = {}, bell = {};
};
inline constexpr std::size_t kEnvelopeBytes = 128;
static_assert(sizeof(Envelope) <= kEnvelopeBytes);

inline bool is_enclosed(std::span<const std::byte> bytes) {
  std::uint64_t seal = 0;
  if (bytes.size() >= kEnvelopeBytes) std::memcpy(&seal, bytes.data(), sizeof seal);
  return seal == Envelope::kSeal;
}

inline void write(std::span<std::byte> place, const Envelope& envelope) {
  std::memcpy(place.data(), &envelope, sizeof envelope);
}

/// Where a claimed message lies, or what it goes through.
class SharedSlot : public Slot {
 public:
  /// In the memory of both.
  SharedSlot(Peer to, std::shared_ptr<Outgoing> outgoing, std::uint64_t offset, std::size_t bytes)
      : to_(to), outgoing_(std::move(outgoing)), offset_(offset), bytes_(bytes) {}
  /// Through the endpoint below. `outgoing`: null for no neighbour. `note`: of its release, 0 without one.
  SharedSlot(Peer to, std::shared_ptr<Outgoing> outgoing, std::uint64_t note, std::unique_ptr<Slot> below)
      : to_(to), outgoing_(std::move(outgoing)), offset_(note), below_(std::move(below)) {}
  ~SharedSlot() override {
    if (offset_ != 0) outgoing_->drop(offset_);
  }

  Peer to() const { return to_; }
  Outgoing& outgoing() { return *outgoing_; }
  std::span<std::byte> bytes() override {
    if (!below_) return {outgoing_->payload(offset_), bytes_};
    return is_enclosed_ ? below_->bytes().subspan(kEnvelopeBytes) : below_->bytes();
  }
  bool stays() const override { return !below_ && offset_ != 0; }
  std::shared_ptr<void> keep() override {
    outgoing_->keep(offset_);
    return {nullptr, [outgoing = outgoing_, offset = offset_](void*) { outgoing->let_go(offset); }};
  }
  void enclose(bool is_urgent) {
    is_enclosed_ = true;
    is_urgent_ = is_urgent;
  }
  /// Whether it passes what is in the queue.
  bool is_urgent() const { return is_urgent_; }
  bool is_enclosed() const { return is_enclosed_; }
  std::unique_ptr<Slot>& below() { return below_; }
  std::uint64_t offset() const { return offset_; }
  /// From now on whoever has the entry sees to it.
  std::uint64_t take_offset() { return std::exchange(offset_, 0); }

 private:
  Peer to_;
  std::shared_ptr<Outgoing> outgoing_;
  std::uint64_t offset_ = 0;
  std::size_t bytes_ = 0;
  std::unique_ptr<Slot> below_ = nullptr;
  bool is_enclosed_ = false, is_urgent_ = false;
};

/// A message whose sender learns from the segment that it is done with.
class SharedMessage : public Message {
 public:
  SharedMessage(Peer from, std::shared_ptr<Segment> segment, std::shared_ptr<Bell> sender,
                std::uint64_t offset, std::shared_ptr<Message> below = nullptr)
      : from_(from),
        segment_(std::move(segment)),
        sender_(std::move(sender)),
        offset_(offset),
        below_(std::move(below)) {}
  ~SharedMessage() override {
    if (offset_ == 0) return;
    segment_->release(offset_);
    sender_->ring();
  }

  Peer from() const override { return from_; }
  std::span<const std::byte> bytes() const override {
    if (!below_) return segment_->bytes(offset_);
    return is_enclosed(below_->bytes()) ? below_->bytes().subspan(kEnvelopeBytes) : below_->bytes();
  }

 private:
  Peer from_;
  std::shared_ptr<Segment> segment_;
  std::shared_ptr<Bell> sender_;
  std::uint64_t offset_;
  std::shared_ptr<Message> below_;
};

}  // namespace pileus
