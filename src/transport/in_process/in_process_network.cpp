#include "transport/in_process/in_process_network.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <iterator>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "transport/budget.h"

namespace pileus {
namespace {

/// The bytes of one message and who has to be told when they are gone.
struct Letter {
  Peer from = 0;
  Peer to = 0;
  Channel channel = kControl;
  std::size_t size_bytes = 0;
  std::shared_ptr<std::byte[]> bytes;
};

/// All that belongs to one peer.
struct Place {
  std::mutex
      mutex;  // guards all below: other peers deliver here, and give credits back here, from their threads
  std::condition_variable changed;
  std::vector<std::deque<Letter>> arrived, urgent;  // by sender
  std::vector<Budget> budgets;                      // by receiver
  bool has_changed = false;                         // since the last rest

  void note_change() {
    has_changed = true;
    changed.notify_one();
  }
};

}  // namespace

struct InProcessNetwork::Shared {
  explicit Shared(Peer size) : places(size) {
    for (Place& place : places) {
      place.arrived.resize(size);
      place.urgent.resize(size);
      place.budgets.resize(size);
    }
  }

  void deliver(Letter letter) {
    Place& place = places[letter.to];
    std::lock_guard lock(place.mutex);
    auto& queues = letter.channel == kUrgent ? place.urgent : place.arrived;
    queues[letter.from].push_back(std::move(letter));
    place.note_change();
  }

  /// Tells the sender's account what has become of a letter.
  template <class Tell>
  void tell_sender(const Letter& letter, Tell tell) {
    if (letter.channel == kControl) return;
    Place& place = places[letter.from];
    std::lock_guard lock(place.mutex);
    tell(place.budgets[letter.to]);
    place.note_change();
  }
  void note_received(const Letter& letter) {
    tell_sender(letter, [](Budget& budget) { budget.note_received(1); });
  }
  void give_back_memory(const Letter& letter) {
    tell_sender(letter, [&](Budget& budget) { budget.give_back(letter.channel, 1, letter.size_bytes); });
  }
  void drop(const Letter& letter) {
    tell_sender(letter, [&](Budget& budget) { budget.drop(letter.channel, letter.size_bytes); });
  }

  std::vector<Place> places;
  Order order;
  Rest rest;
};

class InProcessNetwork::LocalSlot : public Slot {
 public:
  LocalSlot(std::shared_ptr<Shared> shared, Letter letter)
      : shared_(std::move(shared)), letter_(std::move(letter)) {}
  ~LocalSlot() override {
    if (shared_) shared_->drop(letter_);
  }

  std::span<std::byte> bytes() override { return {letter_.bytes.get(), letter_.size_bytes}; }
  bool stays() const override { return true; }
  std::shared_ptr<void> keep() override { return letter_.bytes; }
  void send() { std::exchange(shared_, nullptr)->deliver(std::move(letter_)); }

 private:
  std::shared_ptr<Shared> shared_;  // null once sent
  Letter letter_;
};

class InProcessNetwork::LocalMessage : public Message {
 public:
  ~LocalMessage() override {
    letter_.bytes.reset();
    if (shared_) shared_->give_back_memory(letter_);
  }
  void take(std::shared_ptr<Shared> shared, Letter letter) {
    shared_ = std::move(shared);
    letter_ = std::move(letter);
  }

  Peer from() const override { return letter_.from; }
  std::span<const std::byte> bytes() const override { return {letter_.bytes.get(), letter_.size_bytes}; }

 private:
  std::shared_ptr<Shared> shared_;
  Letter letter_;
};

class InProcessNetwork::LocalEndpoint : public Endpoint {
 public:
  LocalEndpoint(std::shared_ptr<Shared> shared, Peer self)
      : shared_(std::move(shared)), place_(shared_->places[self]), self_(self) {}

  Peer self() const override { return self_; }
  Peer size() const override { return static_cast<Peer>(shared_->places.size()); }

