// Halos: what is brought together for a rank's stream lies as its part does, wider by the halo, and is the
// result as it is.

#include "plan/held_regions.h"
#include "regrid/regridder.h"

namespace pileus {

/// Of a halo all places have the same elements of each point.
Regridder::SourcePlaces Regridder::source_places(RuleId rule, ClientRank from, ClientRank to) {
  const Known& known = this->known(rule);
  if (!known.is_halo) return {nullptr, known.others, part_layout(rule, from).places};
  const auto found = halo_layouts_.find({rule, to});
  if (found != halo_layouts_.end()) return {&found->second, 1, found->second.of_others()};
  const Extents extents = regions_of_client(plan_, to)[plan_[rule].output.index].count;
  const PointOffsets& offsets =
      halo_layouts_.emplace(std::pair(rule, to), PointOffsets(extents, known.how->axes)).first->second;
  return {&offsets, 1, offsets.of_others()};
}

/// What was put together is the result.
Sample Regridder::haloed(const std::shared_ptr<double[]>& sources, RuleId rule, const Key& key,
                         std::size_t own) const {
  struct Held {
    std::shared_ptr<double[]> numbers;
    std::shared_ptr<const void> step;
  };
  Extents extents = plan_.extents(plan_[rule].output);
  const std::vector<int>& axes = known(rule).how->axes;
  const Region& wide = directory_.stream(group_, parts_.clients[own]).wide;
  for (std::size_t a = 0; a < axes.size(); ++a) extents[static_cast<std::size_t>(axes[a])] = wide.count[a];
  const auto held = std::make_shared<const Held>(Held{sources, key.hold});
  const auto* const first = reinterpret_cast<const std::byte*>(sources.get());
  return Array{ElementType::float64, extents, std::shared_ptr<const std::byte>(held, first)};
}

}  // namespace pileus
