#pragma once
// Places: rules that find where something is get a linear index over several dimensions, and give the index
// or coordinate in one of them.

#include <functional>
#include <vector>

#include "pileus/operator.hpp"

namespace pileus::operators {

/// The index in one dimension out of a linear one over several.
struct Unfolding {
  Index stride = 1, size = 1;
  double operator()(double linear) const {
    return static_cast<double>(static_cast<Index>(linear) / stride % size);
  }
};

/// Unfolds dimension number `wanted` of the field; `is_reduced`: by dimension, whether the linear index
/// counts it. Sizes that nobody knows yet count as 1.
Unfolding unfolding_of(const Quantity& field, std::size_t wanted,
                       const std::function<bool(const Dimension&)>& is_reduced);

/// The coordinates that the parameter "as" asks for; none where it wants the index, or where nobody knows
/// them yet. Errors: ParameterError where the model gives none.
std::vector<double> wanted_coordinates(const Rule& rule, const Dimension& dimension);

/// "as": whether a place is given as an index or as a coordinate.
Parameter as_index_or_coordinate();

/// REQUIRES: the index is that of a place in the dimension that the coordinates are of.
inline double as_wanted(double index, const std::vector<double>& coordinates) {
  return coordinates.empty() ? index : coordinates[static_cast<std::size_t>(index)];
}

}  // namespace pileus::operators
