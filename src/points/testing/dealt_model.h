#pragma once
// A plan with fields on points that are dealt at random to ranks, and servers with their directories and
// dealings, between which frames travel in any order.

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/error_list.h"
#include "exec/seeded_executor.h"
#include "layout/test_config.h"
#include "messaging/frames.h"
#include "plan/points.h"
#include "points/dealing.h"
#include "points/start.h"

namespace pileus::testing {

/// Two fields, t with levels behind the points and u with levels before them, on the plane x, y.
struct PointModel {
  Index nx = 5, ny = 7, levels = 3;
  ClientRank ranks = 4;
  ServerRank servers = 2;
  bool may_be_shared = false;
  std::vector<std::set<Index>> held;  ///< by rank
  std::vector<ServerRank> served_by;

  /// Every point goes to one rank, but for some that nobody has. With `shared` some go to several.
  static PointModel random(std::uint64_t seed, bool has_holes, bool shared = false) {
    std::mt19937_64 random(seed);
    PointModel model;
    model.nx = 1 + static_cast<Index>(random() % 9);
    model.ny = 1 + static_cast<Index>(random() % 9);
    model.levels = 1 + static_cast<Index>(random() % 3);
    model.ranks = static_cast<ClientRank>(1 + random() % 7);
    model.servers = static_cast<ServerRank>(1 + random() % 4);
    model.may_be_shared = shared;
    model.held.resize(model.ranks);
    // In half of the models neighbours lie together.
    const Index stretch = random() % 2 == 0 ? 1 : 6;
    for (Index i = 0; i < model.nx * model.ny; ++i) {
      if (has_holes && random() % 4 == 0) continue;
      const bool goes_on = i % stretch != 0;
      static thread_local std::size_t rank = 0;
      rank = goes_on ? rank % model.ranks : random() % model.ranks;
      model.held[rank].insert(i);
      if (shared && random() % 3 == 0) model.held[random() % model.ranks].insert(i);
    }
    for (ClientRank rank = 0; rank < model.ranks; ++rank)
      model.served_by.push_back(rank == 0 ? 0 : static_cast<ServerRank>(random() % model.servers));
    return model;
  }

  planning_test::Planned plan() const {
    planning_test::ConfigBuilder config;
    config.group("g");
    config.field("t", "", true).type = {};
    config.field("u", "", true).type = {};
    config.file("f.nc");
    config.include("t");
    config.include("u");
    planning_test::ModelBuilder builder(ranks);
    builder.dimension("x", nx).dimension("y", ny).dimension("z", levels);
    builder.field("t", {"x", "y", "z"});
    builder.field("u", {"z", "x", "y"}, ElementType::float32);
    for (ClientRank rank = 0; rank < ranks; ++rank) {
      builder.model.ranks[rank].points = {{"cells", {"x", "y"}, may_be_shared}};
      const auto count = static_cast<Index>(held[rank].size());
      builder.registered(rank, "t").region = {{0, 0, 0}, {count, 1, levels}};
      builder.registered(rank, "u").region = {{0, 0, 0}, {levels, count, 1}};
      for (ModelField& field : builder.model.ranks[rank].fields) field.points = 0;
    }
    planning_test::Planned planned;
    planned.plan = make_plan(config.config, builder.model, servers, planned.findings, served_by);
    return planned;
  }

  ModelRanks model_ranks() const {
    ModelDescription model;
    model.ranks.resize(ranks);
    for (RankDescription& rank : model.ranks) rank.points = {{"cells", {"x", "y"}, may_be_shared}};
    return ModelRanks(model);
  }

  static double value(Index point, Index level, ClientRank rank) {
    return static_cast<double>(1000 * rank + 10 * point + level);
  }
};

}  // namespace pileus::testing
