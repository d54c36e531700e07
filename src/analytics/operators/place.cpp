#include "analytics/operators/place.h"

namespace pileus::operators {

Unfolding unfolding_of(const Quantity& field, std::size_t wanted,
                       const std::function<bool(const Dimension&)>& is_reduced) {
  Unfolding unfolding;
  for (std::size_t d = 0; d < wanted; ++d) {
    const Dimension& dimension = field.dimensions[d];
    if (is_reduced(dimension) && dimension.size != kUnknownSize) unfolding.stride *= dimension.size;
  }
  if (field.dimensions[wanted].size != kUnknownSize) unfolding.size = field.dimensions[wanted].size;
  return unfolding;
}

std::vector<double> wanted_coordinates(const Rule& rule, const Dimension& dimension) {
  if (rule.text("as") != "coordinate" || dimension.size == kUnknownSize) return {};
  if (dimension.coordinates.empty())
    throw ParameterError("as", "the model gives no coordinates to \"" + dimension.name + "\"");
  return dimension.coordinates;
}

Parameter as_index_or_coordinate() {
  return {"as",    ParameterKind::word,     false,
          "index", {"index", "coordinate"}, "the global index, from 0, or the coordinate there"};
}

}  // namespace pileus::operators
