#pragma once
// Points of which each model rank hands over some, as the ranks registered them, and where fields on them lie
// for everything behind the hand-over.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/model_ranks.h"
#include "plan/plan.h"
#include "rules/graph.h"

namespace pileus::planning {

/// For messages.
inline constexpr const char* kPartsOfPoints =
    " lies on points, of which each rank holds some: declare it collective=\"true\"";
inline constexpr const char* kNoTruth =
    " holds truth values, and some points may be nobody's, which no truth value says: hand it over as whole "
    "numbers";
inline std::string on_rank(std::size_t rank) { return " on model rank " + std::to_string(rank); }

/// What the ranks registered, without counts. `dimensions`: by name; `sizes`: by id.
/// Errors: points that are not the same on every rank, or lie on unknown dimensions.
std::vector<PlannedPoints> read_points(const ModelRanks& model,
                                       const std::map<std::string, std::size_t>& dimensions,
                                       const std::vector<PlannedDimension>& sizes, Findings& findings);

/// A field on points, as the ranks registered it.
struct FieldOnPoints {
  std::string name;
  const std::vector<DimensionId>& dimensions;
  std::function<Region(std::size_t rank)> region;
};
/// Notes how many points each rank hands over, and whether some may be nobody's. `dimensions`: by id. Returns
/// a sentence about what is wrong, or "".
std::string take_counts(PlannedPoints& points, const FieldOnPoints& field,
                        const std::vector<PlannedDimension>& dimensions);

/// What each rank's stream gets of a field on points: equal parts of the slowest of their dimensions, in the
/// order of the ranks.
RankRegions::Column dealt_column(const PlannedPoints& points,
                                 const std::vector<DimensionId>& field_dimensions,
                                 const std::vector<PlannedDimension>& dimensions);

/// Says how many points of each set that is used are nobody's, where that can be known.
void warn_of_holes(const std::vector<PlannedPoints>& all, const std::vector<PlannedDimension>& dimensions,
                   Findings& findings);

/// What stands where nobody holds a point, if the configuration gives no missing_value; none for truth
/// values.
std::optional<double> value_of_holes(ElementType type);

}  // namespace pileus::planning
