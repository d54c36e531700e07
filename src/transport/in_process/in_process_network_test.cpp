#include "transport/in_process/in_process_network.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <thread>
#include <utility>
#include <vector>

#include "core/error.h"

// What holds for every transport is in contract_test.cpp. Here all peers are in one thread, as in the
// simulation.
namespace pileus {
namespace {

using namespace std::chrono_literals;

void send_number(Endpoint& from, Peer to, int number) {
  auto slot = from.claim(to, 1, 1);
  ASSERT_NE(slot, nullptr);
  slot->bytes()[0] = static_cast<std::byte>(number);
  from.commit(std::move(slot));
}

/// What peer `to` receives until nothing is left: sender and number.
std::vector<std::pair<Peer, int>> receive_all(Endpoint& to) {
  std::vector<std::pair<Peer, int>> received;
  while (auto message = to.receive()) {
    received.emplace_back(message->from(), std::to_integer<int>(message->bytes()[0]));
  }
  return received;
}

TEST(InProcessNetwork, receives_from_its_senders_in_turn) {
  InProcessNetwork network(3);
  const auto zero = network.endpoint(0);
  const auto one = network.endpoint(1);
  const auto two = network.endpoint(2);
  for (int i = 0; i < 3; ++i) send_number(*one, 0, i);
  for (int i = 0; i < 2; ++i) send_number(*two, 0, i);

  const auto received = receive_all(*zero);

  const std::vector<std::pair<Peer, int>> expected = {{1, 0}, {2, 0}, {1, 1}, {2, 1}, {1, 2}};
  EXPECT_EQ(received, expected);
}

TEST(InProcessNetwork, receives_from_the_sender_that_the_test_chooses) {
  InProcessNetwork network(3);
  network.set_order([](Peer to, std::span<const Peer> candidates) {
    EXPECT_EQ(to, 0U);
    return candidates.size() - 1;
  });
  const auto zero = network.endpoint(0);
  const auto one = network.endpoint(1);
  const auto two = network.endpoint(2);
  for (int i = 0; i < 2; ++i) send_number(*one, 0, i);
  for (int i = 0; i < 2; ++i) send_number(*two, 0, i);

  const auto received = receive_all(*zero);

  // The last sender first, and the order of each sender kept.
  const std::vector<std::pair<Peer, int>> expected = {{2, 0}, {2, 1}, {1, 0}, {1, 1}};
  EXPECT_EQ(received, expected);
}

TEST(InProcessNetwork, lets_the_test_decide_what_rest_does) {
  InProcessNetwork network(2);
  const auto client = network.endpoint(0);
  const auto server = network.endpoint(1);
  std::vector<Peer> rested;
  network.set_rest([&](Peer resting) {
    rested.push_back(resting);
    while (server->receive()) {
    }
  });
  client->set_budget(1, 1);

  // The server is progressed by the client's own rest, as in attached mode.
  send_number(*client, 1, 0);
  EXPECT_EQ(client->claim(1, 1, 1), nullptr);
  client->rest(1h);

  EXPECT_NE(client->claim(1, 1, 1), nullptr);
  EXPECT_EQ(rested, std::vector<Peer>{0});
}

TEST(InProcessNetwork, hands_a_message_over_without_copying_it) {
  InProcessNetwork network(1);
  const auto self = network.endpoint(0);
  auto slot = self->claim(0, 1, 1000);
  const std::byte* const written = slot->bytes().data();

  self->commit(std::move(slot));

  EXPECT_EQ(self->receive()->bytes().data(), written);
}

TEST(InProcessNetwork, ends_a_rest_when_a_credit_arrives) {
  InProcessNetwork network(2);
  const auto sender = network.endpoint(0);
  const auto receiver = network.endpoint(1);
  sender->set_budget(1, 1);
  send_number(*sender, 1, 7);
  auto message = receiver->receive();

  std::jthread destroyer([message = std::move(message)]() mutable { message.reset(); });
  std::unique_ptr<Slot> slot;
  while (!(slot = sender->claim(1, 1, 1))) sender->rest(1h);

  EXPECT_NE(slot, nullptr);
}

TEST(InProcessNetwork, does_not_rest_over_messages_that_it_left_waiting) {
  InProcessNetwork network(2);
  const auto sender = network.endpoint(0);
  const auto receiver = network.endpoint(1);
  for (int i = 0; i < 2; ++i) send_number(*sender, 1, i);
  receiver->rest(1h);

  const auto first = receiver->receive();
  receiver->rest(1h);

  EXPECT_NE(receiver->receive(), nullptr);
}

TEST(InProcessNetwork, may_be_destroyed_before_what_it_made) {
  std::unique_ptr<Endpoint> self;
  std::unique_ptr<Slot> slot;
  std::shared_ptr<Message> message;

  {
    InProcessNetwork network(1);
    self = network.endpoint(0);
    send_number(*self, 0, 3);
    send_number(*self, 0, 4);
    message = self->receive();
    slot = self->claim(0, 1, 10);
  }
  self.reset();

  EXPECT_EQ(std::to_integer<int>(message->bytes()[0]), 3);
  EXPECT_EQ(slot->bytes().size(), 10U);
}

TEST(InProcessNetwork, refuses_a_peer_that_does_not_exist) {
  InProcessNetwork network(2);

  EXPECT_THROW(network.endpoint(2), UsageError);
}

}  // namespace
}  // namespace pileus
