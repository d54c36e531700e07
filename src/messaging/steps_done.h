#pragma once
// What servers say of the steps of the clock, on its way to server 0: up the tree down which the clock comes.
// A server waits for the word of all below it, so that one message goes up where theirs came in.

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "core/encoder.h"
#include "core/ids.h"
#include "messaging/tree_shape.h"

namespace pileus {

/// So many steps in all a server holds nothing of any more, and so many its model ranks have handed over.
struct StepsDone {
  ServerRank server = 0;
  std::uint64_t done = 0, arrived = 0;

  static constexpr std::size_t kEncodedBytes = sizeof(ServerRank) + 2 * sizeof(std::uint64_t);
};

/// The frame of kind steps_done. Bytes: 12, and 20 a server.
Bytes encode_steps_done(std::span<const StepsDone> news);

/// What one server has heard and not passed on: of each server the most that it has said.
class StepsDoneNews {
 public:
  StepsDoneNews(ServerRank servers, ServerRank self);

  /// Takes the word of a server below this one, for itself and for those below it. A frame that is
  /// wrong is not taken at all. Errors: TransportError where it is not below, or speaks for others.
  void take(ServerRank from, Decoder& in);
  void add(const StepsDone& news);
  /// Whether it is time to pass it on: all have spoken; or one did for the second time while others are
  /// silent, here or at a server below, which then does not wait for them again.
  bool is_due() const { return by_server_.size() == speakers_ || !may_wait_; }
  bool is_empty() const { return by_server_.empty(); }
  /// By server.
  std::vector<StepsDone> all() const;
  void clear();

 private:
  ServerRank servers_ = 1;  ///< of the run
  TreeSeat seat_;
  std::size_t speakers_ = 1;  ///< this one and all below it
  std::map<ServerRank, StepsDone> by_server_;
  bool may_wait_ = true;
};

}  // namespace pileus
