#include "start/placement_notes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace pileus {
namespace {

constexpr std::size_t kMostLines = 3;   ///< of nodes that differ
constexpr std::size_t kMostRanges = 8;  ///< of numbers in a text

using Numbers = std::set<std::int64_t>;

std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// "socket 0", "cores 0-6,8"
std::string named(const std::string& what, const Numbers& numbers) {
  std::string text = what + (numbers.size() == 1 ? " " : "s ");
  std::size_t ranges = 0;
  for (auto at = numbers.begin(); at != numbers.end(); ++ranges) {
    if (ranges == kMostRanges) return text + ",…";
    const std::int64_t first = *at;
    std::int64_t last = first;
    while (++at != numbers.end() && *at == last + 1) ++last;
    text += (ranges == 0 ? "" : ",") + std::to_string(first);
    if (last > first) text += "-" + std::to_string(last);
  }
  return text;
}

/// What they have, where each is known to have something.
std::optional<Numbers> all_of(const std::vector<RankPlace>& places, std::int64_t RankPlace::*what) {
  Numbers numbers;
  for (const RankPlace& place : places) {
    if (place.*what == kUnknown) return std::nullopt;
    numbers.insert(place.*what);
  }
  return numbers;
}

/// Those that are known.
Numbers known_of(const std::vector<RankPlace>& places, std::int64_t RankPlace::*what) {
  Numbers numbers;
  for (const RankPlace& place : places) numbers.insert(place.*what);
  numbers.erase(kUnknown);
  return numbers;
}

/// "2 servers on cores 7,15 of sockets 0-1"
std::string ranks_text(const std::string& what, const std::vector<RankPlace>& places) {
  std::string text = counted(places.size(), what);
  if (std::ranges::none_of(places, &RankPlace::is_bound)) return text + " bound to no cores";
  const auto cores = all_of(places, &RankPlace::core);
  const auto sockets = all_of(places, &RankPlace::socket), domains = all_of(places, &RankPlace::numa);
  text += cores ? " on " + named("core", *cores) : " on several cores each";
  if (sockets) text += " of " + named("socket", *sockets);
  if (domains && (!sockets || *domains != *sockets)) text += ", " + named("NUMA domain", *domains);
  return text;
}

class Notes {
 public:
  Notes(std::span<const RankPlace> places, const Serving& serving)
      : places_(places), servers_(serving.servers), served_by_(serving.served_by) {
    std::vector<bool> are_servers(places.size());
    for (const Peer rank : servers_) are_servers[rank] = true;
    for (Peer rank = 0; rank < places.size(); ++rank) {
      Node& node = nodes_[places[rank].node];
      const bool serves = are_servers[rank];
      (serves ? node.servers : node.models).push_back(places[rank]);
      if (!serves) clients_.push_back(rank);
    }
  }

  PlacementNotes all(const ServerCount& asked) && {
    say_nodes();
    say_far_ranks();
    warn_of_shared_cores();
    warn_of_one_socket();
    if (asked.per_socket > 0) warn_of_unknown("socket", &RankPlace::socket);
    if (asked.per_numa > 0) warn_of_unknown("NUMA domain", &RankPlace::numa);
    return std::move(notes_);
  }

 private:
  struct Node {
    std::vector<RankPlace> models, servers;
  };

  static std::string node_text(const Node& node) {
    std::string text;
    if (!node.models.empty()) text += ranks_text("model rank", node.models);
    if (!node.models.empty() && !node.servers.empty()) text += "; ";
    return node.servers.empty() ? text : text + ranks_text("server", node.servers);
  }

  void say_nodes() {
    if (nodes_.size() == 1 && std::ranges::none_of(places_, &RankPlace::is_bound)) return;
    std::vector<std::pair<std::string, std::vector<Peer>>> kinds;  // by the lowest rank of the first of each
    std::map<std::string, std::size_t> kind_of;
    for (const auto& [lowest, node] : nodes_) {
      const auto [found, is_new] = kind_of.try_emplace(node_text(node), kinds.size());
      if (is_new) kinds.push_back({found->first, {}});
      kinds[found->second].second.push_back(lowest);
    }
    std::size_t others = 0;
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
      const auto& [text, nodes] = kinds[kind];
      const std::string example = "the node of rank " + std::to_string(nodes.front());
      if (kind >= kMostLines)
        others += nodes.size();
      else
        notes_.lines.push_back(
            "placement: " + (nodes.size() == 1 ? "" : std::to_string(nodes.size()) + " nodes such as ") +
            example + ": " + text);
    }
    if (others > 0) notes_.lines.push_back("placement: " + counted(others, "node") + " otherwise than these");
  }

