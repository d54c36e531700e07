#pragma once
// Frames on their way to other servers and clients. Any thread puts them in; the server's lane, which alone
// may use the endpoint, takes them out.

#include <cstdint>
#include <deque>
#include <mutex>
#include <utility>

#include "core/encoder.h"
#include "messaging/messages.h"

namespace pileus {

class Outbox : public Messages {
 public:
  struct Letter {
    ServerRank to;
    Bytes frame;
  };

  void send(ServerRank to, Bytes frame) override {
    const std::lock_guard lock(mutex_);
    letters_.push_back({to, std::move(frame)});
  }

  std::deque<Letter> take_all() {
    const std::lock_guard lock(mutex_);
    return std::exchange(letters_, {});
  }

  /// Takes back what take_all gave and could not be sent. These letters go before all others.
  void put_back(std::deque<Letter> letters) {
    const std::lock_guard lock(mutex_);
    for (; !letters.empty(); letters.pop_back()) letters_.push_front(std::move(letters.back()));
  }

  bool is_empty() const {
    const std::lock_guard lock(mutex_);
    return letters_.empty();
  }

 private:
  mutable std::mutex mutex_;  // guards letters_: a strand will not do, the lane that empties it runs no tasks
  std::deque<Letter> letters_;
};

}  // namespace pileus
