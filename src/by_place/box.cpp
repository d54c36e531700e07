// box, levels: parts of fields, which stay where their elements are.

#include <algorithm>
#include <cmath>

#include "by_place/neighbours.h"
#include "by_place/selection.h"
#include "core/shortest.h"

namespace pileus::operators {
namespace {

/// Errors: ParameterError where it is no index of the dimension.
Index index_of(const std::string& parameter, const Dimension& dimension, double number) {
  if (number != std::floor(number) || number < 0 || number > 1e15)
    throw ParameterError(
        parameter, shortest(number) + " is no index, which counts from 0; by=coordinate takes coordinates");
  const auto index = static_cast<Index>(number);
  if (dimension.size != kUnknownSize && index >= dimension.size)
    throw ParameterError(parameter, "there is no index " + std::to_string(index) + " in dimension \"" +
                                        dimension.name + "\", only 0 to " +
                                        std::to_string(dimension.size - 1));
  return index;
}

void check_coordinates(const Dimension& dimension) {
  if (dimension.size != kUnknownSize && dimension.coordinates.empty())
    throw ParameterError("by", "\"" + dimension.name + "\" has no coordinates");
}

/// Longitudes count modulo 360.
bool is_between(const Dimension& dimension, double coordinate, double from, double to) {
  if (!is_longitude(dimension)) return coordinate >= from && coordinate <= to;
  return coordinate + 360 * std::ceil((from - coordinate) / 360) <= to;
}

std::vector<Index> between_coordinates(const Dimension& dimension, double from, double to) {
  if (!(from <= to)) throw ParameterError("to", shortest(to) + " is less than " + shortest(from));
  std::vector<Index> indices;
  for (Index i = 0; i < static_cast<Index>(dimension.coordinates.size()); ++i)
    if (is_between(dimension, dimension.coordinates[static_cast<std::size_t>(i)], from, to))
      indices.push_back(i);
  const std::string what = "from " + shortest(from) + " to " + shortest(to);
  if (indices.empty() && dimension.size != kUnknownSize)
    throw ParameterError("from", "the box is empty: \"" + dimension.name + "\" has no coordinate " + what);
  if (!indices.empty() && indices.back() - indices.front() + 1 != static_cast<Index>(indices.size()))
    throw ParameterError("from", "\"" + dimension.name + "\" has coordinates " + what +
                                     " at both ends, and a box lies together; take two boxes");
  return indices;
}

std::vector<Index> between_indices(const Dimension& dimension, double from, double to) {
  const Index first = index_of("from", dimension, from), last = index_of("to", dimension, to);
  if (first > last)
    throw ParameterError(
        "to", "the box is empty: " + std::to_string(last) + " is less than " + std::to_string(first));
  if (dimension.size == kUnknownSize) return {first, last};  // for its name
  std::vector<Index> indices;
  for (Index i = first; i <= last; ++i) indices.push_back(i);
  return indices;
}

Prepared prepare_box(const Rule& rule) {
  const Quantity& field = rule.inputs.front();
  const std::vector<std::string> names = rule.list("dimensions");
  const std::vector<double> from = rule.numbers("from"), to = rule.numbers("to");
  for (const auto& [parameter, numbers] : {std::pair("from", from), std::pair("to", to)})
    if (numbers.size() != names.size())
      throw ParameterError(parameter, std::to_string(numbers.size()) + " numbers for " +
                                          std::to_string(names.size()) + " dimensions; each needs its own");
  const std::vector<std::string> others = rule.list("names");
  if (!others.empty() && others.size() != names.size())
    throw ParameterError("names", "there are " + std::to_string(names.size()) + " dimensions");
  Selection selection(field);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::ranges::count(names, names[i]) > 1)
      throw ParameterError("dimensions", "\"" + names[i] + "\" is there twice");
    const auto axis = static_cast<std::size_t>(rule.axis("dimensions", field, names[i]));
    const Dimension& dimension = field.dimensions[axis];
    const bool is_by_coordinate = rule.text("by") == "coordinate";
    if (is_by_coordinate) check_coordinates(dimension);
    std::vector<Index> indices = is_by_coordinate ? between_coordinates(dimension, from[i], to[i])
                                                  : between_indices(dimension, from[i], to[i]);
    const std::string name = !others.empty()   ? others[i]
                             : indices.empty() ? names[i] + "_box"
                                               : names[i] + "_" + std::to_string(indices.front()) + "_to_" +
                                                     std::to_string(indices.back());
    selection.pick(axis, std::move(indices), name);
  }
  return selection.prepared();
}

