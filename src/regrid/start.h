#pragma once
// How a server learns before the first step what others need of its model ranks for regriddings.

#include <deque>
#include <memory>
#include <utility>

#include "messaging/messages.h"
#include "regrid/directory.h"

namespace pileus {

class RegridStart {
 public:
  /// The Plan is there: finds what this server's streams need, and tells the others. REQUIRES: the plan
  /// outlives the directory. Errors: UsageError if links cannot be had.
  void begin(const Plan& plan, ServerRank self, const ReadWeights& read, Messages& messages);
  /// A frame of the kind regrid_directory, also one that comes before begin(). Errors: TransportError.
  void take(ServerRank from, Decoder& in);
  bool is_complete() const { return directory_ && directory_->is_complete(); }
  /// REQUIRES: begin(). Null where nothing is regridded.
  std::shared_ptr<RegridDirectory> directory() const {
    return directory_->is_needed() ? directory_ : nullptr;
  }

 private:
  std::deque<std::pair<ServerRank, Bytes>> early_;
  std::shared_ptr<RegridDirectory> directory_;
};

}  // namespace pileus
