#include "config/schema/grid_schema.h"

#include "config/schema/grid_mappings.h"

namespace pileus {
namespace {

using Kind = ValueKind;

AttributeSchema attribute(std::string name, Kind kind, std::string help, bool is_required = false) {
  return {std::move(name), kind, is_required, "", std::move(help)};
}

ElementSchema grid() {
  return {
      "grid",
      "io-configuration",
      "where the points of some dimensions lie, by names of static fields",
      {attribute("name", Kind::name, "name of the grid, for grid of a field", true),
       attribute("dimensions", Kind::names, "its dimensions, in any order, for example \"y,x\""),
       attribute("latitude", Kind::reference, "field with the latitude of each point"),
       attribute("longitude", Kind::reference, "field with the longitude of each point"),
       attribute("latitude_bounds", Kind::reference,
                 "field with the latitudes of each cell's corners, which are its fastest dimension"),
       attribute("longitude_bounds", Kind::reference, "the longitudes likewise"),
       attribute("area", Kind::reference, "field with the area of each cell"),
       attribute("mask", Kind::reference, "field of whole numbers, 0 where nothing is"),
       attribute("grid_mapping", Kind::reference, "name of the <grid_mapping> of a projection"),
       attribute("face_nodes", Kind::reference,
                 "of a mesh: field with the numbers of each cell's nodes, counterclockwise, which are its "
                 "fastest dimension"),
       attribute("node_latitude", Kind::reference, "of a mesh: field with the latitude of each node"),
       attribute("node_longitude", Kind::reference, "of a mesh: field with the longitude of each node"),
       {"start_index", Kind::word, false, "", "of a mesh: number of its first node", {"0", "1"}},
       attribute("mesh", Kind::reference, "the grid whose cells have these points as their nodes"),
       attribute("cells", Kind::text,
                 "in place of these, of a grid that values are regridded to: \"r360x180\""),
       attribute("file", Kind::text,
                 "or the netCDF file that has the cells of that grid (CF, SCRIP, UGRID), or a table of "
                 "stations (.csv)")}};
}

ValueKind kind_of(MappingValue value) {
  switch (value) {
    case MappingValue::text: return Kind::text;
    case MappingValue::axis: return Kind::word;
    case MappingValue::parallels:
    case MappingValue::datum_shift: return Kind::numbers;
    default: return Kind::number;
  }
}

ElementSchema mapping() {
  std::vector<std::string> names;
  for (const GridMapping& one : grid_mappings()) names.push_back(one.name);
  ElementSchema element{
      "grid_mapping",
      "io-configuration",
      "how coordinates of a projection belong to latitudes and longitudes",
      {attribute("name", Kind::name, "of its variable in files, for grid_mapping of a grid", true),
       {"grid_mapping_name", Kind::word, true, "", "in the words of CF", names}}};
  for (const MappingParameter& one : mapping_parameters()) {
    const bool is_axis = one.value == MappingValue::axis;
    element.attributes.push_back({one.name, kind_of(one.value), false, "", one.help,
                                  is_axis ? std::vector<std::string>{"x", "y"} : std::vector<std::string>()});
  }
  return element;
}

}  // namespace

std::vector<ElementSchema> grid_elements() { return {grid(), mapping()}; }

}  // namespace pileus
