#include "core/rank_regions.h"

#include <algorithm>
#include <limits>

namespace pileus {
namespace {

/// The count of a dimension that a region does not have.
constexpr Index kNone = std::numeric_limits<Index>::min();

std::vector<Region> all_of(const RankColumn& column) {
  std::vector<Region> regions;
  for (std::size_t rank = 0; rank < column.size(); ++rank) regions.push_back(column[rank]);
  return regions;
}

}  // namespace

RankColumn::RankColumn(const std::vector<Region>& regions) : ranks_(regions.size()) {
  for (const Region& region : regions) width_ = std::max(width_, region.count.size());
  numbers_.reserve(2 * width_ * ranks_);
  for (const Region& region : regions) {
    for (std::size_t d = 0; d < width_; ++d) {
      const bool has_it = d < region.count.size();
      numbers_.push_back(has_it ? region.start[d] : 0);
      numbers_.push_back(has_it ? region.count[d] : kNone);
    }
  }
}

Region RankColumn::operator[](std::size_t rank) const {
  Region region;
  const Index* number = numbers_.data() + 2 * width_ * rank;
  for (std::size_t d = 0; d < width_ && number[1] != kNone; ++d, number += 2)
    region.add({number[0], number[1]});
  return region;
}

RankRegions::RankRegions(const std::vector<std::vector<Region>>& regions) : ranks_(regions.size()) {
  for (std::size_t field = 0; ranks_ > 0 && field < regions.front().size(); ++field) {
    std::vector<Region> column;
    for (const std::vector<Region>& rank : regions) column.push_back(rank[field]);
    add(std::make_shared<const RankColumn>(column));
  }
}

void RankRegions::set(std::size_t rank, std::size_t field, const Region& region) {
  std::vector<Region> regions = all_of(*columns_[field]);
  regions[rank] = region;
  columns_[field] = std::make_shared<const RankColumn>(regions);
}

}  // namespace pileus
