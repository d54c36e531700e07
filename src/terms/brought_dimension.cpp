#include "terms/brought_dimension.h"

#include <algorithm>

namespace pileus::planning {

std::optional<DimensionId> brought_dimension(const operators::Dimension& wanted, Shapes& shapes,
                                             std::string& why) {
  for (std::size_t i = 0; i < shapes.dimensions.size(); ++i) {
    const PlannedDimension& known = shapes.dimensions[i];
    if (known.name != wanted.name) continue;
    const bool is_same =
        known.size == wanted.size && known.coordinates == wanted.coordinates && known.units == wanted.units;
    if (is_same || shapes.is_imagined) return DimensionId(i);
    why = "its dimension \"" + wanted.name + "\" would have the size " + std::to_string(wanted.size) +
          ", but there is another of that name, of size " + std::to_string(known.size) +
          (known.size == wanted.size ? " with other coordinates" : "");
    return {};
  }
  const Index size = shapes.is_imagined ? std::max<Index>(wanted.size, kImaginedSize) : wanted.size;
  shapes.dimensions.push_back({wanted.name, size, wanted.coordinates, wanted.units});
  return DimensionId(shapes.dimensions.size() - 1);
}

std::string way_to_another_name(const Declaration& declaration) {
  if (declaration.kind == RuleKind::regrid && declaration.name == "regrid")
    return "; name those of the other grid: <grid name=\"...\" cells=\"...\" dimensions=\"...\"/>";
  const auto& parameters = declaration.parameters;
  const bool names_levels =
      std::ranges::find(parameters, "levels", &ParameterDeclaration::name) != parameters.end();
  return names_levels ? "; name it by \"levels\"" : "";
}

void describe(PlannedDimension& dimension, const RegridDimension& brought) {
  if (!brought.bounds.empty()) dimension.bounds = brought.bounds;
  if (!brought.standard_name.empty()) dimension.standard_name = brought.standard_name;
  if (!brought.axis.empty()) dimension.axis = brought.axis;
}

}  // namespace pileus::planning
