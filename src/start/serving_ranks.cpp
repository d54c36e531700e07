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

std::vector<Peer> last_of_every_node(std::int64_t count, std::span<const Peer> lowest_on_node) {
  std::map<Peer, std::vector<Peer>> nodes;
  for (Peer rank = 0; rank < lowest_on_node.size(); ++rank) nodes[lowest_on_node[rank]].push_back(rank);
  std::vector<Peer> serving;
  for (const auto& [lowest, ranks] : nodes) {
    if (static_cast<std::int64_t>(ranks.size()) <= count) {
      throw UsageError("pileus_start: " + std::to_string(count) +
                       " servers on every node are asked for, but " + "the node of rank " +
                       std::to_string(lowest) + " has " + ranks_text(ranks.size()) +
                       ", so that none would be left for the model there; start more ranks on each node or "
                       "ask for fewer servers");
    }
    serving.insert(serving.end(), ranks.end() - count, ranks.end());
  }
  std::ranges::sort(serving);
  return serving;
}

}  // namespace

std::vector<Peer> serving_ranks(const ServerCount& asked, std::span<const Peer> lowest_on_node) {
  if (asked.ratio < 0 || asked.per_node < 0 || asked.total < 0)
    throw UsageError("pileus_start: a negative number of servers, or of model ranks for each, is asked for");
  const auto ranks = static_cast<std::int64_t>(lowest_on_node.size());
  if (ranks == 1) return {};
  if (asked.per_node > 0) return last_of_every_node(asked.per_node, lowest_on_node);
  if (asked.total >= ranks) {
    throw UsageError("pileus_start: " + std::to_string(asked.total) +
                     " servers are asked for, but there are " + ranks_text(lowest_on_node.size()) +
                     ", model included; start more ranks or ask for fewer servers");
  }
  // The smallest number of servers for which (ranks - servers) <= ratio * servers.
  const std::int64_t by_ratio = asked.ratio >= ranks ? 1 : (ranks + asked.ratio) / (asked.ratio + 1);
  const std::int64_t servers = asked.total > 0 ? asked.total : by_ratio;
  return behind_their_clients(static_cast<Peer>(ranks), static_cast<Peer>(servers));
}

}  // namespace pileus
