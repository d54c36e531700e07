#include "start/placement_notes.h"

#include <gtest/gtest.h>

#include <random>

namespace pileus {
namespace {

using Places = std::vector<RankPlace>;
using Servers = std::vector<Peer>;
using Texts = std::vector<std::string>;

PlacementNotes notes(const Places& places, const Servers& servers, const ServerCount& asked = {}) {
  return placement_notes(places, nearest_servers(places, servers), asked);
}

RankPlace on_core(std::int64_t core, std::int64_t socket, Peer node = 0) {
  return {.node = node, .socket = socket, .numa = socket, .core = core, .processor = core, .is_bound = true};
}

/// Nodes of two sockets with `cores` each and a rank on every core, whose last one serves.
std::pair<Places, Servers> full_nodes(Peer nodes, Peer cores) {
  Places places;
  Servers servers;
  for (Peer node = 0; node < nodes; ++node) {
    const auto lowest = static_cast<Peer>(places.size());
    for (Peer core = 0; core < 2 * cores; ++core) places.push_back(on_core(core, core / cores, lowest));
    servers.push_back(static_cast<Peer>(places.size() - 1));
  }
  return {places, servers};
}

TEST(PlacementNotes, are_none_of_a_node_where_nobody_is_bound) {
  const PlacementNotes said = notes(Places(4, {.socket = 0, .numa = 0}), {3}, {.per_socket = 1});

  EXPECT_EQ(said.lines, Texts());
  EXPECT_EQ(said.warnings, Texts());
}

TEST(PlacementNotes, say_where_the_ranks_of_nodes_that_are_alike_are_bound_in_one_line) {
  const auto [places, servers] = full_nodes(3, 4);

  const PlacementNotes said = notes(places, servers);

  EXPECT_EQ(said.lines, (Texts{"placement: 3 nodes such as the node of rank 0: 7 model ranks on cores 0-6 of "
                               "sockets 0-1; 1 server on core 7 of socket 1"}));
  EXPECT_EQ(said.warnings, Texts());
}

TEST(PlacementNotes, are_few_however_many_nodes_differ) {
  std::mt19937 random(1);
  Places places;
  Servers servers;
  for (Peer node = 0; node < 200; ++node) {
    const auto lowest = static_cast<Peer>(places.size());
    for (Peer rank = 0; rank <= node; ++rank) places.push_back(on_core(random() % 512, random() % 8, lowest));
    if (node % 2 == 1) servers.push_back(static_cast<Peer>(places.size() - 1));
  }

  const PlacementNotes said = notes(places, servers, {.per_numa = 1});

  EXPECT_EQ(said.lines.size(), 5U);
  EXPECT_EQ(said.lines[3], "placement: 197 nodes otherwise than these");
  EXPECT_LE(said.warnings.size(), 3U);
  for (const std::string& text : said.lines) EXPECT_LT(text.size(), 400U) << text;
}

TEST(PlacementNotes, say_who_hands_over_to_another_node) {
  const Places places = {{.node = 0}, {.node = 0}, {.node = 2}, {.node = 2}};

  EXPECT_EQ(
      notes(places, {3}).lines,
      (Texts{"placement: the node of rank 0: 2 model ranks bound to no cores",
             "placement: the node of rank 2: 1 model rank bound to no cores; 1 server bound to no cores",
             "placement: the server of 2 model ranks is on another node; the first is model rank 0"}));
}

TEST(PlacementNotes, warn_of_a_server_on_the_core_of_a_model_rank) {
  const PlacementNotes said = notes({on_core(0, 0), on_core(1, 0), on_core(1, 0)}, {2});

  ASSERT_EQ(said.warnings.size(), 1U);
  EXPECT_EQ(
      said.warnings[0],
      "server 0 and model rank 1 are bound to one core, 1 of the node of rank 0: each takes the other's "
      "time; start fewer model ranks on a node, or bind the servers to cores that are left "
      "(docs/placement.md)");
}

TEST(PlacementNotes, warn_of_a_server_on_the_other_hyper_thread_and_count_them) {
  RankPlace second = on_core(1, 0), third = on_core(0, 0);
  second.processor = 9;
  third.processor = 8;

  const PlacementNotes said = notes({on_core(0, 0), on_core(1, 0), second, third}, {2, 3});

  ASSERT_EQ(said.warnings.size(), 1U);
  EXPECT_TRUE(said.warnings[0].starts_with(
      "server 0 and model rank 1 are bound to two hyper-threads of one core, 1 of the node of rank 0, and 1 "
      "other server to one with a model rank too: "))
      << said.warnings[0];
}

TEST(PlacementNotes, warn_of_no_core_that_one_of_them_need_not_use_or_that_is_elsewhere) {
  const RankPlace several{.socket = 0, .numa = 0, .is_bound = true};

  EXPECT_EQ(notes({several, several}, {1}).warnings, Texts());
  EXPECT_EQ(notes({on_core(0, 0), several}, {1}).warnings, Texts());
  EXPECT_EQ(notes({on_core(0, 0), on_core(0, 0, 1)}, {1}).warnings, Texts());
  EXPECT_EQ(notes({on_core(0, 0), on_core(0, 0), on_core(1, 0)}, {2}).warnings, Texts());
}

TEST(PlacementNotes, warn_where_all_servers_of_a_node_are_on_one_of_several_sockets) {
  const Places places = {on_core(0, 0), on_core(1, 0), on_core(4, 1), on_core(5, 1), on_core(6, 1)};

  const PlacementNotes said = notes(places, {3, 4});

  ASSERT_EQ(said.warnings.size(), 1U);
  EXPECT_TRUE(said.warnings[0].starts_with(
      "all 2 servers of the node of rank 0 are on socket 1, its model ranks on sockets 0-1: "))
      << said.warnings[0];
  EXPECT_EQ(notes(places, {1, 4}).warnings, Texts());
  EXPECT_EQ(notes(places, {4}).warnings, Texts());  // one server is somewhere
  EXPECT_EQ(notes({places.begin() + 2, places.end()}, {1, 2}).warnings, Texts());
}

TEST(PlacementNotes, warn_of_ranks_whose_socket_is_not_known_if_that_was_asked) {
  const Places places = {on_core(0, 0), on_core(1, 0), {}, {}};

  const PlacementNotes said = notes(places, {1, 3}, {.per_socket = 1});

  ASSERT_EQ(said.warnings.size(), 1U);
  EXPECT_TRUE(
      said.warnings[0].starts_with("servers for every socket are asked for, but that of 2 ranks is not "
                                   "known, the first of which is rank 2: "))
      << said.warnings[0];
  EXPECT_EQ(notes(places, {1, 3}, {.per_node = 2}).warnings, Texts());
}

}  // namespace
}  // namespace pileus
