#pragma once
// Which server a model rank hands its fields to. It follows from the places of all ranks alone, so that every
// rank finds the same, and decides about nothing that a file has.

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/ids.h"
#include "start/rank_place.h"

namespace pileus {

/// Who serves whom. Server 0 is that of model rank 0, whose steps are the clock of the run; the others rise.
struct Serving {
  std::vector<Peer> servers;          ///< by ServerRank
  std::vector<ServerRank> served_by;  ///< by ClientRank
  friend bool operator==(const Serving&, const Serving&) = default;
};

/// The server of a model rank is one of the rank's NUMA domain if there is one, or else of its socket,
/// of its node, of the job. The ranks for whom several are equally near are spread over these evenly,
/// neighbours together. On one node of which nothing is known they are the blocks of Layout.
/// `most`: model ranks of one server, if there are servers for all then; those that are too many go farther.
/// REQUIRES: `servers` rise, and are neither none nor all.
Serving nearest_servers(std::span<const RankPlace> places, std::span<const Peer> servers,
                        std::size_t most = std::numeric_limits<std::size_t>::max());

}  // namespace pileus
