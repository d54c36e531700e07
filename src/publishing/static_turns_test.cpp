// Parts of large static variables come in turns, few at a time, all of them, and the end of a model rank
// behind its parts.

#include "publishing/static_turns.h"

#include <gtest/gtest.h>

#include <deque>

#include "core/error.h"
#include "files/testing/small_plan.h"
#include "messaging/frames.h"

namespace pileus::testing {
namespace {

struct Post : Messages {
  explicit Post(ServerRank self, std::deque<std::tuple<ServerRank, ServerRank, Bytes>>& under_way)
      : from(self), frames(under_way) {}
  void send(ServerRank to, Bytes frame) override { frames.emplace_back(from, to, std::move(frame)); }
  ServerRank from;
  std::deque<std::tuple<ServerRank, ServerRank, Bytes>>& frames;
};

/// Server 0 owns the file; servers 1 to 3 have parts of 6 MiB.
class StaticTurnsTest : public ::testing::Test {
 protected:
  static constexpr Index kPart = 3 << 18;

  StaticTurnsTest() {
    const FileId file = plan_.file("f.nc", 10);
    plan_.plan.layout.servers = 4;
    for (const Index size : {100 * kPart, Index{8}}) {
      Value value;
      value.spread = Spread::distributed;
      value.dimensions = {plan_.dimension("x" + std::to_string(size), size)};
      plan_.plan.values.push_back(value);
      plan_.plan.statics.push_back(
          {"v", file, {}, ValueId(plan_.plan.values.size() - 1), ElementType::float64, {}, value.dimensions});
    }
    for (ServerRank s = 0; s < 4; ++s) {
      posts_.push_back(std::make_unique<Post>(s, frames_));
      senders_.push_back(std::make_unique<StaticSender>(plan_.plan, *posts_.back()));
    }
    turns_ = std::make_unique<StaticTurns>(*posts_[0]);
  }
  Part part(ClientRank client, std::uint32_t variable = 0, Index size = kPart) const {
    return {{VariableId(variable), {}, {{0}, {size}}, numbers({size}, 0), nullptr, 0}, client};
  }
  /// Delivers all frames; parts stay with the owner until `lay_aside`.
  void deliver() {
    while (!frames_.empty()) {
      const auto [from, to, frame] = std::move(frames_.front());
      frames_.pop_front();
      Decoder in(frame);
      switch (in.get<ServerFrame>()) {
        case ServerFrame::static_offer: {
          const StaticOffer offer = decode_static_offer(in);
          turns_->ask(from, offer.number, offer.bytes);
          break;
        }
        case ServerFrame::static_turn: senders_[to]->send_in_turn(in.get<std::uint64_t>()); break;
        case ServerFrame::client_end: ended_.push_back(in.get<ClientRank>()); break;
        case ServerFrame::static_part: {
          const Part part = decode_part(in, nullptr);
          EXPECT_EQ(std::ranges::count(ended_, part.client), 0) << "its end came before";
          arrived_.push_back({from, part.lent});
          ++parts_;
          break;
        }
        default: FAIL();
      }
    }
  }
  void lay_aside() {
    const auto [from, number] = arrived_.front();
    arrived_.pop_front();
    if (number != 0) turns_->done(from, number);
  }

  SmallPlan plan_;
  std::deque<std::tuple<ServerRank, ServerRank, Bytes>> frames_;
  std::vector<std::unique_ptr<Post>> posts_;
  std::vector<std::unique_ptr<StaticSender>> senders_;
  std::unique_ptr<StaticTurns> turns_;
  std::deque<std::pair<ServerRank, std::uint64_t>> arrived_;
  std::vector<ClientRank> ended_;
  int parts_ = 0;
};

TEST_F(StaticTurnsTest, few_parts_are_with_the_owner_at_once_and_all_come) {
  for (ClientRank client = 0; client < 9; ++client) {
    senders_[1 + client % 3]->send(part(client));
    senders_[1 + client % 3]->end_client(client, 0);
  }

  for (deliver(); !arrived_.empty(); deliver()) {
    EXPECT_LE(arrived_.size(), 2U);  // 12 MiB; a third would be more than 16
    lay_aside();
  }

  EXPECT_EQ(parts_, 9);
  std::ranges::sort(ended_);
  EXPECT_EQ(ended_, (std::vector<ClientRank>{0, 1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST_F(StaticTurnsTest, one_that_is_larger_than_the_limit_comes_alone) {
  senders_[1]->send(part(0, 0, 4 * kPart));
  senders_[2]->send(part(1));
  deliver();

  EXPECT_EQ(arrived_.size(), 1U);
  lay_aside();
  deliver();
  EXPECT_EQ(parts_, 2);
}

TEST_F(StaticTurnsTest, small_variables_ask_for_no_turn) {
  senders_[1]->send(part(0, 1, 8));
  senders_[1]->end_client(0, 0);

  EXPECT_EQ(frames_.size(), 2U);
  deliver();
  EXPECT_EQ(parts_, 1);
  EXPECT_EQ(ended_, (std::vector<ClientRank>{0}));
}

TEST_F(StaticTurnsTest, what_was_not_asked_for_is_refused) {
  EXPECT_THROW(senders_[1]->send_in_turn(1), TransportError);
  EXPECT_THROW(turns_->done(1, 1), TransportError);
}

}  // namespace
}  // namespace pileus::testing
