#include "plan/tiling.h"

#include <algorithm>
#include <numeric>
#include <ranges>
#include <set>

namespace pileus::planning {
namespace {

bool overlap(const Region& a, const Region& b) {
  for (std::size_t d = 0; d < a.count.size(); ++d) {
    if (common(a.along(d), b.along(d)).is_empty()) return false;
  }
  return true;
}

/// The dimension in which the regions begin at the most places. Sorted along it, each region has the fewest
/// neighbours to compare.
std::size_t most_divided(const std::vector<const Region*>& regions) {
  std::size_t best = 0, most = 0;
  for (std::size_t d = 0; d < regions.front()->count.size(); ++d) {
    std::set<Index> starts;
    for (const Region* region : regions) starts.insert(region->start[d]);
    if (starts.size() > most) best = d;
    most = std::max(most, starts.size());
  }
  return best;
}

/// Appends the parts of `box` outside of `hole`, at most two for each dimension. REQUIRES: the two overlap.
void subtract(Region box, const Region& hole, std::vector<Region>& out) {
  for (std::size_t d = box.count.size(); d-- > 0;) {
    const Index box_end = box.start[d] + box.count[d], hole_end = hole.start[d] + hole.count[d];
    if (hole.start[d] > box.start[d]) {
      Region below = box;
      below.count[d] = hole.start[d] - box.start[d];
      out.push_back(std::move(below));
    }
    if (hole_end < box_end) {
      Region above = box;
      above.start[d] = hole_end;
      above.count[d] = box_end - hole_end;
      out.push_back(std::move(above));
    }
    box.start[d] = std::max(box.start[d], hole.start[d]);
    box.count[d] = std::min(box_end, hole_end) - box.start[d];
  }
}

bool begins_before(const Region& a, const Region& b) {
  return std::ranges::lexicographical_compare(std::views::reverse(a.start), std::views::reverse(b.start));
}

}  // namespace

std::optional<std::pair<std::size_t, std::size_t>> first_overlap(const std::vector<const Region*>& regions) {
  if (regions.empty()) return {};
  const std::size_t along = most_divided(regions);
  std::vector<std::size_t> order(regions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return regions[a]->start[along] < regions[b]->start[along];
  });

  std::optional<std::pair<std::size_t, std::size_t>> first;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Region& region = *regions[order[i]];
    if (region.size() == 0) continue;
    const Index end = region.start[along] + region.count[along];
    for (std::size_t j = i + 1; j < order.size() && regions[order[j]]->start[along] < end; ++j) {
      const Region& other = *regions[order[j]];
      if (other.size() == 0 || !overlap(region, other)) continue;
      const std::pair<std::size_t, std::size_t> pair = std::minmax(order[i], order[j]);
      if (!first || pair < *first) first = pair;
    }
  }
  return first;
}

std::vector<Region> gaps(const std::vector<const Region*>& regions, const std::vector<Index>& extents) {
  const Region all{std::vector<Index>(extents.size(), 0), extents};
  Index covered = 0;
  for (const Region* region : regions) covered += region->size();
  if (covered == all.size()) return {};

  std::vector<Region> left = {all};
  for (const Region* region : regions) {
    if (region->size() == 0) continue;
    std::vector<Region> next;
    for (Region& box : left) {
      if (overlap(box, *region)) {
        subtract(std::move(box), *region, next);
      } else {
        next.push_back(std::move(box));
      }
    }
    left = std::move(next);
  }
  std::sort(left.begin(), left.end(), begins_before);
  return left;
}

}  // namespace pileus::planning
