#include "messaging/steps_done.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>

#include "core/error.h"
#include "messaging/frames.h"

namespace pileus::testing {
namespace {

/// The contents of the frame behind its kind.
Decoder contents(const Bytes& frame) { return Decoder(std::span(frame).subspan(sizeof(ServerFrame))); }

void take(StepsDoneNews& news, ServerRank from, const std::vector<StepsDone>& said) {
  const Bytes frame = encode_steps_done(said);
  Decoder in = contents(frame);
  news.take(from, in);
}

TEST(StepsDoneNews, wait_for_all_at_or_below) {
  StepsDoneNews news(22, 1);  // 5 to 8 are below, and 21 below 5
  news.add({1, 16, 16});
  for (const ServerRank child : {6U, 7U, 8U}) {
    take(news, child, {{child, 16, 17}});
    EXPECT_FALSE(news.is_due()) << child;
  }
  take(news, 5, {{5, 16, 16}, {21, 16, 16}});
  EXPECT_TRUE(news.is_due());
}

TEST(StepsDoneNews, do_not_wait_again_for_who_was_waited_for_below) {
  StepsDoneNews news(22, 1);
  take(news, 5, {{5, 32, 32}});
  EXPECT_TRUE(news.is_due()) << "server 21 is silent";
  news.clear();
  take(news, 6, {{6, 16, 16}});
  EXPECT_FALSE(news.is_due());
}

TEST(StepsDoneNews, do_not_wait_where_one_speaks_twice) {
  StepsDoneNews news(22, 1);
  take(news, 6, {{6, 16, 20}});
  EXPECT_FALSE(news.is_due());
  take(news, 6, {{6, 32, 32}});
  EXPECT_TRUE(news.is_due());
  ASSERT_EQ(news.all().size(), 1U);
  EXPECT_EQ(news.all()[0].done, 32U);
  EXPECT_EQ(news.all()[0].arrived, 32U);
  news.clear();
  EXPECT_FALSE(news.is_due());
  EXPECT_TRUE(news.is_empty());
}

TEST(StepsDoneNews, refuse_a_frame_whole) {
  StepsDoneNews news(22, 1);
  EXPECT_THROW(take(news, 2, {{2, 1, 1}}), TransportError);
  EXPECT_THROW(take(news, 21, {{21, 1, 1}}), TransportError) << "below one that is below";
  EXPECT_THROW(take(news, 5, {{5, 1, 1}, {6, 1, 1}}), TransportError);
  EXPECT_THROW(take(news, 5, {{5, 1, 1}, {22, 1, 1}}), TransportError) << "there is none";
  Bytes short_frame = encode_steps_done(std::vector<StepsDone>{{5, 1, 1}, {21, 1, 1}});
  short_frame.pop_back();
  Decoder in = contents(short_frame);
  EXPECT_THROW(news.take(5, in), TransportError);
  EXPECT_TRUE(news.is_empty());
}

/// A run's servers, which pass words up in any order.
class Tree {
 public:
  Tree(ServerRank servers, std::mt19937_64& random) : servers_(servers), random_(random), done_(servers) {
    for (ServerRank self = 0; self < servers; ++self)
      news_.push_back(std::make_unique<StepsDoneNews>(servers, self));
  }
  void finish_steps(ServerRank server, std::uint64_t steps) {
    done_[server] += steps;
    news_[server]->add({server, done_[server], done_[server]});
  }
  void pass_up(ServerRank server) {
    const std::vector<StepsDone> news = news_[server]->all();
    news_[server]->clear();
    ++messages_;
    if (server == 0) {
      for (const StepsDone& word : news) known_[word.server] = std::max(known_[word.server], word.done);
    } else {
      take(*news_[*seat_below_first(servers_, server).parent], server, news);
    }
  }
  void pass_up_what_is_due() {
    for (int turn = 0; turn < 3 * static_cast<int>(servers_); ++turn) {
      const auto server = static_cast<ServerRank>(random_() % servers_);
      if (news_[server]->is_due()) pass_up(server);
    }
  }
  void pass_up_all() {
    for (ServerRank server = servers_; server-- > 0;) {
      if (!news_[server]->is_empty()) pass_up(server);
    }
  }
  void expect_all_known() {
    for (ServerRank server = 0; server < servers_; ++server)
      EXPECT_EQ(known_[server], done_[server]) << server << " of " << servers_;
  }
  std::size_t messages() const { return messages_; }

 private:
  ServerRank servers_;
  std::mt19937_64& random_;
  std::vector<std::unique_ptr<StepsDoneNews>> news_;
  std::vector<std::uint64_t> done_;
  std::map<ServerRank, std::uint64_t> known_;
  std::size_t messages_ = 0;
};

TEST(StepsDoneNews, come_to_server_0_whatever_the_tree_and_the_order) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    std::mt19937_64 random(seed);
    const auto servers = static_cast<ServerRank>(1 + random() % 60);
    Tree tree(servers, random);
    for (int turn = 0; turn < 200; ++turn) {
      tree.finish_steps(static_cast<ServerRank>(random() % servers), random() % 20);
      tree.pass_up_what_is_due();
    }
    tree.pass_up_all();
    tree.expect_all_known();
  }
}

TEST(StepsDoneNews, are_one_message_a_server_where_all_go_along) {
  std::mt19937_64 random(1);
  Tree tree(85, random);
  for (ServerRank server = 0; server < 85; ++server) tree.finish_steps(server, 16);
  for (int level = 0; level < 20; ++level) tree.pass_up_what_is_due();
  tree.expect_all_known();
  EXPECT_EQ(tree.messages(), 85U) << "of which server 0 gets four";
}

}  // namespace
}  // namespace pileus::testing
