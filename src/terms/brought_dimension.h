#pragma once
// Dimensions that the model does not have and operators bring.

#include <optional>
#include <string>
#include <vector>

#include "core/catalogue.h"
#include "rules/model_shapes.h"
#include "terms/terms.h"

namespace pileus::planning {

/// The dimension of that name, new or known; empty where there is another of the name, and `why` says so.
std::optional<DimensionId> brought_dimension(const operators::Dimension& wanted, Shapes& shapes,
                                             std::string& why);
/// What is wrong with a result that an operator declares, or "".
std::string problem_of_result(const operators::Prepared& prepared, bool is_imagined);
/// Both ends of each element, if there are some.
void put_bounds(PlannedDimension& dimension, std::vector<double> bounds);
/// A dimension with some of the coordinates of another one, in its units, is a part of it: what is known of
/// that holds for it too.
void describe_part(Shapes& shapes, DimensionId made, const std::vector<DimensionId>& others);
/// What a configuration can do about it, behind a ";", if anything.
std::string way_to_another_name(const Declaration& declaration);

/// The dimensions of what is regridded, with those that this brings, and what it knows of them; empty where
/// they cannot be, and `why` says so. Coordinates of blocks are what those of their elements are.
std::optional<std::vector<DimensionId>> regridded_dimensions(const Term& operand, const Regridding& how,
                                                             Shapes& shapes, std::string& why);

}  // namespace pileus::planning
