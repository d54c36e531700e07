#include "terms/brought_dimension.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/cell_bounds.h"

namespace pileus::planning {
namespace {

/// Both ends of each block, in the order in which those of its elements stand.
std::vector<double> bounds_of_blocks(const PlannedDimension& fine, Index block) {
  const std::vector<double>& places = fine.coordinates;
  const bool has_cells = places.size() > 1 && is_strictly_monotonic(places);
  const std::vector<double> cells = fine.bounds.empty() && has_cells ? cells_between(places) : fine.bounds;
  std::vector<double> bounds;
  for (std::size_t first = 0; first < cells.size(); first += 2 * static_cast<std::size_t>(block)) {
    const std::size_t end = std::min(first + 2 * static_cast<std::size_t>(block), cells.size());
    const auto [low, high] = std::minmax_element(cells.begin() + static_cast<std::ptrdiff_t>(first),
                                                 cells.begin() + static_cast<std::ptrdiff_t>(end));
    const bool rises = cells[first] <= cells[first + 1];
    bounds.push_back(rises ? *low : *high);
    bounds.push_back(rises ? *high : *low);
  }
  return bounds;
}

/// `fine`: that which blocks are cut from; it says nothing otherwise.
void describe(PlannedDimension& dimension, const RegridDimension& brought, const PlannedDimension& fine) {
  dimension.standard_name = fine.standard_name;
  dimension.axis = fine.axis;
  dimension.positive = fine.positive;
  if (brought.cut_from >= 0) dimension.bounds = bounds_of_blocks(fine, brought.block);
  if (!brought.bounds.empty()) dimension.bounds = brought.bounds;
  if (!brought.standard_name.empty()) dimension.standard_name = brought.standard_name;
  if (!brought.axis.empty()) dimension.axis = brought.axis;
}

const std::vector<RegridDimension> kNoDimensions;

/// Notes where the points of these dimensions lie. A dimension of the model, or of another grid, has other
/// points, however many. `before`: how many dimensions there were.
bool place(const std::vector<DimensionId>& dimensions, std::size_t before, const Regridding& how,
           Shapes& shapes, std::string& why) {
  const auto same = std::ranges::find(shapes.placed, dimensions, &PlacedGrid::dimensions);
  if (same != shapes.placed.end() && same->places->identity == how.places->identity) return true;
  for (const DimensionId id : dimensions) {
    if (id.index >= before) continue;
    why = "its dimension \"" + shapes.dimensions[id.index].name +
          "\" is that of other points, and there is one of a name";
    return false;
  }
  shapes.placed.push_back({dimensions, how.places});
  return true;
}

}  // namespace

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
  shapes.dimensions.back().long_name = wanted.long_name;
  return DimensionId(shapes.dimensions.size() - 1);
}

void put_bounds(PlannedDimension& dimension, std::vector<double> bounds) {
  if (!bounds.empty()) dimension.bounds = std::move(bounds);
}

std::string problem_of_result(const operators::Prepared& prepared, bool is_imagined) {
  const auto& followed = prepared.followed;
  if (!prepared.compute && !followed) return "it computes nothing";
  if (followed && (!followed->follow || !followed->compute || !followed->keep || !followed->restore ||
                   followed->inputs.empty()))
    return "it follows its inputs without saying how";
  if (followed && (prepared.shared || prepared.picks || !prepared.halos.empty()))
    return "what it follows is not shared, picked out or beside its part";
  if (prepared.result.type > operators::Type::boolean) return "its result has no known type";
  if (prepared.result.dimensions.size() > static_cast<std::size_t>(kMaxRank))
    return "its result has more than " + std::to_string(kMaxRank) + " dimensions";
  std::set<std::string> names;
  for (const operators::Dimension& one : prepared.result.dimensions) {
    const std::string what = "dimension \"" + one.name + "\" of its result";
    if (one.name.empty()) return "a dimension of its result has no name";
    if (!names.insert(one.name).second) return what + " is there twice";
    if (one.size < 1 && !is_imagined) return what + " has the size " + std::to_string(one.size);
    if (!one.coordinates.empty() && static_cast<Index>(one.coordinates.size()) != one.size)
      return what + " has " + std::to_string(one.coordinates.size()) + " coordinates for " +
             std::to_string(one.size) + " elements";
  }
  return "";
}

void describe_part(Shapes& shapes, DimensionId made, const std::vector<DimensionId>& others) {
  PlannedDimension& part = shapes.dimensions[made.index];
  for (const DimensionId id : others) {
    const PlannedDimension& whole = shapes.dimensions[id.index];
    const auto is_there = [&](double one) {
      return std::ranges::find(whole.coordinates, one) != whole.coordinates.end();
    };
    if (part.coordinates.empty() || part.units != whole.units ||
        !std::ranges::all_of(part.coordinates, is_there))
      continue;
    part.standard_name = whole.standard_name;
    part.long_name = whole.long_name;
    part.axis = whole.axis;
    part.positive = whole.positive;
    return;
  }
}

std::string way_to_another_name(const Declaration& declaration) {
  if (declaration.kind == RuleKind::regrid && declaration.name == "regrid")
    return "; name those of the other grid: <grid name=\"...\" cells=\"...\" dimensions=\"...\"/>";
  const auto& parameters = declaration.parameters;
  const bool names_levels =
      std::ranges::find(parameters, "levels", &ParameterDeclaration::name) != parameters.end();
  return names_levels ? "; name it by \"levels\"" : "";
}

std::optional<std::vector<DimensionId>> regridded_dimensions(const Term& operand, const Regridding& how,
                                                             Shapes& shapes, std::string& why) {
  std::vector<DimensionId> dimensions, brought;
  const std::size_t before = shapes.dimensions.size();
  for (int d = 0; d < static_cast<int>(operand.dimensions.size()); ++d) {
    for (const RegridDimension& one : d == how.axes.front() ? how.dimensions : kNoDimensions) {
      const std::size_t known = shapes.dimensions.size();
      const auto found = brought_dimension({one.name, one.size, one.coordinates, one.units}, shapes, why);
      if (!found) return {};
      if (found->index >= known) {
        const auto fine = static_cast<std::size_t>(std::max(one.cut_from, 0));
        describe(shapes.dimensions[found->index], one,
                 one.cut_from < 0 ? PlannedDimension() : shapes.dimensions[operand.dimensions[fine].index]);
      }
      brought.push_back(*found);
      dimensions.push_back(*found);
    }
    const bool is_replaced = std::ranges::find(how.axes, d) != how.axes.end() && !how.dimensions.empty();
    if (!is_replaced) dimensions.push_back(operand.dimensions[static_cast<std::size_t>(d)]);
  }
  if (how.places && !place(brought, before, how, shapes, why)) return {};
  return dimensions;
}

}  // namespace pileus::planning
