#include "layout/target_places.h"

#include <algorithm>
#include <set>

#include "layout/metadata.h"
#include "layout/storage/storage.h"

namespace pileus::planning {
namespace {

bool lies_on(const Variable& variable, const PlacedGrid& grid) {
  return std::ranges::all_of(grid.dimensions, [&](DimensionId id) {
    return std::ranges::find(variable.dimensions, id) != variable.dimensions.end();
  });
}

/// The names of a grid's variables, behind its own name where others have them already.
class Names {
 public:
  Names(const PlacesOfCells& places, const std::set<std::string>& taken) : places_(places) {
    const auto is_taken = [&](const std::string& name) { return taken.contains(name); };
    while (std::ranges::any_of(all(), is_taken)) prefix_ += places.grid + "_";
  }

  std::string latitude() const { return prefix_ + places_.latitude; }
  std::string longitude() const { return prefix_ + places_.longitude; }
  std::string latitude_bounds() const { return latitude() + "_bnds"; }
  std::string longitude_bounds() const { return longitude() + "_bnds"; }
  std::string altitude() const { return prefix_ + places_.altitude; }
  std::string name() const { return prefix_ + places_.name; }
  /// Those that say where cells lie, as an attribute lists them.
  std::string coordinates() const {
    std::string list = latitude() + " " + longitude();
    if (!places_.altitude.empty()) list += " " + altitude();
    if (!places_.name.empty()) list += " " + name();
    return list;
  }

 private:
  std::vector<std::string> all() const {
    return {latitude(), longitude(), latitude_bounds(), longitude_bounds(), altitude(), name()};
  }

  const PlacesOfCells& places_;
  std::string prefix_;
};

class PlacesOfGrid {
 public:
  PlacesOfGrid(const PlacedGrid& grid, const Names& names) : grid_(grid), names_(names) {}

  std::vector<PlannedPlaces> all() {
    const PlacesOfCells& places = *grid_.places;
    if (places.plane_units) {
      on_plane(names_.latitude(), places.latitude, 0, CellPart::latitude);
      on_plane(names_.longitude(), places.longitude, 1, CellPart::longitude);
    } else {
      on_sphere(names_.latitude(), "latitude", "degrees_north", names_.latitude_bounds(), CellPart::latitude);
      on_sphere(names_.longitude(), "longitude", "degrees_east", names_.longitude_bounds(),
                CellPart::longitude);
    }
    if (places.corners > 0) {
      bounds(names_.latitude_bounds(), CellPart::latitude_bounds);
      bounds(names_.longitude_bounds(), CellPart::longitude_bounds);
    }
    if (!places.altitude.empty()) {
      add(names_.altitude(), CellPart::altitude).attributes = {{"standard_name", "altitude"},
                                                               {"long_name", "altitude of the station"},
                                                               {"units", "m"},
                                                               {"positive", "up"}};
    }
    if (!places.name.empty()) add_name();
    return std::move(all_);
  }

 private:
  PlannedPlaces& add(const std::string& name, CellPart part) {
    return all_.emplace_back(PlannedPlaces{name, grid_.dimensions, "", {}, grid_.places, part});
  }
  void on_sphere(const std::string& name, const std::string& word, const std::string& units,
                 const std::string& bounds, CellPart part) {
    PlannedPlaces& made = add(name, part);
    made.attributes = {{"standard_name", word}, {"long_name", word + " of the cell"}, {"units", units}};
    if (grid_.places->corners > 0) made.attributes.push_back({"bounds", bounds});
  }
  void on_plane(const std::string& name, const std::string& word, std::size_t which, CellPart part) {
    PlannedPlaces& made = add(name, part);
    made.attributes = {{"long_name", "where it lies: " + word}};
    if (const std::string& units = (*grid_.places->plane_units)[which]; !units.empty())
      made.attributes.push_back({"units", units});
  }
  void bounds(const std::string& name, CellPart part) {
    PlannedPlaces& made = add(name, part);
    made.of_cell = grid_.places->corners;
    made.within = "corners_" + std::to_string(made.of_cell);
  }
  void add_name() {
    PlannedPlaces& made = add(names_.name(), CellPart::name);
    for (const std::string& name : grid_.places->names)
      made.of_cell = std::max(made.of_cell, static_cast<Index>(name.size()));
    made.within = "letters_" + std::to_string(made.of_cell);
    made.attributes = {{"long_name", "name of the station"}};
  }

  const PlacedGrid& grid_;
  const Names& names_;
  std::vector<PlannedPlaces> all_;
};

/// Numbers are written with all their bits, whatever is said of values.
Storage storage_of(const PlannedPlaces& places, const Draft& draft, const FileKind& kind,
                   const StorageConfig& said) {
  Index bytes = 8 * places.of_cell;
  for (const DimensionId id : places.dimensions) bytes *= draft.shapes.dimensions[id.index].size;
  Storage storage;
  Findings said_elsewhere;  // of the variables that lie there
  storage.compression = compression_of(said, kind, bytes >= kSmallestPacked, said_elsewhere);
  return storage;
}

/// What CF calls a file all of whose variables are at named stations; "" for others.
std::string feature_type(const Draft& draft, const PlacedGrid& grid,
                         const std::vector<Variable*>& variables) {
  if (grid.places->name.empty() || grid.dimensions.size() != 1) return "";
  std::size_t most = 0;
  for (const Variable* variable : variables) {
    if (!lies_on(*variable, grid)) return "";
    most = std::max(most, variable->dimensions.size());
    for (const DimensionId id : variable->dimensions)
      if (id != grid.dimensions.front() && axis_of(draft.shapes.dimensions[id.index]) != 'Z') return "";
  }
  return most == 1 ? "timeSeries" : most == 2 ? "timeSeriesProfile" : "";
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
    const std::string feature = feature_type(draft, grid, variables);
    if (!feature.empty() &&
        std::ranges::find(file.attributes, "featureType", &Attribute::name) == file.attributes.end())
      file.attributes.push_back({"featureType", feature});
    const Names found(*grid.places, names);
    for (Variable* variable : users) {
      const auto has = std::ranges::find(variable->attributes, "coordinates", &Attribute::name);
      if (has == variable->attributes.end())
        variable->attributes.push_back({"coordinates", found.coordinates()});
    }
    for (PlannedPlaces& one : PlacesOfGrid(grid, found).all()) {
      if (one.part == CellPart::name && !feature.empty())
        one.attributes.push_back({"cf_role", "timeseries_id"});
      names.insert(one.name);
      one.storage = storage_of(one, draft, *file.kind, storage);
      file.places.push_back(std::move(one));
    }
  }
}

}  // namespace pileus::planning
