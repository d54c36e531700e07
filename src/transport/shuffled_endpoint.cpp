#include "transport/shuffled_endpoint.h"

#include <deque>
#include <iterator>
#include <map>
#include <random>
#include <utility>

namespace pileus {
namespace {

/// One look of so many finds nothing although something is there, so that others catch up.
constexpr std::uint64_t kLooksPerPause = 4;

class ShuffledEndpoint : public Endpoint {
 public:
  ShuffledEndpoint(Endpoint& endpoint, std::uint64_t seed) : endpoint_(endpoint), random_(seed) {}

  Peer self() const override { return endpoint_.self(); }
  Peer size() const override { return endpoint_.size(); }
  void set_budget(Peer to, std::size_t bytes) override { endpoint_.set_budget(to, bytes); }
  std::unique_ptr<Slot> claim(Peer to, Channel channel, std::size_t bytes) override {
    return endpoint_.claim(to, channel, bytes);
  }
  void commit(std::unique_ptr<Slot> slot) override { endpoint_.commit(std::move(slot)); }
  bool is_all_sent() override { return endpoint_.is_all_sent(); }
  bool has_anything_under_way() const override { return endpoint_.has_anything_under_way(); }

  std::shared_ptr<Message> receive() override {
    while (auto message = endpoint_.receive()) {
      const Peer from = message->from();
      arrived_[from].push_back(std::move(message));
    }
    if (arrived_.empty() || random_() % kLooksPerPause == 0) return nullptr;
    const auto next = std::next(arrived_.begin(), static_cast<std::ptrdiff_t>(random_() % arrived_.size()));
    std::shared_ptr<Message> message = std::move(next->second.front());
    next->second.pop_front();
    if (next->second.empty()) arrived_.erase(next);
    return message;
  }

  void rest(std::chrono::microseconds limit) override {
    if (arrived_.empty()) endpoint_.rest(limit);
  }

 private:
  Endpoint& endpoint_;
  std::mt19937_64 random_;
  std::map<Peer, std::deque<std::shared_ptr<Message>>> arrived_;  ///< no queue is empty
};

}  // namespace

std::unique_ptr<Endpoint> shuffle(Endpoint& endpoint, std::uint64_t seed) {
  return std::make_unique<ShuffledEndpoint>(endpoint, seed);
}

}  // namespace pileus
