#include "transport/joined_endpoint.h"

#include <algorithm>
#include <utility>

namespace pileus {
namespace {

class JoinedSlot : public Slot {
 public:
  JoinedSlot(Endpoint& way, std::unique_ptr<Slot> inner) : way_(way), inner_(std::move(inner)) {}
  std::span<std::byte> bytes() override { return inner_->bytes(); }
  bool stays() const override { return inner_->stays(); }
  std::shared_ptr<void> keep() override { return inner_->keep(); }
  void send() { way_.commit(std::move(inner_)); }

 private:
  Endpoint& way_;
  std::unique_ptr<Slot> inner_;
};

class RenumberedMessage : public Message {
 public:
  RenumberedMessage(Peer from, std::shared_ptr<Message> inner) : from_(from), inner_(std::move(inner)) {}
  Peer from() const override { return from_; }
  std::span<const std::byte> bytes() const override { return inner_->bytes(); }

 private:
  Peer from_;
  std::shared_ptr<Message> inner_;
};

class JoinedEndpoint : public Endpoint {
 public:
  JoinedEndpoint(Endpoint& wide, Endpoint& narrow, JoinedPeers peers)
      : wide_(wide), narrow_(narrow), peers_(peers) {}

  Peer self() const override { return wide_.self(); }
  Peer size() const override { return std::max(wide_.size(), peers_.outside + 1); }
  bool is_near(Peer peer) const override {
    return peer == peers_.outside ? narrow_.is_near(number(peer)) : wide_.is_near(peer);
  }
  void set_budget(Peer to, std::size_t bytes) override { way(to).set_budget(number(to), bytes); }
  std::unique_ptr<Slot> claim(Peer to, Channel channel, std::size_t bytes) override {
    std::unique_ptr<Slot> slot = way(to).claim(number(to), channel, bytes);
    return slot ? std::make_unique<JoinedSlot>(way(to), std::move(slot)) : nullptr;
  }
  void commit(std::unique_ptr<Slot> slot) override { static_cast<JoinedSlot&>(*slot).send(); }

  /// In turn, so that neither world starves.
  std::shared_ptr<Message> receive() override {
    is_wides_turn_ = !is_wides_turn_;
    std::shared_ptr<Message> message = is_wides_turn_ ? wide_.receive() : receive_narrow();
    if (message) return message;
    return is_wides_turn_ ? receive_narrow() : wide_.receive();
  }
  void rest(std::chrono::microseconds limit) override { wide_.rest(limit); }
  bool is_all_sent() override {
    const bool is_wide_done = wide_.is_all_sent();
    return narrow_.is_all_sent() && is_wide_done;
  }
  bool has_anything_under_way() const override {
    return narrow_.has_anything_under_way() || wide_.has_anything_under_way();
  }
  bool may_share_memory_with(Peer to) const override {
    return to == peers_.outside ? narrow_.may_share_memory_with(peers_.inside_narrow)
                                : wide_.may_share_memory_with(to);
  }
  void share_memory_with(Peer to) override { way(to).share_memory_with(number(to)); }

 private:
  Endpoint& way(Peer to) { return to == peers_.outside ? narrow_ : wide_; }
  Peer number(Peer to) const { return to == peers_.outside ? peers_.inside_narrow : to; }
  std::shared_ptr<Message> receive_narrow() {
    std::shared_ptr<Message> message = narrow_.receive();
    return message ? std::make_shared<RenumberedMessage>(peers_.outside, std::move(message)) : nullptr;
  }

  Endpoint& wide_;
  Endpoint& narrow_;
  JoinedPeers peers_;
  bool is_wides_turn_ = false;
};

}  // namespace

std::unique_ptr<Endpoint> join_endpoints(Endpoint& wide, Endpoint& narrow, JoinedPeers peers) {
  return std::make_unique<JoinedEndpoint>(wide, narrow, peers);
}

}  // namespace pileus