  void say_far_ranks() {
    std::vector<ClientRank> far;
    for (ClientRank client = 0; client < clients_.size(); ++client) {
      const Peer server = servers_[served_by_[client]];
      if (places_[clients_[client]].node != places_[server].node) far.push_back(client);
    }
    if (far.empty()) return;
    notes_.lines.push_back("placement: the server of " + counted(far.size(), "model rank") +
                           " is on another node; the first is model rank " + std::to_string(far.front()));
  }

  void warn_of_shared_cores() {
    std::map<std::pair<Peer, std::int64_t>, ClientRank> on_core;  // the first model rank there
    for (ClientRank client = 0; client < clients_.size(); ++client) {
      const RankPlace& place = places_[clients_[client]];
      if (place.core != kUnknown) on_core.try_emplace({place.node, place.core}, client);
    }
    std::string example;
    std::size_t count = 0;
    for (ServerRank server = 0; server < servers_.size(); ++server) {
      const RankPlace& place = places_[servers_[server]];
      const auto found = on_core.find({place.node, place.core});
      if (found == on_core.end() || ++count > 1) continue;
      const std::int64_t other = places_[clients_[found->second]].processor;
      const bool are_threads = place.processor != kUnknown && other != kUnknown && place.processor != other;
      example = "server " + std::to_string(server) + " and model rank " + std::to_string(found->second) +
                " are bound to " + (are_threads ? "two hyper-threads of one core, " : "one core, ") +
                std::to_string(place.core) + " of the node of rank " + std::to_string(place.node);
    }
    if (count == 0) return;
    if (count > 1) example += ", and " + counted(count - 1, "other server") + " to one with a model rank too";
    notes_.warnings.push_back(example +
                              ": each takes the other's time; start fewer model ranks on a node, or bind the "
                              "servers to cores that are left (docs/placement.md)");
  }

  void warn_of_one_socket() {
    std::vector<Peer> such;
    for (const auto& [lowest, node] : nodes_) {
      const auto sockets = all_of(node.servers, &RankPlace::socket);
      if (node.servers.size() < 2 || !sockets || sockets->size() != 1) continue;
      if (known_of(node.models, &RankPlace::socket).size() > 1) such.push_back(lowest);
    }
    if (such.empty()) return;
    const Node& node = nodes_.at(such.front());
    notes_.warnings.push_back(
        "all " + counted(node.servers.size(), "server") + " of the node of rank " +
        std::to_string(such.front()) + " are on " +
        named("socket", known_of(node.servers, &RankPlace::socket)) + ", its model ranks on " +
        named("socket", known_of(node.models, &RankPlace::socket)) +
        (such.size() > 1 ? ", and so it is on " + counted(such.size() - 1, "other node") : "") +
        ": give each socket its servers, with per_socket in place of per_node, or where they are started "
        "(docs/placement.md)");
  }

  void warn_of_unknown(const std::string& what, std::int64_t RankPlace::*domain) {
    const auto is_unknown = [domain](const RankPlace& place) { return place.*domain == kUnknown; };
    const auto first = std::ranges::find_if(places_, is_unknown);
    if (first == places_.end()) return;
    const auto count = static_cast<std::size_t>(std::ranges::count_if(places_, is_unknown));
    notes_.warnings.push_back(
        "servers for every " + what + " are asked for, but that of " + counted(count, "rank") +
        " is not known, the first of which is rank " + std::to_string(first - places_.begin()) +
        ": among these, servers are so many on each node; bind ranks to the cores of one " + what +
        ", as with mpirun --bind-to core or srun --cpu-bind=cores");
  }

  std::span<const RankPlace> places_;
  std::span<const Peer> servers_;
  std::span<const ServerRank> served_by_;
  std::map<Peer, Node> nodes_;  ///< by the lowest rank
  std::vector<Peer> clients_;   ///< by ClientRank
  PlacementNotes notes_;
};

}  // namespace

PlacementNotes placement_notes(std::span<const RankPlace> places, const Serving& serving,
                               const ServerCount& asked) {
  return Notes(places, serving).all(asked);
}

}  // namespace pileus
