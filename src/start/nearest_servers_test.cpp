#include "start/nearest_servers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "plan/plan.h"

namespace pileus {
namespace {

using Places = std::vector<RankPlace>;
using Servers = std::vector<ServerRank>;

Servers by_client(const Places& places, const std::vector<Peer>& servers, std::size_t most = SIZE_MAX) {
  return nearest_servers(places, servers, most).served_by;
}

/// "0 0 1": of each rank its node, as a number that need not be a rank.
Places on_nodes(std::vector<Peer> nodes) {
  Places places;
  for (const Peer node : nodes) places.push_back({.node = node});
  return places;
}

TEST(NearestServers, of_one_node_have_blocks_of_neighbours) {
  for (Peer ranks = 2; ranks < 40; ++ranks) {
    for (Peer count = 1; count < ranks; ++count) {
      std::vector<Peer> servers;
      for (Peer server = ranks - count; server < ranks; ++server) servers.push_back(server);
      const Layout blocks{ranks - count, count};

      const Servers nearest = by_client(Places(ranks), servers);

      for (ClientRank client = 0; client < blocks.clients; ++client)
        EXPECT_EQ(nearest[client], blocks.server_of(client)) << ranks << " ranks, " << count << " servers";
    }
  }
}

TEST(NearestServers, are_on_the_node_of_their_clients_where_there_are_any) {
  // Two programs: three ranks and a server on one node, one and one on the other. By number: 0 0 1 1.
  EXPECT_EQ(by_client(on_nodes({0, 0, 0, 0, 4, 4}), {3, 5}), (Servers{0, 0, 0, 1}));
  // Ranks in turn: clients 0 and 2 are on the node of server 0.
  EXPECT_EQ(by_client(on_nodes({0, 1, 0, 1, 0, 1}), {4, 5}), (Servers{0, 1, 0, 1}));
}

TEST(NearestServers, of_other_nodes_take_the_ranks_without_one_evenly) {
  // The node of ranks 0 to 2 has no server.
  EXPECT_EQ(by_client(on_nodes({0, 0, 0, 3, 3}), {3, 4}), (Servers{0, 0, 1}));
  // Server 0 has client 0 already, so the three without one go to 1, 1, 0: two and two.
  EXPECT_EQ(by_client(on_nodes({0, 0, 2, 2, 2, 5}), {1, 5}), (Servers{0, 0, 1, 1}));
}

TEST(NearestServers, are_of_the_domain_then_of_the_socket) {
  // One node with sockets 0 and 1; socket 0 has domains 0 and 1, where domain 1 has a server; socket 1 has
  // one of no known domain. Client 0 is of domain 0, client 1 of domain 1, client 2 of socket 1.
  const Places places = {{.socket = 0, .numa = 0},
                         {.socket = 0, .numa = 1},
                         {.socket = 1, .numa = 2},
                         {.socket = 1},
                         {.socket = 0, .numa = 1}};

  const Serving serving = nearest_servers(places, std::vector<Peer>{3, 4});

  EXPECT_EQ(serving.servers, (std::vector<Peer>{4, 3}));  // server 0 is that of model rank 0
  EXPECT_EQ(serving.served_by, (Servers{0, 0, 1}));
}

TEST(NearestServers, have_server_0_for_model_rank_0_and_rise_otherwise) {
  // Rank 0 is on the node of ranks 3 and 6; ranks 1 and 2 have server 5, and nobody has server 4.
  const Serving serving = nearest_servers(on_nodes({0, 1, 1, 0, 4, 1, 0}), std::vector<Peer>{4, 5, 6});

  EXPECT_EQ(serving.servers, (std::vector<Peer>{6, 4, 5}));
  EXPECT_EQ(serving.served_by, (Servers{0, 2, 2, 0}));
}

TEST(NearestServers, have_no_more_clients_than_a_ratio_says) {
  // Five clients and one server here, one and one there: with at most four, client 4 goes to the other node.
  const Places places = on_nodes({0, 0, 0, 0, 0, 0, 6, 6});

  EXPECT_EQ(by_client(places, {5, 7}), (Servers{0, 0, 0, 0, 0, 1}));
  EXPECT_EQ(by_client(places, {5, 7}, 4), (Servers{0, 0, 0, 0, 1, 1}));
}

struct Job {
  Places places;
  std::vector<Peer> servers;
};

/// Nodes with ranks anywhere, of which some know their socket or domain.
Job random_job(std::mt19937& random) {
  const auto below = [&](unsigned n) { return static_cast<Peer>(random() % n); };
  Job job;
  const Peer ranks = 2 + below(40), nodes = 1 + below(5);
  std::map<Peer, Peer> lowest;
  for (Peer rank = 0; rank < ranks; ++rank) {
    RankPlace place{.node = lowest.try_emplace(below(nodes), rank).first->second};
    if (below(3) > 0) place.numa = below(4);
    if (place.numa != kUnknown || below(3) > 0)
      place.socket = place.numa == kUnknown ? below(2) : place.numa / 2;
    job.places.push_back(place);
  }
  std::vector<Peer> all(ranks);
  for (Peer rank = 0; rank < ranks; ++rank) all[rank] = rank;
  std::ranges::shuffle(all, random);
  job.servers.assign(all.begin(), all.begin() + 1 + below(ranks - 1));
  std::ranges::sort(job.servers);
  return job;
}

/// How near two ranks are: 0 one domain, 1 one socket, 2 one node, 3 one job.
int distance(const RankPlace& a, const RankPlace& b) {
  if (a.node != b.node) return 3;
  if (a.numa != kUnknown && a.numa == b.numa) return 0;
  return a.socket != kUnknown && a.socket == b.socket ? 1 : 2;
}

TEST(NearestServers, are_as_near_as_any_and_the_loads_of_equally_near_ones_are_even) {
  for (unsigned seed = 0; seed < 3000; ++seed) {
    std::mt19937 random(seed);
    const Job job = random_job(random);

    const Serving serving = nearest_servers(job.places, job.servers);

    const Servers& nearest = serving.served_by;
    std::vector<Peer> rising = serving.servers;
    std::ranges::sort(rising);
    ASSERT_EQ(rising, job.servers);
    ASSERT_EQ(nearest.front(), 0U);

    std::vector<std::size_t> loads(job.servers.size());
    std::vector<Peer> clients;
    for (Peer rank = 0; rank < job.places.size(); ++rank)
      if (!std::ranges::binary_search(job.servers, rank)) clients.push_back(rank);
    ASSERT_EQ(nearest.size(), clients.size());
    for (const ServerRank server : nearest) ++loads[server];
    for (std::size_t c = 0; c < clients.size(); ++c) {
      const RankPlace& mine = job.places[clients[c]];
      const auto far = [&](ServerRank server) { return distance(mine, job.places[serving.servers[server]]); };
      for (ServerRank other = 0; other < job.servers.size(); ++other) {
        ASSERT_LE(far(nearest[c]), far(other)) << "seed " << seed << ", rank " << clients[c];
        // Going to another one that is as near would not make the loads more even.
        if (far(nearest[c]) == far(other)) {
          ASSERT_LE(loads[nearest[c]], loads[other] + 1) << "seed " << seed << ", rank " << clients[c];
        }
      }
    }
  }
}

TEST(NearestServers, do_not_depend_on_what_nodes_and_domains_are_called) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const Job job = random_job(random);
    Places renamed = job.places;
    for (RankPlace& place : renamed) {
      place.core = place.processor = 5;
      place.is_bound = true;
      place.node += 1000;
      if (place.numa != kUnknown) place.numa += 8;
      if (place.socket != kUnknown) place.socket += 4;
    }

    EXPECT_EQ(nearest_servers(renamed, job.servers), nearest_servers(job.places, job.servers)) << seed;
  }
}

TEST(NearestServers, by_ratio_have_no_more_than_it_wherever_they_are) {
  for (unsigned seed = 0; seed < 1000; ++seed) {
    std::mt19937 random(seed);
    const Job job = random_job(random);
    const std::size_t clients = job.places.size() - job.servers.size();
    const std::size_t most = (clients + job.servers.size() - 1) / job.servers.size() + random() % 3;

    std::map<ServerRank, std::size_t> loads;
    for (const ServerRank server : by_client(job.places, job.servers, most)) ++loads[server];

    for (const auto& [server, load] : loads)
      EXPECT_LE(load, most) << "seed " << seed << ", server " << server;
  }
}

}  // namespace
}  // namespace pileus
