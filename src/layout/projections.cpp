#include "layout/projections.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "config/schema/grid_mappings.h"
#include "layout/metadata.h"

namespace pileus::planning {
namespace {

/// Whether coordinates may be in these units. What the word of a unit does not show is believed.
bool are_units_of(const GridMapping& kind, std::string_view units) {
  constexpr std::array<std::string_view, 8> kLengths = {"m",      "metre", "metres", "meter",
                                                        "meters", "ft",    "foot",   "feet"};
  const bool is_angle = units.find("degree") != units.npos || units.find("rad") != units.npos;
  if (kind.units == "radian") return is_angle;
  if (kind.units == "m")
    return !is_angle && std::ranges::any_of(kLengths, [&](auto word) { return units.ends_with(word); });
  return units.starts_with("degree");
}

class Projection {
 public:
  Projection(Draft& draft, const Grid& grid, const GridMapping& kind, Findings& findings)
      : draft_(draft), grid_(*grid.config), kind_(kind), findings_(findings) {}

  void describe() {
    if (grid_.dimensions.size() != 2)
      return refuse("the coordinates of " + kind_.name + " lie along two dimensions, and this grid has " +
                    std::to_string(grid_.dimensions.size()));
    std::array<PlannedDimension*, 2> found = {};
    for (std::size_t i = 0; i < found.size(); ++i) found[i] = find(grid_.dimensions[i].value);
    if (!found[0] || !found[1]) return;  // the fields of the grid do not have it, which is reported there
    if (axis_of(*found[0]) == 'Y') std::swap(found[0], found[1]);
    if (axis_of(*found[0]) != 'X' || axis_of(*found[1]) != 'Y')
      return refuse("which of its dimensions " + quoted(grid_.dimensions[0].value) + " and " +
                    quoted(grid_.dimensions[1].value) +
                    " runs along x? Say axis=\"X\" and axis=\"Y\" at their <dimension>");
    describe_dimension(*found[0], "X", kind_.x);
    describe_dimension(*found[1], "Y", kind_.y);
  }

 private:
  PlannedDimension* find(const std::string& name) {
    const auto found = std::ranges::find(draft_.shapes.dimensions, name, &PlannedDimension::name);
    return found == draft_.shapes.dimensions.end() ? nullptr : &*found;
  }

  void refuse(const std::string& why) {
    report(findings_, grid_.grid_mapping.where,
           "grid " + quoted(grid_.name.value) + " with grid_mapping " + quoted(grid_.grid_mapping.value) +
               ": " + why);
  }

  void describe_dimension(PlannedDimension& dimension, const char* axis, const std::string& name) {
    const std::string what = "its dimension " + quoted(dimension.name);
    if (!dimension.standard_name.empty() && dimension.standard_name != name)
      return refuse(what + " has the standard_name " + quoted(dimension.standard_name) + ", and " +
                    kind_.name + " has " + quoted(name));
    dimension.standard_name = name;
    dimension.axis = axis;
    if (!dimension.units.empty() && !are_units_of(kind_, dimension.units))
      return refuse(what + " has the units " + quoted(dimension.units) + ", and " + kind_.name +
                    " has coordinates in units such as " + quoted(kind_.units));
    if (draft_.shapes.is_imagined) return;
    if (dimension.coordinates.empty())
      return refuse(what +
                    " has no coordinates, which the projection is of; the model gives them, or remove "
                    "grid_mapping");
    if (dimension.units.empty() && name.starts_with("grid_")) dimension.units = kind_.units;
    if (dimension.units.empty())
      refuse(what + " has no units; the model gives them, or units=" + quoted(kind_.units) +
             " at its <dimension>");
  }

  Draft& draft_;
  const GridConfig& grid_;
  const GridMapping& kind_;
  Findings& findings_;
};

/// Whether the shapes of something on the grid mean anything.
bool is_needed(const Draft& draft, std::size_t grid) {
  for (NodeIndex node = 0; node < draft.graph.field_count; ++node) {
    const Node& field = draft.graph.nodes[node];
    const bool is_known = draft.shapes.is_imagined || (field.is_live && !field.is_off);
    if (is_known && draft.grids.of_nodes[node].contains(grid)) return true;
  }
  return false;
}

}  // namespace

void describe_projections(Draft& draft, Findings& findings) {
  for (std::size_t number = 0; number < draft.grids.all.size(); ++number) {
    const Grid& grid = draft.grids.all[number];
    if (grid.mapping == nullptr || !is_needed(draft, number)) continue;
    const GridMapping* const kind = find_grid_mapping(grid.mapping->kind.value);
    const bool is_plain = kind == nullptr || kind->x == "longitude";  // whose coordinates say it themselves
    if (!is_plain) Projection(draft, grid, *kind, findings).describe();
  }
}

}  // namespace pileus::planning
