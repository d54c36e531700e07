#pragma once
// Values that all servers get: from the root where they were made down a tree of servers, and on each of them
// to the streams of its model ranks, whose steps wait for them.

#include <cstdint>
#include <vector>

#include "analytics/local_analysis.h"
#include "core/encoder.h"
#include "messaging/messages.h"
#include "messaging/tree_shape.h"
#include "plan/plan.h"
#include "streams/client_feed.h"

namespace pileus {

class Distributions {
 public:
  /// REQUIRES: what is passed outlives it; `feeds` has all of this server before the first call.
  Distributions(const Plan& plan, ServerRank self, Messages& messages, const ClientFeeds& feeds);

  /// The root of the distribution sends with this, on any thread.
  void send(std::size_t distribution, std::int64_t step, const BroadcastValues& values) const;
  /// A frame of the kind distribution. Errors: TransportError when the plan has no such values, or the server
  /// is not above this one.
  void take(ServerRank from, Decoder& in) const;

 private:
  BroadcastValues decode_values(Decoder& in) const;
  void pass_on(std::size_t distribution, const Bytes& frame) const;
  void hand_to_clients(std::int64_t step, const BroadcastValues& values) const;

  const Plan& plan_;
  Messages& messages_;
  const ClientFeeds& feeds_;
  std::vector<TreeSeat> seats_;  ///< of this server, by distribution
};

}  // namespace pileus
