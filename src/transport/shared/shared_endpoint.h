#pragma once
// An endpoint whose messages to processes of its node lie in memory that both have: no call of MPI and, but
// where somebody sleeps, none of the system. All others, and all messages until both sides have the memory,
// go through the endpoint below it.

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "transport/endpoint.h"
#include "transport/shared/bell.h"
#include "transport/shared/outgoing.h"
#include "transport/shared/segment.h"

namespace pileus {

class SharedEndpoint : public Endpoint {
 public:
  /// More than that may be outstanding only to peers that are reached through the endpoint below.
  static constexpr std::size_t kLargestBudget = std::size_t{1} << 40;

  enum class Offers { when_budget_is_set, when_asked };
  /// `on_node`: peers that run on this node. `offers`: when each is offered memory.
  /// `memory_for_bell`: as Bell takes it. `meanwhile`: called again and again while its end waits.
  /// REQUIRES: whoever is on the node for one peer has that one on its own, and an endpoint of this kind.
  SharedEndpoint(std::unique_ptr<Endpoint> below, std::span<const Peer> on_node,
                 std::shared_ptr<SharedMemory> memory_for_bell, Offers offers = Offers::when_budget_is_set,
                 std::function<void()> meanwhile = {});
  ~SharedEndpoint() override;

  Peer self() const override { return below_->self(); }
  Peer size() const override { return below_->size(); }
  bool is_near(Peer peer) const override { return below_->is_near(peer); }
  void set_budget(Peer to, std::size_t bytes) override;
  std::unique_ptr<Slot> claim(Peer to, Channel channel, std::size_t bytes) override;
  void commit(std::unique_ptr<Slot> slot) override;
  std::shared_ptr<Message> receive() override;
  void rest(std::chrono::microseconds limit) override;
  bool is_all_sent() override;
  bool has_anything_under_way() const override {
    return below_->has_anything_under_way() || !are_near_ones_sent();
  }

  bool may_share_memory_with(Peer to) const override { return find(to) != nullptr; }
  void share_memory_with(Peer to) override;

  /// Whether its messages to `to` lie in memory that both have.
  bool shares_memory_with(Peer to) const;

 private:
  /// To and from a peer on this node.
  struct Neighbour {
    std::size_t budget_bytes = kDefaultBudgetBytes;
    bool was_answered = false;
    std::shared_ptr<Outgoing> outgoing = nullptr;  ///< null until it is offered, and where it was refused
    std::shared_ptr<Segment> incoming = nullptr;   ///< null until its offer has come
    std::shared_ptr<Bell> sender = nullptr;        ///< where the sender of `incoming` sleeps
    bool has_switched = false;                     ///< all that was sent before it used the memory has come
    bool wakes_this_one = false;                   ///< from a deep sleep, when it sends
    std::deque<std::shared_ptr<Message>> other_way = {};  ///< came through the endpoint below since then
  };

  const Neighbour* find(Peer peer) const;
  void set_budget_below(Peer to);
  void offer(Peer to);
  void take_offer(Peer from, const MemoryAddress& segment, const MemoryAddress& bell);
  void take_acceptance(Peer from, const MemoryAddress& bell);
  void send_word(Peer to, std::uint32_t word, const MemoryAddress& segment = {}, std::uint64_t note = 0);
  std::unique_ptr<Slot> claim_below(Peer to, Channel below, std::size_t bytes, std::uint64_t note);
  static void take_begin(Neighbour& neighbour);
  static std::shared_ptr<Message> next_or_held(Neighbour& neighbour, const std::shared_ptr<Message>& message);
  std::shared_ptr<Message> receive_near();
  std::shared_ptr<Message> receive_near(Peer from);
  std::shared_ptr<Message> receive_below();
  std::shared_ptr<Message> sort(const std::shared_ptr<Message>& message);
  bool has_messages() const;
  bool is_something_behind() const;
  bool is_woken_by_all() const;
  bool has_news() const;
  bool are_near_ones_sent() const;
  void progress() noexcept;

  std::unique_ptr<Endpoint> below_;
  Offers offers_;
  std::function<void()> meanwhile_;
  std::unordered_map<Peer, Neighbour> neighbours_;
  std::vector<Peer> senders_;    ///< whose segments there are here
  std::vector<Peer> receivers_;  ///< who have segments of this one
  Bell own_bell_;
  std::shared_ptr<Message> next_ = nullptr;      ///< that came while it rested
  std::shared_ptr<Message> unsorted_ = nullptr;  ///< of the endpoint below
  std::size_t next_sender_ = 0;
  bool is_belows_turn_ = false;
  std::chrono::steady_clock::time_point idle_since_ = std::chrono::steady_clock::now();
};

}  // namespace pileus
