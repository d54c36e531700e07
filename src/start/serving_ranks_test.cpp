#include "start/serving_ranks.h"

#include <gtest/gtest.h>

#include <string>

#include "core/error.h"

namespace pileus {
namespace {

using Ranks = std::vector<Peer>;

Ranks one_node(std::size_t ranks) { return Ranks(ranks, 0); }
Ranks by_total(std::int64_t total, std::size_t ranks) {
  return serving_ranks({.total = total}, one_node(ranks));
}
Ranks by_ratio(std::int64_t ratio, std::size_t ranks) {
  return serving_ranks({.ratio = ratio}, one_node(ranks));
}

std::string refusal(const ServerCount& asked, const Ranks& nodes) {
  try {
    serving_ranks(asked, nodes);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ServingRanks, follow_the_model_ranks_that_they_serve) {
  EXPECT_EQ(by_total(1, 4), (Ranks{3}));
  EXPECT_EQ(by_total(2, 6), (Ranks{2, 5}));     // clients 0 1 | 3 4
  EXPECT_EQ(by_total(2, 7), (Ranks{3, 6}));     // three and two: 0 1 2 | 4 5
  EXPECT_EQ(by_total(3, 8), (Ranks{2, 5, 7}));  // five clients: 0 1 | 3 4 | 6
}

TEST(ServingRanks, without_clients_stand_behind_the_others) {
  // One model rank and three servers: the first server has it.
  EXPECT_EQ(by_total(3, 4), (Ranks{1, 2, 3}));
  // Two and three: Layout gives client 0 to server 0 and client 1 to server 1; server 2 has none.
  EXPECT_EQ(by_total(3, 5), (Ranks{1, 3, 4}));
}

TEST(ServingRanks, are_as_few_as_a_ratio_allows) {
  EXPECT_EQ(by_ratio(3, 8), (Ranks{3, 7}));     // divides: 3 + 1 and 3 + 1
  EXPECT_EQ(by_ratio(3, 9), (Ranks{2, 5, 8}));  // 7 model ranks would be too many for 2 servers
  EXPECT_EQ(by_ratio(1, 4), (Ranks{1, 3}));     // a server for each
  EXPECT_EQ(by_ratio(1, 5), (Ranks{1, 3, 4}));  // the third one has no client
  EXPECT_EQ(by_ratio(12, 2), (Ranks{1}));       // fewer ranks than the ratio
  EXPECT_EQ(by_ratio(INT64_MAX, 3), (Ranks{2}));
}

TEST(ServingRanks, by_ratio_never_serve_more_model_ranks_than_it_says) {
  for (std::int64_t ranks = 2; ranks < 60; ++ranks) {
    for (std::int64_t ratio = 1; ratio < 20; ++ratio) {
      const auto servers = static_cast<std::int64_t>(by_ratio(ratio, static_cast<std::size_t>(ranks)).size());

      EXPECT_LE(ranks - servers, ratio * servers) << ranks << " ranks, ratio " << ratio;
      EXPECT_GT(ranks - (servers - 1), ratio * (servers - 1)) << ranks << " ranks, ratio " << ratio;
      EXPECT_LT(servers, ranks);
    }
  }
}

TEST(ServingRanks, of_a_node_are_its_last) {
  const Ranks two_nodes_by_slot = {0, 0, 0, 3, 3, 3};
  const Ranks two_nodes_in_turn = {0, 1, 0, 1, 0};

  EXPECT_EQ(serving_ranks({.per_node = 1}, two_nodes_by_slot), (Ranks{2, 5}));
  EXPECT_EQ(serving_ranks({.per_node = 2}, two_nodes_by_slot), (Ranks{1, 2, 4, 5}));
  EXPECT_EQ(serving_ranks({.per_node = 1}, two_nodes_in_turn), (Ranks{3, 4}));
}

TEST(ServingRanks, are_none_of_a_single_rank) {
  EXPECT_TRUE(by_total(2, 1).empty());
  EXPECT_TRUE(by_ratio(1, 1).empty());
  EXPECT_TRUE(serving_ranks({.per_node = 1}, one_node(1)).empty());
}

TEST(ServingRanks, leave_ranks_for_the_model) {
  EXPECT_EQ(
      refusal({.total = 3}, one_node(3)),
      "pileus_start: 3 servers are asked for, but there are 3 ranks, model included; start more ranks or "
      "ask for fewer servers");
  EXPECT_EQ(refusal({.per_node = 1}, {0, 0, 2}),
            "pileus_start: 1 servers on every node are asked for, but the node of rank 2 has 1 rank, so that "
            "none would be left for the model there; start more ranks on each node or ask for fewer servers");
  EXPECT_NE(refusal({.ratio = -1}, one_node(3)).find("negative"), std::string::npos);
}

}  // namespace
}  // namespace pileus
