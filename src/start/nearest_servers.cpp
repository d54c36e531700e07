#include "start/nearest_servers.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <queue>

#include "plan/plan.h"

namespace pileus {
namespace {

/// What lies equally near: the domain, socket or node of a place, or the job; nullopt where it is not known.
using Area = std::array<std::int64_t, 2>;
using AreaOf = std::optional<Area> (*)(const RankPlace&);

std::optional<Area> area(const RankPlace& place, std::int64_t domain) {
  if (domain == kUnknown) return std::nullopt;
  return Area{place.node, domain};
}

constexpr std::array<AreaOf, 4> kFromNearToFar = {
    [](const RankPlace& place) { return area(place, place.numa); },
    [](const RankPlace& place) { return area(place, place.socket); },
    [](const RankPlace& place) { return area(place, 0); },
    [](const RankPlace&) { return std::optional(Area{}); },
};

struct Near {
  std::vector<ServerRank> servers;
  std::vector<ClientRank> clients;  ///< who have no server yet
};

class Choice {
 public:
  Choice(std::span<const RankPlace> places, std::span<const Peer> servers, std::size_t most) : most_(most) {
    for (Peer rank = 0; rank < places.size(); ++rank) {
      const bool serves = std::ranges::binary_search(servers, rank);
      (serves ? server_places_ : client_places_).push_back(places[rank]);
    }
    loads_.resize(server_places_.size());
    server_of_.resize(client_places_.size());
  }

  std::vector<ServerRank> result() && {
    for (const AreaOf area_of : kFromNearToFar) {
      for (const auto& [area, near] : areas(area_of)) spread(near);
    }
    std::vector<ServerRank> out;
    for (const std::optional<ServerRank>& server : server_of_) out.push_back(*server);
    return out;
  }

 private:
  std::map<Area, Near> areas(AreaOf area_of) const {
    std::map<Area, Near> areas;
    for (ServerRank server = 0; server < server_places_.size(); ++server) {
      if (const auto area = area_of(server_places_[server])) areas[*area].servers.push_back(server);
    }
    for (ClientRank client = 0; client < client_places_.size(); ++client) {
      if (server_of_[client]) continue;
      if (const auto area = area_of(client_places_[client])) areas[*area].clients.push_back(client);
    }
    return areas;
  }

  void spread(const Near& near) {
    const std::vector<std::size_t> more = shares(near);
    std::size_t next = 0;
    for (std::size_t s = 0; s < near.servers.size(); ++s) {
      loads_[near.servers[s]] += more[s];
      for (std::size_t i = 0; i < more[s]; ++i) server_of_[near.clients[next++]] = near.servers[s];
    }
  }

  /// How many of the clients each of the servers gets.
  std::vector<std::size_t> shares(const Near& near) const {
    std::vector<std::size_t> shares(near.servers.size());
    if (near.servers.empty()) return shares;
    const auto load = [this](ServerRank server) { return loads_[server]; };
    const auto [least, largest] = std::ranges::minmax(near.servers, {}, load);
    const Layout blocks{static_cast<ClientRank>(near.clients.size()),
                        static_cast<ServerRank>(near.servers.size())};
    const std::size_t block = (near.clients.size() + near.servers.size() - 1) / near.servers.size();
    if (load(least) == load(largest) && block <= most_ - load(least)) {
      for (ClientRank client = 0; client < blocks.clients; ++client) ++shares[blocks.server_of(client)];
      return shares;
    }
    using Filled = std::pair<std::size_t, std::size_t>;  // the load, the place among these servers
    std::priority_queue<Filled, std::vector<Filled>, std::greater<>> emptiest;
    for (std::size_t s = 0; s < near.servers.size(); ++s) emptiest.emplace(load(near.servers[s]), s);
    for (std::size_t i = 0; i < near.clients.size() && emptiest.top().first < most_; ++i) {
      const auto [filled, s] = emptiest.top();
      emptiest.pop();
      emptiest.emplace(filled + 1, s);
      ++shares[s];
    }
    return shares;
  }

  std::size_t most_;
  std::vector<RankPlace> client_places_, server_places_;  ///< by rank
  std::vector<std::size_t> loads_;                        ///< by ServerRank
  std::vector<std::optional<ServerRank>> server_of_;      ///< by ClientRank
};

}  // namespace

Serving nearest_servers(std::span<const RankPlace> places, std::span<const Peer> servers, std::size_t most) {
  const std::size_t clients = places.size() - servers.size();
  const std::size_t least = (clients + servers.size() - 1) / servers.size();
  Serving serving{{servers.begin(), servers.end()}, Choice(places, servers, std::max(most, least)).result()};
  const ServerRank first = serving.served_by.front();
  std::rotate(serving.servers.begin(), serving.servers.begin() + first, serving.servers.begin() + first + 1);
  for (ServerRank& server : serving.served_by) {
    if (server == first)
      server = 0;
    else if (server < first)
      ++server;
  }
  return serving;
}

}  // namespace pileus
