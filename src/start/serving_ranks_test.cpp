#include "start/serving_ranks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>

#include "core/error.h"

namespace pileus {
namespace {

using Ranks = std::vector<Peer>;

using Places = std::vector<RankPlace>;

Places on_nodes(const Ranks& nodes) {
  Places places;
  for (const Peer node : nodes) places.push_back({.node = node});
  return places;
}
Places one_node(std::size_t ranks) { return Places(ranks); }

Ranks by_total(std::int64_t total, std::size_t ranks) {
  return serving_ranks({.total = total}, one_node(ranks));
}
Ranks by_ratio(std::int64_t ratio, std::size_t ranks) {
  return serving_ranks({.ratio = ratio}, one_node(ranks));
}

std::string refusal(const ServerCount& asked, const Places& nodes) {
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
  const Places two_nodes_by_slot = on_nodes({0, 0, 0, 3, 3, 3});
  const Places two_nodes_in_turn = on_nodes({0, 1, 0, 1, 0});

  EXPECT_EQ(serving_ranks({.per_node = 1}, two_nodes_by_slot), (Ranks{2, 5}));
  EXPECT_EQ(serving_ranks({.per_node = 2}, two_nodes_by_slot), (Ranks{1, 2, 4, 5}));
  EXPECT_EQ(serving_ranks({.per_node = 1}, two_nodes_in_turn), (Ranks{3, 4}));
}

TEST(ServingRanks, of_a_socket_or_domain_are_its_last) {
  // Two sockets with two domains each, ranks in turn on the sockets.
  Places places;
  for (Peer rank = 0; rank < 16; ++rank)
    places.push_back({.socket = rank % 2, .numa = rank % 2 * 2 + rank / 8});

  EXPECT_EQ(serving_ranks({.per_node = 2}, places), (Ranks{14, 15}));
  EXPECT_EQ(serving_ranks({.per_socket = 1}, places), (Ranks{14, 15}));
  EXPECT_EQ(serving_ranks({.per_numa = 1}, places), (Ranks{6, 7, 14, 15}));
  EXPECT_EQ(serving_ranks({.per_numa = 2}, places), (Ranks{4, 5, 6, 7, 12, 13, 14, 15}));
}

TEST(ServingRanks, of_unknown_domains_are_the_last_of_the_node) {
  const RankPlace unknown{.node = 4}, first{.socket = 0}, second{.socket = 1};

  EXPECT_EQ(serving_ranks({.per_socket = 1}, {{first, first, second, second, unknown, unknown, unknown}}),
            (Ranks{1, 3, 6}));
  // On one node with known ones: the only unknown one computes, two are a domain of their own.
  EXPECT_EQ(serving_ranks({.per_socket = 1}, {{first, first, RankPlace{}}}), (Ranks{1}));
  EXPECT_EQ(serving_ranks({.per_socket = 1}, {{first, first, RankPlace{}, RankPlace{}}}), (Ranks{1, 3}));
}

TEST(ServingRanks, of_each_domain_are_as_many_as_asked_in_every_order_of_domains) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    std::mt19937 random(seed);
    Places places;
    const auto count = static_cast<std::int64_t>(1 + random() % 3);
    for (Peer node = 0; node < 1 + random() % 3; ++node) {
      for (std::int64_t domain = 0; domain < static_cast<std::int64_t>(1 + random() % 3); ++domain)
        for (std::int64_t left = count + 1 + static_cast<std::int64_t>(random() % 4); left > 0; --left)
          places.push_back({.node = node, .socket = domain, .numa = domain});
    }
    std::ranges::shuffle(places, random);
    const ServerCount asked =
        seed % 2 == 0 ? ServerCount{.per_socket = count} : ServerCount{.per_numa = count};

    const Ranks serving = serving_ranks(asked, places);

    std::map<std::pair<Peer, std::int64_t>, Ranks> members;
    for (Peer rank = 0; rank < places.size(); ++rank)
      members[{places[rank].node, places[rank].numa}].push_back(rank);
    Ranks expected;
    for (const auto& [domain, ranks] : members)
      expected.insert(expected.end(), ranks.end() - count, ranks.end());
    std::ranges::sort(expected);
    EXPECT_EQ(serving, expected) << seed;
    for (RankPlace& place : places) {  // the same whatever they are called
      place.socket = 7 - place.socket;
      place.numa = 7 - place.numa;
      place.node = 9 - place.node;
    }
    EXPECT_EQ(serving_ranks(asked, places), expected) << seed;
  }
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
  EXPECT_EQ(refusal({.per_node = 1}, on_nodes({0, 0, 2})),
            "pileus_start: 1 servers on every node are asked for, but the node of rank 2 has 1 rank, so that "
            "none would be left for the model there; start more ranks on each node or ask for fewer servers");
  EXPECT_EQ(
      refusal({.per_socket = 2}, Places(2, {.socket = 1})),
      "pileus_start: 2 servers on every socket are asked for, but socket 1 of the node of rank 0 has 2 "
      "ranks, so that none would be left for the model there; start more ranks on each socket or ask for "
      "fewer servers");
  EXPECT_NE(refusal({.per_numa = -1}, one_node(3)).find("negative"), std::string::npos);
  EXPECT_NE(refusal({.ratio = -1}, one_node(3)).find("negative"), std::string::npos);
}

}  // namespace
}  // namespace pileus
