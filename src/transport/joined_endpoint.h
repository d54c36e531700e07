#pragma once
// Two worlds of peers as one: a rank that hosts a server reaches its own model rank within the process, and
// the other servers by MPI.

#include <memory>

#include "transport/endpoint.h"

namespace pileus {

/// The peers of `wide` keep their numbers; that of `narrow` whom this endpoint talks to comes as one more.
struct JoinedPeers {
  Peer inside_narrow = 0;  ///< its number there
  Peer outside = 0;        ///< its number here, above those of `wide`
};

/// REQUIRES: both outlive it, and their slots and messages keep what Endpoint promises.
std::unique_ptr<Endpoint> join_endpoints(Endpoint& wide, Endpoint& narrow, JoinedPeers peers);

}  // namespace pileus
