#pragma once
// What the model registered, held against what the configuration says: the shape of every field that is
// needed.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/model_ranks.h"
#include "core/rank_regions.h"
#include "core/regridding.h"
#include "rules/graph.h"

namespace pileus::planning {

struct FieldShape {
  ElementType wire_type = ElementType::float64;
  ElementType file_type = ElementType::float64;
  std::vector<DimensionId> dimensions;  ///< fastest first
  bool has_nameless_shape = false;
  std::vector<DimensionId> own_dimensions = {};  ///< those of a nameless shape to which the model gives names
  bool is_unknown = false;                       ///< without a model: an array without a size
  std::optional<std::uint32_t> points = {};      ///< index into Shapes::points: it is handed over on these
  std::optional<double> hole = {};               ///< what stands where nobody holds a point
};

/// Cells of a grid that values are regridded to, and that dimensions alone do not place.
struct PlacedGrid {
  std::vector<DimensionId> dimensions;  ///< fastest first
  std::shared_ptr<const PlacesOfCells> places;
};

struct Shapes {
  std::vector<PlannedDimension> dimensions;
  std::vector<FieldShape> fields;  ///< by field; only those of live fields mean anything
  std::vector<PlannedPoints> points;
  std::vector<PlacedGrid> placed;
  std::vector<std::vector<Region>> haloed;  ///< layouts of which halos are brought, by model rank
  RankRegions regions;                      ///< by model rank and field
  bool is_imagined = false;                 ///< without a model: sizes and regions mean nothing
  bool has_holes = false;                   ///< no rank holds some part of a distributed field
};

/// The size of every dimension whose size nobody knows.
inline constexpr Index kImaginedSize = 2;

/// Switches off what depends on fields that the model does not have. Optional ones: a warning that names the
/// chain. REQUIRES: liveness was marked as if all fields were there.
void switch_off_missing(Graph& graph, const ModelRanks& model, Findings& findings);

/// Errors: whatever contradicts the configuration or another rank; such fields are off.
Shapes read_shapes(Graph& graph, const std::vector<Spread>& spreads, const ModelRanks& model,
                   Findings& findings);

/// The shapes that the configuration's own sizes give, for checks without a model. Every dimension has two
/// elements.
Shapes imagine_shapes(const Graph& graph);

/// The type of "double", "float", "integer" or "integer64"; `otherwise` for what is not given.
ElementType type_of(const Text& data_type, ElementType otherwise);
constexpr bool is_integer(ElementType type) {
  return type == ElementType::int32 || type == ElementType::int64;
}

}  // namespace pileus::planning
