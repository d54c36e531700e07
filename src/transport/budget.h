#pragma once
// The sender's account of what it has outstanding at one peer. Every transport keeps its promises with it; it
// knows nothing of how bytes travel.

#include <cstddef>
#include <unordered_map>

#include "transport/endpoint.h"

namespace pileus {

/// What may be outstanding to a peer until set_budget() says otherwise.
inline constexpr std::size_t kDefaultBudgetBytes = std::size_t{64} << 20;

/// How many metered messages to a peer may be on their way, which it has not received. Those of a peer that
/// stands still lie in the queues of MPI, and some hundreds there hold up all that its process sends.
inline constexpr std::size_t kMostUnreceived = 128;
/// A peer says that it has received when it has so many of `most`; what it keeps to itself stops nobody.
constexpr std::size_t receipt_batch(std::size_t most) { return most < 4 ? 1 : most / 4; }

/// Not thread-safe.
class Budget {
 public:
  void set(std::size_t bytes) { budget_bytes_ = bytes; }
  /// REQUIRES: at least 1.
  void set_most_unreceived(std::size_t messages) { most_unreceived_ = messages; }

  /// Takes memory for a message, or says false when there is none now.
  bool take(Channel channel, std::size_t bytes) {
    if (channel == kControl) return true;
    std::size_t& messages = outstanding_messages_[channel];
    const bool fits = bytes <= budget_bytes_ && outstanding_bytes_ <= budget_bytes_ - bytes &&
                      unreceived_messages_ < most_unreceived_;
    if (messages > 0 && !fits) return false;
    ++messages;
    ++unreceived_messages_;
    outstanding_bytes_ += bytes;
    return true;
  }

  /// The peer has received so many metered messages. REQUIRES: they were taken, and not yet said to be.
  void note_received(std::size_t messages) { unreceived_messages_ -= messages; }

  /// A message that was taken is not sent.
  void drop(Channel channel, std::size_t bytes) {
    if (channel == kControl) return;
    note_received(1);
    give_back(channel, 1, bytes);
  }

  /// Gives back the memory of `messages` messages of together `bytes` bytes. REQUIRES: they were taken.
  void give_back(Channel channel, std::size_t messages, std::size_t bytes) {
    if (channel == kControl) return;
    outstanding_messages_[channel] -= messages;
    outstanding_bytes_ -= bytes;
  }

 private:
  std::size_t budget_bytes_ = kDefaultBudgetBytes;
  std::size_t outstanding_bytes_ = 0;
  std::size_t most_unreceived_ = kMostUnreceived;
  std::size_t unreceived_messages_ = 0;
  std::unordered_map<Channel, std::size_t> outstanding_messages_;
};

}  // namespace pileus
