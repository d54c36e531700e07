#include "layout/target_places.h"

#include <algorithm>
#include <set>

#include "layout/metadata.h"

namespace pileus::planning {
namespace {

bool lies_on(const Variable& variable, const PlacedGrid& grid) {
  return std::ranges::all_of(grid.dimensions, [&](DimensionId id) {
    return std::ranges::find(variable.dimensions, id) != variable.dimensions.end();
  });
}

/// The names of latitude, longitude and their bounds.
struct Names {
  std::string latitude, longitude;
  std::string latitude_bounds() const { return latitude + "_bnds"; }
  std::string longitude_bounds() const { return longitude + "_bnds"; }
};

/// Those of the grid, behind its own name where others have them already.
Names free_names(const PlacesOfCells& places, const std::set<std::string>& taken) {
  for (std::string prefix;; prefix += places.grid + "_") {
    const Names names{prefix + places.latitude, prefix + places.longitude};
    if (!taken.contains(names.latitude) && !taken.contains(names.longitude) &&
        !taken.contains(names.latitude_bounds()) && !taken.contains(names.longitude_bounds()))
      return names;
  }
}

std::vector<PlannedPlaces> places_of(const PlacedGrid& grid, const Names& names) {
  const bool has_bounds = grid.places->corners > 0;
  const auto centre = [&](const std::string& name, const std::string& word, const std::string& units,
                          const std::string& bounds, CellPart part) {
    PlannedPlaces made{name, grid.dimensions, "", {}, grid.places, part};
    made.attributes = {{"standard_name", word}, {"long_name", word + " of the cell"}, {"units", units}};
    if (has_bounds) made.attributes.push_back({"bounds", bounds});
    return made;
  };
  std::vector<PlannedPlaces> all = {
      centre(names.latitude, "latitude", "degrees_north", names.latitude_bounds(), CellPart::latitude),
      centre(names.longitude, "longitude", "degrees_east", names.longitude_bounds(), CellPart::longitude)};
  if (!has_bounds) return all;
  const std::string corners = "corners_" + std::to_string(grid.places->corners);
  all.push_back(
      {names.latitude_bounds(), grid.dimensions, corners, {}, grid.places, CellPart::latitude_bounds});
  all.push_back(
      {names.longitude_bounds(), grid.dimensions, corners, {}, grid.places, CellPart::longitude_bounds});
  return all;
}

/// Numbers are written with all their bits, whatever is said of values.
Storage storage_of(const PlannedPlaces& places, const Draft& draft, const StorageConfig& said) {
  Index bytes = places.corners.empty() ? 8 : 8 * places.places->corners;
  for (const DimensionId id : places.dimensions) bytes *= draft.shapes.dimensions[id.index].size;
  Storage storage;
  if (bytes >= kSmallestPacked) storage.deflate = static_cast<int>(said.deflate.value_or(0));
  storage.is_shuffled = said.shuffle.value_or(true);
  return storage;
}

}  // namespace

void add_target_places(const Draft& draft, PlannedFile& file, const std::vector<Variable*>& variables,
                       const std::vector<std::string>& taken, const StorageConfig& storage) {
  std::set<std::string> names(taken.begin(), taken.end());
  for (const PlacedGrid& grid : draft.shapes.placed) {
    std::vector<Variable*> users;
    std::ranges::copy_if(variables, std::back_inserter(users),
                         [&](const Variable* variable) { return lies_on(*variable, grid); });
    if (users.empty()) continue;
    const Names found = free_names(*grid.places, names);
    for (Variable* variable : users) {
      const auto has = std::ranges::find(variable->attributes, "coordinates", &Attribute::name);
      if (has == variable->attributes.end())
        variable->attributes.push_back({"coordinates", found.latitude + " " + found.longitude});
    }
    for (PlannedPlaces& one : places_of(grid, found)) {
      names.insert(one.name);
      one.storage = storage_of(one, draft, storage);
      file.places.push_back(std::move(one));
    }
  }
}

}  // namespace pileus::planning