/// "z_at_0_5_10", or "z_24_levels" of many.
std::string name_of_levels(const Rule& rule, const std::string& dimension,
                           const std::vector<Index>& indices) {
  constexpr std::size_t kMost = 5;
  if (!rule.text("levels").empty()) return rule.text("levels");
  if (indices.size() > kMost || indices.empty())
    return dimension + "_" + std::to_string(indices.size()) + "_levels";
  std::string name = dimension + "_at";
  for (const Index index : indices) name += "_" + std::to_string(index);
  return name;
}

Prepared prepare_levels(const Rule& rule) {
  const Quantity& field = rule.inputs.front();
  const auto axis = static_cast<std::size_t>(rule.axis("dimension", field, rule.text("dimension")));
  const Dimension& dimension = field.dimensions[axis];
  const bool is_by_coordinate = rule.text("by") == "coordinate";
  if (is_by_coordinate) check_coordinates(dimension);
  std::vector<Index> indices;
  for (const double number : rule.numbers("at")) {
    if (is_by_coordinate && dimension.coordinates.empty()) continue;
    indices.push_back(is_by_coordinate ? nearest_index(dimension.coordinates, number)
                                       : index_of("at", dimension, number));
  }
  if (rule.numbers("at").empty()) throw ParameterError("at", "there is no level");
  std::ranges::sort(indices);
  if (std::ranges::adjacent_find(indices) != indices.end())
    throw ParameterError("at",
                         "index " + std::to_string(*std::ranges::adjacent_find(indices)) + " is there twice");
  const std::string name = name_of_levels(rule, dimension.name, indices);
  Selection selection(field);
  selection.pick(axis, std::move(indices), name);
  return selection.prepared();
}

Parameter by_what(const std::string& help) {
  return {"by", ParameterKind::word, false, "index", {"index", "coordinate"}, help};
}

}  // namespace

Operator box() {
  return {
      "box",
      "The part of a field from one index to another, or between coordinates, both with their ends; it stays "
      "where it lies. Its dimensions are \"x_10_to_20\", by their first and last index.",
      {{"field", ParameterKind::name, true, "", {}, "the field or result"},
       {"dimensions", ParameterKind::names, true, "", {}, "the dimensions, for example \"x,y\""},
       {"from", ParameterKind::numbers, true, "", {}, "the first of each, for example \"10,30\""},
       {"to", ParameterKind::numbers, true, "", {}, "the last of each"},
       by_what("what from and to are: global indices from 0, or coordinates, longitudes modulo 360"),
       {"names", ParameterKind::names, false, "", {}, "other names of the new dimensions"}},
      prepare_box,
      true};
}

Operator levels() {
  return {
      "levels",
      "Some elements of one dimension, in its order, by their indices or as the nearest to coordinates; they "
      "stay where they lie. The new dimension is \"z_at_0_5_10\", or \"z_24_levels\" of many.",
      {{"field", ParameterKind::name, true, "", {}, "the field or result"},
       {"dimension", ParameterKind::text, true, "", {}, "the dimension"},
       {"at",
        ParameterKind::numbers,
        true,
        "",
        {},
        "which elements, for example \"0 5 10\"; or a file with one in each line"},
       by_what("what these are: global indices from 0, or coordinates"),
       {"levels", ParameterKind::text, false, "", {}, "another name of the new dimension"}},
      prepare_levels,
      true};
}

}  // namespace pileus::operators
