#include "layout/file_dimensions.h"

#include <algorithm>
#include <set>

#include "config/values.h"
#include "core/cell_bounds.h"
#include "core/model_description.h"
#include "layout/metadata.h"

namespace pileus::planning {
namespace {

/// The place in the configuration that puts each dimension into the file, or the first of them.
std::map<DimensionId, Location> places_of_dimensions(const FileConfig& config, const PlannedFile& file,
                                                     const std::vector<DimensionUser>& users) {
  std::map<DimensionId, Location> places;
  for (const DimensionUser& user : users) {
    for (DimensionId id : user.value->dimensions) places.try_emplace(id, user.where);
  }
  for (DimensionId id : file.dimensions) places.try_emplace(id, config.dimensions.front().where);
  return places;
}

}  // namespace

std::vector<DimensionId> dimensions_given(const Draft& draft, const FileConfig& config, Findings& findings) {
  std::vector<DimensionId> given;
  if (draft.shapes.is_imagined) return given;  // nothing tells which ones the model has
  const std::vector<PlannedDimension>& known = draft.shapes.dimensions;
  for (const Text& wanted : config.dimensions) {
    const auto found = std::ranges::find(known, wanted.value, &PlannedDimension::name);
    if (found != known.end()) {
      given.emplace_back(found - known.begin());
      continue;
    }
    findings.warning(wanted.where, "the model has no dimension " + quoted(wanted.value) + ", so file " +
                                       quoted(config.name.value) + " does not have it either");
  }
  return given;
}

void name_dimensions(const Draft& draft, const FileConfig& config, PlannedFile& file,
                     const std::vector<DimensionUser>& users) {
  if (!is_moncs(config.naming)) return;
  std::set<DimensionId> lengths;
  for (const DimensionUser& user : users) {
    const std::vector<DimensionId>& dimensions = user.value->dimensions;
    if (user.value->type != ElementType::character || dimensions.empty()) continue;
    if (dimensions.size() == 1) {
      file.dimension_names.try_emplace(dimensions.front(), user.variable + "_dim");
      continue;
    }
    lengths.insert(dimensions.front());
    if (draft.shapes.dimensions[dimensions[1].index].name == kPairDimension)
      file.dimension_names[dimensions[1]] = "kvp";
  }
  if (lengths.size() == 1) file.dimension_names[*lengths.begin()] = "string";
}

void check_dimensions(const Draft& draft, const FileConfig& config, const PlannedFile& file,
                      const std::vector<DimensionUser>& users, std::map<std::string, std::string>& taken,
                      Findings& findings) {
  const std::map<DimensionId, Location> places = places_of_dimensions(config, file, users);
  for (const auto& [id, where] : places) {
    const PlannedDimension& dimension = draft.shapes.dimensions[id.index];
    const auto own = file.own_dimensions.find(id);
    if ((own == file.own_dimensions.end() ? dimension : own->second).bounds.empty()) continue;
    const auto other = file.dimension_names.find(id);
    taken.try_emplace((other == file.dimension_names.end() ? dimension.name : other->second) + "_bnds",
                      "the bounds of dimension " + quoted(dimension.name));
    taken["bnds"] = "the dimension of bounds";
  }
  for (const auto& [id, where] : places) {
    const PlannedDimension& dimension = draft.shapes.dimensions[id.index];
    const auto other = file.dimension_names.find(id);
    const std::string& name = other == file.dimension_names.end() ? dimension.name : other->second;
    const std::string what = "dimension " + quoted(dimension.name) + " of the model ";
    const auto [known, is_new] = taken.try_emplace(name, "a dimension");
    if (!is_new) {
      report(findings, where,
             what + "cannot be in file " + quoted(config.name.value) + ": it is the name of " +
                 known->second + " there; name it differently in the model");
    }
    if (const std::string problem = name_problem(name); !problem.empty()) {
      report(findings, where, what + "cannot be in file " + quoted(config.name.value) + ": " + problem);
    }
    if (!dimension.coordinates.empty() && !is_strictly_monotonic(dimension.coordinates)) {
      findings.warning(where, what +
                                  "has coordinates that neither grow nor fall all the way: tools cannot "
                                  "select by them (CF 1.11, section 5)");
    }
  }
}

}  // namespace pileus::planning
