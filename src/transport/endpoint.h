#pragma once
// Bytes between ranks: claim, write in place, commit. One interface for threads of one process, shared memory
// and MPI. One thread (the lane that owns the endpoint) makes all calls on it.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace pileus {

/// A rank in the world that holds all model ranks and all servers.
using Peer = std::uint32_t;

/// Messages of one channel to one peer share a guarantee: when none of them is outstanding, the next is
/// always granted. Channel 0 (control) is never metered.
using Channel = std::uint32_t;
inline constexpr Channel kControl = 0;
/// A metered channel for small messages that nobody should wait for: they pass all messages of the same peer
/// in other channels that have not been received, and keep their order among themselves.
inline constexpr Channel kUrgent = UINT32_MAX - 1;

/// Room for one message, to be filled in place. Dropping it without commit, on the thread of its endpoint,
/// gives the room back.
class Slot {
 public:
  virtual ~Slot() = default;
  virtual std::span<std::byte> bytes() = 0;
  /// Whether the receiver reads the message here, so that it sees what is written into it later, too.
  virtual bool stays() const { return false; }
  /// Keeps the memory for this message, also when it was sent and the receiver has let it go, until what is
  /// returned goes, on the thread of the endpoint. At most once. REQUIRES: stays().
  virtual std::shared_ptr<void> keep() { return nullptr; }
};

/// A message that has arrived. Its bytes stay where they are until it is destroyed, which may happen on any
/// thread; only then does its sender get the room back (a Credit).
class Message {
 public:
  virtual ~Message() = default;
  virtual Peer from() const = 0;
  virtual std::span<const std::byte> bytes() const = 0;
};

/// Order: messages from one peer arrive in the order of their commits, whatever their channels; but those of
/// kUrgent pass the others. Nothing is said about the order between peers.
class Endpoint {
 public:
  virtual ~Endpoint() = default;

  virtual Peer self() const = 0;
  virtual Peer size() const = 0;

  /// Whether `peer` is on this rank's node.
  virtual bool is_near(Peer) const { return true; }

  /// How many bytes of metered messages to `to` may be outstanding: claimed or sent, and not yet destroyed
  /// over there. Until it is set: 64 MiB.
  virtual void set_budget(Peer to, std::size_t bytes) = 0;

  /// Memory for a message of `bytes`, or null when it does not fit the budget now. Never waits, may make
  /// progress. A metered claim is granted when nothing of its channel is outstanding, or when all that is
  /// outstanding to `to` plus `bytes` stays within the budget and few enough messages are on their way there
  /// (budget.h), whether or not they are destroyed once they are received.
  virtual std::unique_ptr<Slot> claim(Peer to, Channel channel, std::size_t bytes) = 0;
  /// Sends the slot's message. Never waits. REQUIRES: the slot came from claim() of this endpoint.
  virtual void commit(std::unique_ptr<Slot> slot) = 0;

  /// The next message, or null when none has arrived. Never waits.
  virtual std::shared_ptr<Message> receive() = 0;

  /// Rests until something may have changed, at most for `limit`; never spins. May return early.
  virtual void rest(std::chrono::microseconds limit) = 0;

  /// True when every committed message has left this rank's memory.
  virtual bool is_all_sent() = 0;

  /// Whether something is half way between ranks in either direction, and moves on only when it is looked at.
  virtual bool has_anything_under_way() const { return false; }

  /// Whether messages to `to` lie in memory that both have, or may come to.
  virtual bool may_share_memory_with(Peer /*to*/) const { return false; }
  /// Messages to `to` are to lie in such memory, if they may, from some time on. REQUIRES: its budget is set.
  virtual void share_memory_with(Peer /*to*/) {}
};

}  // namespace pileus
