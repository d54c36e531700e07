// Frames from one server to another that does not receive, or only now and then.

#include "server/letters.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "exec/seeded_random.h"
#include "transport/budget.h"
#include "transport/in_process/in_process_network.h"

namespace pileus {
namespace {

class LettersTest : public testing::Test {
 protected:
  LettersTest() {
    settings_.servers = {0, 1};
    settings_.self = 0;
    letters_ = std::make_unique<Letters>(settings_, *endpoint_);
  }
  void send(ServerFrame kind, std::uint32_t number) {
    Bytes frame;
    Encoder out(frame);
    out.put(kind);
    out.put(number);
    letters_->send(1, std::move(frame));
  }
  void go_on() {
    letters_->send_waiting([](const auto&) {});
  }
  /// What the other server receives next.
  std::optional<std::pair<ServerFrame, std::uint32_t>> next() {
    const auto message = other_->receive();
    if (!message) return std::nullopt;
    Decoder in(message->bytes());
    const auto kind = in.get<ServerFrame>();
    return std::pair(kind, in.get<std::uint32_t>());
  }

  InProcessNetwork network_{2};
  std::unique_ptr<Endpoint> endpoint_ = network_.endpoint(0), other_ = network_.endpoint(1);
  ServerSettings settings_;
  std::unique_ptr<Letters> letters_;
};

TEST_F(LettersTest, lets_the_clock_pass_parts_that_a_server_does_not_receive) {
  constexpr std::uint32_t kParts = 5 * kMostUnreceived;
  for (std::uint32_t i = 0; i < kParts; ++i) send(ServerFrame::part, i);
  go_on();
  send(ServerFrame::clock, 7);
  send(ServerFrame::stopping, 8);
  go_on();

  EXPECT_EQ(next(), (std::pair{ServerFrame::clock, 7U}));
  go_on();
  EXPECT_EQ(next(), (std::pair{ServerFrame::stopping, 8U}));  // with parts that no memory was left for
  for (std::uint32_t i = 0; i < kParts; ++i) {
    EXPECT_EQ(next(), (std::pair{ServerFrame::part, i}));
    go_on();
  }
  EXPECT_TRUE(letters_->is_empty());
}

TEST_F(LettersTest, keeps_the_order_of_urgent_frames_and_that_of_all_others) {
  constexpr std::array kKinds = {ServerFrame::part, ServerFrame::clock, ServerFrame::placement,
                                 ServerFrame::parts_done, ServerFrame::closing};
  SeededRandom random(3);
  std::vector<std::uint32_t> urgent, others;
  std::uint32_t sent = 0, received = 0;
  while (received < 3000) {
    if (sent < 3000 && random.below(3) > 0) send(kKinds[random.below(kKinds.size())], sent++);
    if (random.below(2) == 0) go_on();
    if (random.below(2) == 0) continue;
    if (const auto frame = next()) {
      (is_urgent(frame->first) ? urgent : others).push_back(frame->second);
      ++received;
    }
  }

  EXPECT_TRUE(std::ranges::is_sorted(urgent));
  EXPECT_TRUE(std::ranges::is_sorted(others));
  EXPECT_GT(urgent.size(), 1000U);
  EXPECT_GT(others.size(), 1000U);
}

}  // namespace
}  // namespace pileus
