#pragma once
// All servers of a run with their directories and groups of regriddings, in one thread and in an order that
// follows from a seed. Frames wait until it is their turn.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "exec/seeded_executor.h"
#include "messaging/frames.h"
#include "regrid/regridder.h"
#include "regrid/start.h"
#include "regrid/testing/regrid_model.h"

namespace pileus::testing {

/// A file of links that says nothing of where points lie.
class LinksAlone : public ReadWeights {
 public:
  using Links = std::function<LinkRows(const Regridding&, Index first, Index count)>;
  explicit LinksAlone(Links links) : links_(std::move(links)) {}
  LinkRows links(const Regridding& how, Index first, Index count) const override {
    return links_(how, first, count);
  }
  PlacesOfBox places(const std::string&, Index, Index) const override { return {}; }

 private:
  Links links_;
};
/// Links stand in no file here.
inline const LinksAlone no_file([](const Regridding&, Index, Index) -> LinkRows {
  throw UsageError("nobody is to read a file");
});

class RegridServers {
 public:
  using Settled = std::map<std::pair<std::int64_t, ClientRank>, BroadcastValues>;

  RegridServers(const RegridModel& model, const Plan& plan, std::uint64_t seed)
      : model_(model), plan_(plan), random_(seed), executor_(seed), groups_(plan.layout.servers) {
    for (ServerRank server = 0; server < plan.layout.servers; ++server) {
      starts_.emplace_back();
      posts_.push_back(std::make_unique<Post>(*this, server));
    }
    for (std::size_t group = 0; group < plan.regrids.size(); ++group)
      made_.push_back(std::make_unique<Made>(settled[group]));
  }
  /// Each server finds its links at some moment; frames of others may come before.
  void start() {
    for (ServerRank server = 0; server < plan_.layout.servers; ++server) {
      starts_[server].begin(plan_, server, no_file, *posts_[server]);
      for (std::uint64_t some = random_.below(4); some > 0; --some) deliver_one();
    }
    while (!waiting_.empty()) deliver_one();
    for (ServerRank server = 0; server < plan_.layout.servers; ++server) {
      EXPECT_TRUE(starts_[server].is_complete()) << "server " << server;
      for (std::size_t group = 0; group < plan_.regrids.size(); ++group) make_group(server, group);
    }
  }

  const RegridDirectory& directory(ServerRank server) const { return *starts_[server].directory(); }
  /// Null: the server has no model ranks.
  Regridder* regridder(ServerRank server, std::size_t group) { return groups_[server].at(group).get(); }
  Regridder& of_rank(ClientRank rank, std::size_t group) { return *regridder(model_.server_of(rank), group); }
  void run_some() {
    for (std::uint64_t turns = random_.below(6); turns > 0; --turns) {
      if (random_.below(2) == 0) {
        executor_.run_one();
      } else {
        deliver_one();
      }
    }
  }
  void run_all() {
    do {
      executor_.run_until_idle();
      while (!waiting_.empty()) deliver_one();
    } while (!executor_.is_idle());
  }
  SeededRandom& random() { return random_; }

  std::map<std::size_t, Settled> settled;  ///< by group
  std::size_t frames = 0;                  ///< of elements
  Bytes last_frame;                        ///< behind its kind and the group

 private:
  class Post : public Messages {
   public:
    Post(RegridServers& all, ServerRank self) : all_(all), self_(self) {}
    void send(ServerRank to, Bytes frame) override {
      all_.waiting_.push_back({self_, to, std::make_shared<const Bytes>(std::move(frame))});
    }

   private:
    RegridServers& all_;
    ServerRank self_;
  };
  class Made : public SettledPoints {
   public:
    explicit Made(Settled& settled) : settled_(settled) {}
    void settle(ClientRank client, std::int64_t step,
                std::shared_ptr<const BroadcastValues> values) override {
      EXPECT_TRUE(settled_.emplace(std::pair(step, client), *values).second)
          << "step " << step << " of rank " << client << " is there twice";
    }

   private:
    Settled& settled_;
  };
  struct Waiting {
    ServerRank from, to;
    std::shared_ptr<const Bytes> frame;
  };

  void make_group(ServerRank server, std::size_t group) {
    groups_[server].emplace_back();
    std::vector<ClientRank> clients;
    for (ClientRank rank = 0; rank < model_.ranks; ++rank)
      if (model_.server_of(rank) == server) clients.push_back(rank);
    if (clients.empty()) return;
    groups_[server].back() =
        std::make_unique<Regridder>(plan_, group, server, clients, *starts_[server].directory(), executor_,
                                    *posts_[server], *made_[group]);
  }
  /// Frames of one server to another keep their order.
  void deliver_one() {
    if (waiting_.empty()) return;
    const Waiting any = waiting_[random_.below(waiting_.size())];
    const auto first = std::ranges::find_if(
        waiting_, [&](const Waiting& one) { return one.from == any.from && one.to == any.to; });
    const Waiting next = *first;
    waiting_.erase(first);
    Decoder in(*next.frame);
    const auto kind = in.get<ServerFrame>();
    if (kind == ServerFrame::regrid_directory) return starts_[next.to].take(next.from, in);
    EXPECT_EQ(kind, ServerFrame::regrid);
    const auto group = in.get<std::uint32_t>();
    ++frames;
    last_frame = Bytes(in.rest().begin(), in.rest().end());
    regridder(next.to, group)->receive(next.from, Decoder(in.rest()), next.frame);
  }

  const RegridModel& model_;
  const Plan& plan_;
  SeededRandom random_;
  SeededExecutor executor_;
  std::vector<RegridStart> starts_;
  std::vector<std::unique_ptr<Post>> posts_;
  std::vector<std::unique_ptr<Made>> made_;
  std::vector<std::vector<std::unique_ptr<Regridder>>> groups_;  ///< by server
  std::vector<Waiting> waiting_;
};

}  // namespace pileus::testing
