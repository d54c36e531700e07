#pragma once
// Peers that live in one process: threads, or servers and clients that take turns in one thread (attached
// mode, tests, the simulation). A message is handed over as it lies; nothing is copied.

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include "transport/endpoint.h"

namespace pileus {

class InProcessNetwork {
 public:
  explicit InProcessNetwork(Peer size);
  ~InProcessNetwork();

  /// The endpoint of one peer, for the one thread that owns it. It may outlive the network, as slots and
  /// messages may.
  /// Errors: UsageError if there is no such peer.
  /// REQUIRES: a peer has at most one endpoint at a time.
  std::unique_ptr<Endpoint> endpoint(Peer self);

  /// Which of the senders that have something waiting for `to` is received next: an index into `candidates`,
  /// of which there is at least one: those with urgent messages, rising, then those with others. Default: in
  /// turn, urgent ones first.
  /// REQUIRES: set before the endpoints are used; thread-safe if they are used by several threads.
  using Order = std::function<std::size_t(Peer to, std::span<const Peer> candidates)>;
  void set_order(Order order);

  /// How many metered messages of a pair may be on their way; default: as Budget has it.
  /// REQUIRES: set before the endpoints are used, and at least 1.
  void set_most_unreceived(std::size_t messages);

  /// What rest() of any endpoint does instead of waiting, for example lets other peers of the same thread go
  /// on. It is told who rests.
  /// REQUIRES: as set_order().
  using Rest = std::function<void(Peer resting)>;
  void set_rest(Rest rest);

 private:
  struct Shared;
  class LocalEndpoint;
  class LocalSlot;
  class LocalMessage;
  std::shared_ptr<Shared> shared_;
};

}  // namespace pileus
