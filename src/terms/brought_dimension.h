#pragma once
// Dimensions that the model does not have and operators bring.

#include <optional>
#include <string>

#include "core/catalogue.h"
#include "rules/model_shapes.h"

namespace pileus::planning {

/// The dimension of that name, new or known; empty where there is another of the name, and `why` says so.
std::optional<DimensionId> brought_dimension(const operators::Dimension& wanted, Shapes& shapes,
                                             std::string& why);
/// What a configuration can do about it, behind a ";", if anything.
std::string way_to_another_name(const Declaration& declaration);

/// Notes what a regridding knows of a dimension that it brings.
void describe(PlannedDimension& dimension, const RegridDimension& brought);

}  // namespace pileus::planning
