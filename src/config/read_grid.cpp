#include "config/read_grid.h"

#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "config/messages.h"

namespace pileus {
namespace {

constexpr std::array<const char*, 9> kParts = {"latitude",         "longitude",     "latitude_bounds",
                                               "longitude_bounds", "area",          "mask",
                                               "face_nodes",       "node_latitude", "node_longitude"};

/// Each of them means something only beside the other.
constexpr std::array<std::pair<const char*, const char*>, 14> kNeeds = {
    {{"latitude", "longitude"},
     {"longitude", "latitude"},
     {"latitude_bounds", "latitude"},
     {"longitude_bounds", "longitude"},
     {"latitude_bounds", "longitude_bounds"},
     {"longitude_bounds", "latitude_bounds"},
     {"face_nodes", "node_latitude"},
     {"face_nodes", "node_longitude"},
     {"face_nodes", "start_index"},
     {"node_latitude", "face_nodes"},
     {"node_longitude", "face_nodes"},
     {"start_index", "face_nodes"},
     {"grid_mapping", "latitude"},
     {"mesh", "latitude"}}};

/// One mistake of each attribute is enough.
void check_pairs(const ElementReader& element) {
  std::string reported;
  for (const auto& [given, needed] : kNeeds) {
    const bool is_alone = element.is_given(given) && !element.is_given(needed);
    if (!is_alone || element.was_misspelt(needed) || reported == given) continue;
    reported = given;
    element.error(element.text(given).where,
                  element.label() + " has " + given + " without " + needed + ": give both, or neither");
  }
}

/// The cells of a mesh are faces, and the grid of its nodes has no others.
void check_mesh(const ElementReader& element) {
  if (element.is_given("mesh") && element.is_given("face_nodes")) {
    element.error(element.text("mesh").where,
                  element.label() + " has face_nodes and mesh: it is a mesh, or the nodes of another one");
  }
  for (const char* attribute : {"face_nodes", "mesh"}) {
    const std::vector<Text> dimensions = element.names("dimensions");
    if (!element.is_given(attribute) || !element.is_usable("dimensions") || dimensions.size() < 2) continue;
    element.error(dimensions[1].where, element.label() + " has " + attribute +
                                           ", and a mesh has one dimension for its cells and one for its "
                                           "nodes: name one");
    return;
  }
}

/// A copied line that was not changed everywhere.
void check_names(const ElementReader& element) {
  std::map<std::string, std::string> known;
  for (const char* part : kParts) {
    if (!element.is_usable(part)) continue;
    const Text name = element.text(part);
    const auto [first, is_new] = known.try_emplace(name.value, part);
    if (is_new) continue;
    element.error(name.where, element.label() + " has " + in_quotes(name.value) + " as its " + first->second +
                                  " and as its " + part + ": name two fields");
  }
}

/// Misspelt ones have been reported.
void check_that_something_is_given(const ElementReader& element) {
  const bool has_cells = !element.text("cells").value.empty() || !element.text("file").value.empty();
  if (!element.text("cells").value.empty() && !element.text("file").value.empty()) {
    element.error(element.text("file").where,
                  element.label() + " has cells and a file that has its cells: give one");
    return;
  }
  if (!has_cells && !element.is_given("dimensions") && !element.was_misspelt("dimensions")) {
    element.error(
        element.where(),
        element.label() +
            " needs the attribute \"dimensions\", or \"cells\" or \"file\" if values are regridded to it");
    return;
  }
  if (has_cells) return;
  for (const char* part : kParts) {
    const bool is_mask = std::string_view(part) == "mask";  // which says nothing of where points lie
    if (!is_mask && (element.is_given(part) || element.was_misspelt(part))) return;
  }
  element.error(element.where(), element.label() +
                                     " says nothing of its points: name the fields with their latitude and "
                                     "longitude, or area");
}

}  // namespace

GridConfig read_grid(const ElementReader& element, std::string scope) {
  check_pairs(element);
  check_names(element);
  check_mesh(element);
  check_that_something_is_given(element);
  GridConfig grid{element.text("name"),
                  element.names("dimensions"),
                  element.text("latitude"),
                  element.text("longitude"),
                  element.text("latitude_bounds"),
                  element.text("longitude_bounds"),
                  element.text("area"),
                  element.text("mask"),
                  element.where()};
  grid.scope = std::move(scope);
  grid.cells = element.text("cells");
  grid.file = element.text("file");
  grid.grid_mapping = element.text("grid_mapping");
  grid.face_nodes = element.text("face_nodes");
  grid.node_latitude = element.text("node_latitude");
  grid.node_longitude = element.text("node_longitude");
  grid.start_index = element.text("start_index").value == "1" ? 1 : 0;
  grid.mesh = element.text("mesh");
  return grid;
}

}  // namespace pileus