  void set_budget(Peer to, std::size_t bytes) override {
    std::lock_guard lock(place_.mutex);
    place_.budgets.at(to).set(bytes);
  }

  std::unique_ptr<Slot> claim(Peer to, Channel channel, std::size_t bytes) override {
    {
      std::lock_guard lock(place_.mutex);
      if (!place_.budgets.at(to).take(channel, bytes)) return nullptr;
    }
    Letter letter{self_, to, channel, bytes, std::make_shared_for_overwrite<std::byte[]>(bytes)};
    return std::make_unique<LocalSlot>(shared_, std::move(letter));
  }

  void commit(std::unique_ptr<Slot> slot) override { static_cast<LocalSlot&>(*slot).send(); }

  std::shared_ptr<Message> receive() override {
    std::vector<Peer> candidates = senders_with_messages(place_.urgent);
    const std::size_t urgent = candidates.size();
    if (shared_->order || urgent == 0)
      std::ranges::copy(senders_with_messages(place_.arrived), std::back_inserter(candidates));
    if (candidates.empty()) return nullptr;
    // Only this thread takes messages away, so the candidates are still right when the hook has chosen.
    const std::size_t chosen = shared_->order ? shared_->order(self_, candidates) : in_turn(candidates);

    auto message = std::make_shared<LocalMessage>();  // before a letter is taken out, which would be lost
    std::unique_lock lock(place_.mutex);
    auto& queues = chosen < urgent ? place_.urgent : place_.arrived;
    std::deque<Letter>& arrived = queues[candidates.at(chosen)];
    Letter letter = std::move(arrived.front());
    arrived.pop_front();
    if (candidates.size() > 1 || urgent > 0 || !arrived.empty())
      place_.has_changed = true;  // who rests now has not seen all
    lock.unlock();
    shared_->note_received(letter);
    message->take(shared_, std::move(letter));
    return message;
  }

  void rest(std::chrono::microseconds limit) override {
    if (shared_->rest) return shared_->rest(self_);
    std::unique_lock lock(place_.mutex);
    place_.changed.wait_for(lock, limit, [this] { return place_.has_changed; });
    place_.has_changed = false;
  }

  /// A committed message belongs to its receiver at once.
  bool is_all_sent() override { return true; }

 private:
  std::vector<Peer> senders_with_messages(const std::vector<std::deque<Letter>>& queues) const {
    std::vector<Peer> senders;
    std::lock_guard lock(place_.mutex);
    for (Peer from = 0; from < queues.size(); ++from) {
      if (!queues[from].empty()) senders.push_back(from);
    }
    return senders;
  }

  std::size_t in_turn(std::span<const Peer> candidates) {
    const auto next = std::ranges::lower_bound(candidates, next_sender_);
    const auto chosen = next == candidates.end() ? candidates.begin() : next;
    next_sender_ = *chosen + 1;
    return static_cast<std::size_t>(chosen - candidates.begin());
  }

  std::shared_ptr<Shared> shared_;
  Place& place_;
  Peer self_;
  Peer next_sender_ = 0;  // whose turn it is
};

InProcessNetwork::InProcessNetwork(Peer size) : shared_(std::make_shared<Shared>(size)) {}
InProcessNetwork::~InProcessNetwork() = default;

std::unique_ptr<Endpoint> InProcessNetwork::endpoint(Peer self) {
  if (self >= shared_->places.size()) {
    throw UsageError("there is no peer " + std::to_string(self) + " in a network of " +
                     std::to_string(shared_->places.size()));
  }
  return std::make_unique<LocalEndpoint>(shared_, self);
}

void InProcessNetwork::set_order(Order order) { shared_->order = std::move(order); }
void InProcessNetwork::set_most_unreceived(std::size_t messages) {
  for (Place& place : shared_->places) {
    for (Budget& budget : place.budgets) budget.set_most_unreceived(messages);
  }
}
void InProcessNetwork::set_rest(Rest rest) { shared_->rest = std::move(rest); }

}  // namespace pileus
