#include "start/serving_ranks.h"

#include <algorithm>
#include <map>
#include <string>

#include "core/error.h"
#include "plan/plan.h"

namespace pileus {
namespace {

/// "1 rank", "3 ranks"
std::string ranks_text(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " rank" : " ranks");
}

/// Places each server behind its clients. REQUIRES: servers < ranks.
std::vector<Peer> behind_their_clients(Peer ranks, Peer servers) {
  const Layout layout{ranks - servers, servers};
  std::vector<Peer> serving;
  ClientRank client = 0;
  for (ServerRank server = 0; server < servers; ++server) {
    while (client < layout.clients && layout.server_of(client) <= server) ++client;
    serving.push_back(client + server);
  }
  return serving;
}

/// Ranks of one node, or those of one domain of it; kUnknown: those of no known domain.
struct Group {
  Peer node = 0;
  std::int64_t domain = kUnknown;
  auto operator<=>(const Group&) const = default;
};

/// What servers are asked for each of.
struct Kind {
  const char* name;
  std::int64_t RankPlace::*domain;  ///< null: the node itself
};

constexpr Kind kNode{"node", nullptr}, kSocket{"socket", &RankPlace::socket},
    kNuma{"NUMA domain", &RankPlace::numa};

[[noreturn]] void refuse(std::int64_t count, const Kind& kind, const Group& group, std::size_t ranks) {
  const std::string each = kind.name, node = "the node of rank " + std::to_string(group.node);
  const std::string where =
      group.domain == kUnknown ? node : each + " " + std::to_string(group.domain) + " of " + node;
  throw UsageError("pileus_start: " + std::to_string(count) + " servers on every " + each +
                   " are asked for, but " + where + " has " + ranks_text(ranks) +
                   ", so that none would be left for the model there; start more ranks on each " + each +
                   " or ask for fewer servers");
}

std::vector<Peer> last_of_every(const Kind& kind, std::int64_t count, std::span<const RankPlace> places) {
  std::map<Group, std::vector<Peer>> groups;
  for (Peer rank = 0; rank < places.size(); ++rank) {
    const RankPlace& place = places[rank];
    groups[{place.node, kind.domain == nullptr ? kUnknown : place.*kind.domain}].push_back(rank);
  }
  std::vector<Peer> serving;
  for (const auto& [group, ranks] : groups) {
    if (static_cast<std::int64_t>(ranks.size()) <= count) {
      const auto next = groups.upper_bound(group);
      const bool are_others_there = next != groups.end() && next->first.node == group.node;
      if (group.domain == kUnknown && are_others_there) continue;  // servers of known domains serve these
      refuse(count, kind, group, ranks.size());
    }
    serving.insert(serving.end(), ranks.end() - count, ranks.end());
  }
  std::ranges::sort(serving);
  return serving;
}

}  // namespace

std::vector<Peer> serving_ranks(const ServerCount& asked, std::span<const RankPlace> places) {
  if (asked.ratio < 0 || asked.per_node < 0 || asked.total < 0 || asked.per_socket < 0 || asked.per_numa < 0)
    throw UsageError("pileus_start: a negative number of servers, or of model ranks for each, is asked for");
  const auto ranks = static_cast<std::int64_t>(places.size());
  if (ranks == 1) return {};
  if (asked.per_node > 0) return last_of_every(kNode, asked.per_node, places);
  if (asked.per_socket > 0) return last_of_every(kSocket, asked.per_socket, places);
  if (asked.per_numa > 0) return last_of_every(kNuma, asked.per_numa, places);
  if (asked.total >= ranks) {
    throw UsageError("pileus_start: " + std::to_string(asked.total) +
                     " servers are asked for, but there are " + ranks_text(places.size()) +
                     ", model included; start more ranks or ask for fewer servers");
  }
  // The smallest number of servers for which (ranks - servers) <= ratio * servers.
  const std::int64_t by_ratio = asked.ratio >= ranks ? 1 : (ranks + asked.ratio) / (asked.ratio + 1);
  const std::int64_t servers = asked.total > 0 ? asked.total : by_ratio;
  return behind_their_clients(static_cast<Peer>(ranks), static_cast<Peer>(servers));
}

}  // namespace pileus
