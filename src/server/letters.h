#pragma once
// Frames on their way from this server to others and to its clients. Any thread may put one in for a server;
// the server's lane, which alone may use the endpoint, sends them, and counts what goes between servers.

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/ids.h"
#include "messaging/frames.h"
#include "server/outbox.h"
#include "server/server.h"
#include "transport/endpoint.h"

namespace pileus {

class Letters : public Messages {
 public:
  /// REQUIRES: the endpoint outlives it.
  Letters(const ServerSettings& settings, Endpoint& endpoint);

  void send(ServerRank to, Bytes frame) override { outbox_.send(to, std::move(frame)); }
  void send_to_all(const Bytes& frame);

  /// The lane alone makes the calls that follow. This one sends a frame of a wave, which goes behind the
  /// others and is not counted.
  void send_uncounted(ServerRank to, Bytes&& frame);
  void send_to_client(ClientRank to, std::span<const std::byte> frame);
  /// Sends what waits and can go. This server's own letters go to `take_own`, which throws nothing. True when
  /// there was anything to send.
  bool send_waiting(const std::function<void(std::shared_ptr<const Bytes>)>& take_own);
  /// Sends to servers that did not receive. True when any frame has gone.
  bool send_held();
  /// The next message, if one has come.
  std::shared_ptr<const Message> receive() { return endpoint_.receive(); }
  /// A frame of another server, or of this one, that is no wave.
  void count_received() { ++received_; }

  bool is_empty() const { return outbox_.is_empty() && held_frames_ == 0; }
  /// Tells whether everything has left, messages to clients too.
  bool has_all_left() const { return held_frames_ == 0 && endpoint_.is_all_sent(); }
  /// Frames between servers that are no waves.
  std::uint64_t sent() const { return sent_; }
  std::uint64_t received() const { return received_; }
  /// The frames sent to other servers.
  const TrafficByKind& to_servers() const { return to_servers_; }

  /// The client of this server behind a peer; none: the peer is no client of it.
  std::optional<ClientRank> client_of(Peer peer) const;
  /// Errors: TransportError when it is no server.
  ServerRank server_of(Peer peer) const;

 private:
  Endpoint& endpoint_;
  ServerRank self_;
  std::vector<Peer> clients_, servers_;                    ///< by rank
  std::vector<std::optional<ClientRank>> client_of_peer_;  ///< no more than the greatest of them
  std::vector<std::optional<ServerRank>> server_of_peer_;  ///< likewise
  Outbox outbox_;
  /// Frames for a server that are not sent, as it does not receive what was.
  struct Held {
    std::deque<Bytes> urgent, others;
  };
  void send_some(ServerRank to, Channel channel, std::deque<Bytes>& frames);

  std::vector<Held> held_;  ///< by server
  std::size_t held_frames_ = 0;
  std::uint64_t sent_ = 0, received_ = 0;
  TrafficByKind to_servers_ = {};
};

inline Bytes text_frame(auto kind, std::string_view text) {
  Bytes frame;
  Encoder out(frame);
  out.put(kind);
  out.put(text);
  return frame;
}

inline Bytes bare_frame(ServerFrame kind) {
  Bytes frame;
  Encoder(frame).put(kind);
  return frame;
}

}  // namespace pileus
