#include "transport/shuffled_endpoint.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "transport/in_process/in_process_network.h"

namespace pileus {
namespace {

void send(Endpoint& endpoint, Peer to, char letter) {
  auto slot = endpoint.claim(to, kControl, 1);
  std::memcpy(slot->bytes().data(), &letter, 1);
  endpoint.commit(std::move(slot));
}

/// What peer 2 receives when peer 0 sends "abcd" and then peer 1 sends "ABCD".
std::string received(std::uint64_t seed) {
  InProcessNetwork network(3);
  const auto first = network.endpoint(0), second = network.endpoint(1), plain = network.endpoint(2);
  const auto shuffled = shuffle(*plain, seed);
  for (char letter : {'a', 'b', 'c', 'd'}) send(*first, 2, letter);
  for (char letter : {'A', 'B', 'C', 'D'}) send(*second, 2, letter);
  std::string text;
  for (int looks = 0; text.size() < 8 && looks < 1000; ++looks) {
    if (const auto message = shuffled->receive()) text += static_cast<char>(message->bytes()[0]);
  }
  return text;
}

std::string only(const std::string& text, const std::string& letters) {
  std::string kept;
  for (char letter : text) {
    if (letters.find(letter) != std::string::npos) kept += letter;
  }
  return kept;
}

TEST(ShuffledEndpoint, keeps_the_order_of_each_peer_and_loses_nothing) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const std::string text = received(seed);
    ASSERT_EQ(only(text, "abcd"), "abcd") << seed;
    ASSERT_EQ(only(text, "ABCD"), "ABCD") << seed;
  }
}

TEST(ShuffledEndpoint, lets_peers_overtake_each_other) {
  int overtaken = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) overtaken += received(seed) != "abcdABCD";
  EXPECT_GT(overtaken, 90);
}

}  // namespace
}  // namespace pileus
