#include "transport/joined_endpoint.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "transport/in_process/in_process_network.h"

namespace pileus {
namespace {

void send(Endpoint& endpoint, Peer to, const std::string& text) {
  auto slot = endpoint.claim(to, kControl, text.size());
  std::memcpy(slot->bytes().data(), text.data(), text.size());
  endpoint.commit(std::move(slot));
}

std::string text_of(const Message& message) {
  return {reinterpret_cast<const char*>(message.bytes().data()), message.bytes().size()};
}

/// Server 1 of three, whose model rank has the number 4.
struct Joined : testing::Test {
  InProcessNetwork servers{3}, process{2};
  std::unique_ptr<Endpoint> wide = servers.endpoint(1), other = servers.endpoint(2);
  std::unique_ptr<Endpoint> narrow = process.endpoint(1), model = process.endpoint(0);
  std::unique_ptr<Endpoint> joined = join_endpoints(*wide, *narrow, {0, 4});
};

TEST_F(Joined, sends_to_either_world) {
  send(*joined, 4, "to the model rank");
  send(*joined, 2, "to the other server");

  EXPECT_EQ(text_of(*model->receive()), "to the model rank");
  const auto message = other->receive();
  EXPECT_EQ(text_of(*message), "to the other server");
  EXPECT_EQ(message->from(), 1U);
  EXPECT_TRUE(joined->is_all_sent());
}

TEST_F(Joined, receives_from_both_in_turn_under_its_own_numbers) {
  for (int i = 0; i < 2; ++i) {
    send(*model, 1, "m");
    send(*other, 1, "o");
  }

  std::string received;
  while (const auto message = joined->receive()) {
    EXPECT_EQ(message->from(), text_of(*message) == "m" ? 4U : 2U);
    received += text_of(*message);
  }

  EXPECT_EQ(received, "omom");
}

TEST_F(Joined, keeps_the_budget_of_each_world) {
  joined->set_budget(4, 100);
  joined->set_budget(2, 200);
  const auto to_model = joined->claim(4, 1, 80), to_server = joined->claim(2, 1, 80);

  EXPECT_EQ(joined->claim(4, 1, 80), nullptr);
  EXPECT_NE(joined->claim(2, 1, 80), nullptr);
}

}  // namespace
}  // namespace pileus
