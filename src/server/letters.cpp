#include "server/letters.h"

#include <algorithm>
#include <cstring>

#include "core/error.h"

namespace pileus {
namespace {

/// Frames between servers are bounded by what model ranks may send, and count as messages only.
constexpr Channel kBetweenServers = 1;

/// The first of each peer counts.
void index_peers(const std::vector<Peer>& peers, std::vector<std::optional<std::uint32_t>>& of_peer) {
  for (std::uint32_t rank = 0; rank < peers.size(); ++rank) {
    if (of_peer.size() <= peers[rank]) of_peer.resize(peers[rank] + 1);
    if (!of_peer[peers[rank]]) of_peer[peers[rank]] = rank;
  }
}

}  // namespace

Letters::Letters(const ServerSettings& settings, Endpoint& endpoint)
    : endpoint_(endpoint),
      self_(settings.self),
      clients_(settings.clients),
      servers_(settings.servers),
      held_(settings.servers.size()) {
  index_peers(clients_, client_of_peer_);
  index_peers(servers_, server_of_peer_);
  for (ServerRank server = 0; server < servers_.size(); ++server) {
    if (server != self_) endpoint_.set_budget(servers_[server], SIZE_MAX);
  }
}

void Letters::send_to_all(const Bytes& frame) {
  for (ServerRank server = 0; server < servers_.size(); ++server) outbox_.send(server, frame);
}

void Letters::send_to_client(ClientRank to, std::span<const std::byte> frame) {
  std::unique_ptr<Slot> slot = endpoint_.claim(clients_[to], kControl, frame.size());
  std::memcpy(slot->bytes().data(), frame.data(), frame.size());
  endpoint_.commit(std::move(slot));
}

/// The frame goes behind those before it, as a server that stands still must not fill the queues of MPI,
/// which this one needs for others; an urgent one goes behind the urgent ones alone. The frame stays as it is
/// where there is no memory for it.
void Letters::send_uncounted(ServerRank to, Bytes&& frame) {
  const bool passes = is_urgent(Decoder(frame).get<ServerFrame>());
  (passes ? held_[to].urgent : held_[to].others).push_back(std::move(frame));
  ++held_frames_;
}

bool Letters::send_held() {
  const std::size_t before = held_frames_;
  for (ServerRank to = 0; held_frames_ > 0 && to < held_.size(); ++to) {
    send_some(to, kUrgent, held_[to].urgent);
    send_some(to, kBetweenServers, held_[to].others);
  }
  return held_frames_ < before;
}

void Letters::send_some(ServerRank to, Channel channel, std::deque<Bytes>& frames) {
  for (; !frames.empty(); frames.pop_front(), --held_frames_) {
    std::unique_ptr<Slot> slot = endpoint_.claim(servers_[to], channel, frames.front().size());
    if (!slot) return;
    std::ranges::copy(frames.front(), slot->bytes().begin());
    endpoint_.commit(std::move(slot));
  }
}

bool Letters::send_waiting(const std::function<void(std::shared_ptr<const Bytes>)>& take_own) {
  if (outbox_.is_empty()) return send_held();
  std::deque<Outbox::Letter> letters = outbox_.take_all();
  const bool has_letters = !letters.empty();
  try {
    for (; !letters.empty(); letters.pop_front()) {
      auto& [to, frame] = letters.front();
      if (to == self_) {
        auto own = std::make_shared<const Bytes>(std::move(frame));
        ++sent_;
        take_own(std::move(own));
        continue;
      }
      const auto size = static_cast<std::int64_t>(frame.size());
      const auto kind = kind_index(Decoder(frame).get<ServerFrame>());
      send_uncounted(to, std::move(frame));
      ++sent_;
      to_servers_[kind] += {1, size};
    }
  } catch (...) {
    outbox_.put_back(std::move(letters));  // a lost one would be waited for at the end
    throw;
  }
  return send_held() || has_letters;
}

std::optional<ClientRank> Letters::client_of(Peer peer) const {
  return peer < client_of_peer_.size() ? client_of_peer_[peer] : std::nullopt;
}

ServerRank Letters::server_of(Peer peer) const {
  if (peer < server_of_peer_.size() && server_of_peer_[peer]) return *server_of_peer_[peer];
  throw TransportError("a message came from process " + std::to_string(peer) +
                       ", which is no part of the run");
}

}  // namespace pileus
