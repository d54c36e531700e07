#pragma once
// Who hands over which points, as one server has to know it: where each part of what its model ranks hand
// over goes, and to which places of their ranges that goes which comes for its own streams. Each server knows
// the points of its ranks and those of its ranges, and no others.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/index_ranges.h"
#include "plan/plan.h"

namespace pileus {

/// A part of what a model rank hands over that goes to one stream: its points from `first` on, in the order
/// of their numbers.
struct PointSlice {
  ClientRank to = 0;
  Index first = 0, count = 0;
};

/// Points that come one behind the other, and where they go in a stream's range; where another rank's count,
/// `to` is ~ of the place, and so below 0.
struct PointRun {
  Index to = 0, count = 0;
  bool counts() const { return to >= 0; }
  Index place() const { return counts() ? to : ~to; }
};

/// What comes of one rank for one stream of this server.
struct PointsFor {
  ClientRank from = 0, to = 0;
  Index count = 0;
  std::vector<PointRun> runs;
};

class PointDirectory {
 public:
  /// REQUIRES: the plan outlives it.
  PointDirectory(const Plan& plan, ServerRank self);

  /// Whether any field of the plan lies on points.
  bool is_needed() const { return is_needed_; }
  /// What a model rank of this server holds of some points: ranges as core/index_ranges.h writes them.
  /// Errors: TransportError if they are not as many as it registered.
  void add(ClientRank client, std::uint32_t points, Decoder& in);
  /// Another server has said which points of its ranks belong here. Errors: TransportError if that cannot be.
  void take(ServerRank from, Decoder& in);
  /// What is to be said to each server that has model ranks, this one too; nothing where this one has none.
  /// REQUIRES: all ranks were added.
  std::vector<std::pair<ServerRank, Bytes>> frames();
  /// Every server has said what belongs here.
  bool is_complete() const { return waits_for_ == 0; }
  /// Finds the points that several ranks hold. REQUIRES: it is complete. Returns what is wrong, or "".
  std::string finish();

  /// By the servers that they go to; each sorted by its streams. REQUIRES: a model rank of this server.
  using Slices = std::map<ServerRank, std::vector<PointSlice>>;
  const Slices& slices(std::uint32_t points, ClientRank from) const;
  /// Sorted by `from` and `to`.
  const std::vector<PointsFor>& incoming(std::uint32_t points) const { return incoming_[points]; }
  /// What comes of one rank, sorted by the streams that get it.
  std::pair<const PointsFor*, const PointsFor*> incoming(std::uint32_t points, ClientRank from) const;

 private:
  void cut(ClientRank client, std::uint32_t points, const IndexRanges& held);
  std::string first_double(std::uint32_t points);
  std::string text_of_point(std::uint32_t points, Index index) const;

  const Plan& plan_;
  ServerRank self_;
  bool is_needed_ = false;
  std::size_t waits_for_ = 0;                         ///< servers
  std::vector<bool> has_said_;                        ///< by server
  std::vector<ServerRank> servers_;                   ///< those with model ranks
  std::vector<std::map<ClientRank, Slices>> slices_;  ///< by points
  std::vector<std::vector<PointsFor>> incoming_;      ///< by points
  std::map<ServerRank, Bytes> frames_;
};

}  // namespace pileus
