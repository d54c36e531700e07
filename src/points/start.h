#pragma once
// How a server learns before the first step which points of its model ranks and its streams are whose: ranks
// tell it theirs, and servers tell each other which of these belong to them.

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/model_ranks.h"
#include "messaging/messages.h"
#include "points/directory.h"

namespace pileus {

class PointStart {
 public:
  /// A frame of a model rank of this server, behind its kind. Order: before begin().
  /// Errors: TransportError if it says the same twice.
  void keep(ClientRank client, Decoder& in);
  /// The Plan is there: tells other servers what belongs to them. REQUIRES: the plan outlives the directory.
  /// Errors: TransportError if a rank does not hold what it registered.
  void begin(const Plan& plan, const ModelRanks& model, ServerRank self, Messages& messages);
  /// A frame of the kind point_directory, also one that comes before begin(). Errors: TransportError.
  void take(ServerRank from, Decoder& in);

  /// All has come since this was asked last: true once.
  bool has_completed();
  /// REQUIRES: it has completed. Returns what is wrong with the points, or "".
  std::string finish() { return directory_->finish(); }
  /// REQUIRES: begin(). Null where no field lies on points.
  std::shared_ptr<const PointDirectory> directory() const {
    return directory_->is_needed() ? directory_ : nullptr;
  }

 private:
  /// Of one rank, by its own number of the points.
  using Kept = std::map<std::uint32_t, Bytes>;

  std::map<ClientRank, Kept> kept_;  ///< until begin()
  std::deque<std::pair<ServerRank, Bytes>> early_;
  std::shared_ptr<PointDirectory> directory_;
  bool was_complete_ = false;
};

}  // namespace pileus
