#pragma once
// The sender's account of what it has outstanding at one peer. Every transport keeps its promises with it; it
// knows nothing of how bytes travel.

#include <cstddef>
#include <unordered_map>

#include "transport/endpoint.h"

namespace pileus {

/// What may be outstanding to a peer until set_budget() says otherwise.
inline constexpr std::size_t kDefaultBudgetBytes = std::size_t{64} << 20;

/// Not thread-safe.
class Budget {
 public:
  void set(std::size_t bytes) { budget_bytes_ = bytes; }

  /// Takes room for a message, or says false when there is none now.
  bool take(Channel channel, std::size_t bytes) {
    if (channel == kControl) return true;
    std::size_t& messages = outstanding_messages_[channel];
    const bool fits = bytes <= budget_bytes_ && outstanding_bytes_ <= budget_bytes_ - bytes;
    if (messages > 0 && !fits) return false;
    ++messages;
    outstanding_bytes_ += bytes;
    return true;
  }

  /// Gives back the room of `messages` messages of together `bytes` bytes. REQUIRES: they were taken.
  void give_back(Channel channel, std::size_t messages, std::size_t bytes) {
    if (channel == kControl) return;
    outstanding_messages_[channel] -= messages;
    outstanding_bytes_ -= bytes;
  }

 private:
  std::size_t budget_bytes_ = kDefaultBudgetBytes;
  std::size_t outstanding_bytes_ = 0;
  std::unordered_map<Channel, std::size_t> outstanding_messages_;
};

}  // namespace pileus
