#pragma once
// What is said of the placement of a run at its start: where its ranks are bound, and what is to be mended.

#include <span>
#include <string>
#include <vector>

#include "core/server_count.h"
#include "start/nearest_servers.h"
#include "start/rank_place.h"

namespace pileus {

/// Texts for the log, whose number is bounded whatever the number of nodes and ranks is.
struct PlacementNotes {
  std::vector<std::string> lines, warnings;
};

/// `serving`: of nearest_servers(). `asked`: how the servers were chosen; none of it set if they were not.
/// On a single node where nobody is bound there is nothing to say, but that `asked` cannot be had.
PlacementNotes placement_notes(std::span<const RankPlace> places, const Serving& serving,
                               const ServerCount& asked);

}  // namespace pileus
