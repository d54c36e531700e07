#include "publishing/chunks/slabs.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace pileus {

bool is_in_slabs(const Plan& plan, VariableId id) {
  const Variable& variable = plan[id];
  const OnDisk& on_disk = plan[variable.file].on_disk;
  return on_disk.has_slabs(plan.layout.servers) && !variable.storage.compression.is_packed() &&
         plan[variable.value].spread == Spread::distributed;
}

std::vector<Region> slab_regions(const std::vector<Index>& extents, Index element_bytes, Index most,
                                 Index least_bytes) {
  const Region whole{std::vector<Index>(extents.size(), 0), extents};
  Index lacking = std::min(most, std::max<Index>(1, whole.size() * element_bytes / least_bytes));
  std::vector<Region> slabs = {whole};
  // Where a dimension is shorter than slabs are many, each of its slices is cut further.
  for (std::size_t d = extents.size(); d > 0 && lacking > 1; --d) {
    const Index size = extents[d - 1], bands = std::min(size, lacking);
    std::vector<Region> finer;
    for (const Region& slab : slabs) {
      for (Index band = 0; band < bands; ++band) {
        Region& cut = finer.emplace_back(slab);
        cut.start[d - 1] = size * band / bands;
        cut.count[d - 1] = size * (band + 1) / bands - cut.start[d - 1];
      }
    }
    slabs = std::move(finer);
    lacking = size < lacking ? lacking / std::max<Index>(1, size) : 1;
  }
  return slabs;
}

std::vector<ServerRank> SlabWriters::choose(const std::vector<Held>& slabs,
                                            const std::vector<ServerRank>& among, ServerRank owner) {
  std::vector<ServerRank> left = among, chosen;
  const auto count = static_cast<Index>(slabs.size()), servers = static_cast<Index>(written_.size());
  for (Index k = 0; k < count; ++k) {
    const Held& held = slabs[static_cast<std::size_t>(k)];
    const auto held_by = [&](ServerRank server) {
      const auto found = held.find(server);
      return found == held.end() ? 0 : found->second;
    };
    Index most = 0;
    for (const ServerRank server : left) most = std::max(most, held_by(server));
    const auto rank_of = [&](ServerRank server) {
      const Index place = std::abs((2 * k + 1) * servers - count * (2 * Index{server} + 1));
      const bool holds_little = held_by(server) < most - held_by(server);
      return std::tuple(holds_little, written_[server], server != owner, place, server);
    };
    const auto best = std::ranges::min_element(left, {}, rank_of);
    chosen.push_back(*best);
    left.erase(best);
  }
  return chosen;
}

}  // namespace pileus
