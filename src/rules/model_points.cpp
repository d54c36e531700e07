#include "rules/model_points.h"

#include <algorithm>
#include <numeric>

#include "core/missing.h"
#include "plan/points.h"

namespace pileus::planning {
namespace {

constexpr Index kMostPoints = Index{1} << 60;

class PointsReader {
 public:
  PointsReader(const ModelRanks& model, const std::map<std::string, std::size_t>& dimensions,
               const std::vector<PlannedDimension>& sizes, Findings& findings)
      : model_(model), dimensions_(dimensions), sizes_(sizes), findings_(findings) {}

  std::vector<PlannedPoints> read() {
    for (std::size_t kind = 0; kind < model_.kind_count(); ++kind) {
      for (const ModelPoints& points : model_.kind(kind).points) read_one(points, model_.first_rank(kind));
    }
    return std::move(all_);
  }

 private:
  void read_one(const ModelPoints& points, std::size_t rank) {
    const std::string what = "points " + quoted(points.name);
    const auto [known, is_new] = first_.try_emplace(points.name, std::pair(points, rank));
    if (!is_new) {
      if (known->second.first != points)
        findings_.error({}, what + " have other dimensions, or may be shared otherwise," + on_rank(rank) +
                                " than" + on_rank(known->second.second));
      return;
    }
    PlannedPoints planned{points.name, {}, std::vector<Index>(model_.size(), -1), points.may_be_shared};
    for (const std::string& name : points.dimensions) {
      const auto dimension = dimensions_.find(name);
      const bool is_there = dimension != dimensions_.end();
      if (is_there) planned.dimensions.emplace_back(dimension->second);
      if (!is_there)
        findings_.error({}, what + " lie on the dimension " + quoted(name) + on_rank(rank) +
                                ", which the model does not register");
    }
    if (planned.dimensions.empty()) findings_.error({}, what + " lie on no dimension" + on_rank(rank));
    Index left = kMostPoints;
    for (const DimensionId id : planned.dimensions) left /= std::max<Index>(1, sizes_[id.index].size);
    if (left == 0) findings_.error({}, what + " are more than can be counted" + on_rank(rank));
    all_.push_back(std::move(planned));
  }

  const ModelRanks& model_;
  const std::map<std::string, std::size_t>& dimensions_;
  const std::vector<PlannedDimension>& sizes_;
  Findings& findings_;
  std::map<std::string, std::pair<ModelPoints, std::size_t>> first_;  ///< by name, with its rank
  std::vector<PlannedPoints> all_;
};

bool has(const std::vector<DimensionId>& dimensions, DimensionId id) {
  return std::ranges::find(dimensions, id) != dimensions.end();
}

Index size_of(const PlannedPoints& points, const std::vector<PlannedDimension>& dimensions) {
  Index size = 1;
  for (const DimensionId id : points.dimensions) size *= dimensions[id.index].size;
  return size;
}

/// How many points a rank hands over; with a sentence in `wrong` if its region is not right.
Index count_of(const PlannedPoints& points, const std::string& what, const std::vector<DimensionId>& all,
               const Region& region, const std::vector<PlannedDimension>& dimensions, std::string& wrong) {
  const auto first = std::ranges::search(all, points.dimensions);
  if (first.empty() || region.count.size() != all.size()) {
    wrong = what + " does not have the dimensions of the points " + quoted(points.name);
    return 0;
  }
  const auto axis = static_cast<std::size_t>(first.begin() - all.begin());
  const Index count = region.count[axis];
  for (std::size_t d = 0; d < all.size(); ++d) {
    const Index size = dimensions[all[d].index].size;
    const Index expected = d == axis ? count : has(points.dimensions, all[d]) ? 1 : size;
    if (region.start[d] == 0 && region.count[d] == expected) continue;
    wrong = what + " holds " + std::to_string(region.count[d]) + " of the " + std::to_string(size) +
            " elements of dimension " + quoted(dimensions[all[d].index].name) +
            "; a field on points has the whole of its other dimensions on every rank";
  }
  const Index most = size_of(points, dimensions);
  if (count < 0 || count > most)
    wrong = what + " holds " + std::to_string(count) + " of " + std::to_string(most) + " points " +
            quoted(points.name);
  return count;
}

}  // namespace

std::vector<PlannedPoints> read_points(const ModelRanks& model,
                                       const std::map<std::string, std::size_t>& dimensions,
                                       const std::vector<PlannedDimension>& sizes, Findings& findings) {
  return PointsReader(model, dimensions, sizes, findings).read();
}

std::string take_counts(PlannedPoints& points, const FieldOnPoints& field,
                        const std::vector<PlannedDimension>& dimensions) {
  Index all = 0;
  for (std::size_t rank = 0; rank < points.handed_over.size(); ++rank) {
    const std::string what = "field " + quoted(field.name) + on_rank(rank);
    std::string wrong;
    const Index count = count_of(points, what, field.dimensions, field.region(rank), dimensions, wrong);
    if (!wrong.empty()) return wrong;
    Index& known = points.handed_over[rank];
    if (known >= 0 && known != count)
      return what + " holds " + std::to_string(count) + " of the points " + quoted(points.name) +
             ", another field on them " + std::to_string(known);
    known = count;
    all = std::min(kMostPoints, all + count);  // of shared points there may be many
  }
  points.has_holes = points.may_be_shared || all < size_of(points, dimensions);
  return "";
}

RankRegions::Column dealt_column(const PlannedPoints& points,
                                 const std::vector<DimensionId>& field_dimensions,
                                 const std::vector<PlannedDimension>& dimensions) {
  const std::size_t ranks = points.handed_over.size();
  std::vector<Region> regions(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    for (const DimensionId id : field_dimensions) {
      const Index size = dimensions[id.index].size;
      if (id == points.dimensions.back()) {
        const IndexSet::Range part = dealt_part(size, rank, ranks);
        regions[rank].add({part.first, part.count});
      } else {
        regions[rank].add(IndexSet(0, size));
      }
    }
  }
  return std::make_shared<const RankColumn>(regions);
}

void warn_of_holes(const std::vector<PlannedPoints>& all, const std::vector<PlannedDimension>& dimensions,
                   Findings& findings) {
  for (const PlannedPoints& points : all) {
    if (!points.has_holes || points.may_be_shared) continue;
    const Index size = size_of(points, dimensions);
    const Index held = std::accumulate(points.handed_over.begin(), points.handed_over.end(), Index{0});
    findings.warning({}, "no model rank holds " + std::to_string(size - held) + " of the " +
                             std::to_string(size) + " points " + quoted(points.name) +
                             "; files have _FillValue there");
  }
}

/// Those of netCDF, but of long integers, of which a double does not hold it: the least instead.
std::optional<double> value_of_holes(ElementType type) {
  switch (type) {
    case ElementType::float64:
    case ElementType::float32: return kMissing;
    case ElementType::int32: return -0x1.fffffffcp+30;
    case ElementType::int64: return -0x1p63;
    default: return std::nullopt;
  }
}

}  // namespace pileus::planning
