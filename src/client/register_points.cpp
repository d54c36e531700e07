// How a model registers points, and fields that lie on them. Of such a field the servers see a dense array:
// the dimensions of the points in the place where the model's array has the first of its own along them.

#include <algorithm>
#include <limits>
#include <utility>

#include "client/registered_names.h"
#include "client/registration.h"

namespace pileus {
namespace {

using registering::quoted;
using registering::where;

std::string text_of(const ModelPoints& points) { return "pileus_points: points " + quoted(points.name); }

/// Returns the number of elements. `what` begins the text of an error.
Index require_counts(const std::string& what, const Extents& counts) {
  if (counts.empty())
    throw UsageError(what + " have no counts; give the extents of the arrays along the points");
  Index elements = 1;
  for (std::size_t d = 0; d < counts.size(); ++d) {
    if (counts[d] < 0)
      throw UsageError(what + ": local dimension " + std::to_string(d + 1) + " has a count of " +
                       std::to_string(counts[d]) + "; it must not be negative");
    if (elements > 0 && counts[d] > kMostLocalElements / elements)
      throw UsageError(what + " have more than " + std::to_string(kMostLocalElements) +
                       " elements on this rank; share them out among more ranks");
    elements *= counts[d];
  }
  return elements;
}

/// The dimensions that the servers see, and what of them this rank holds. `held`: how many points.
void lay_out(ModelField& field, PointDimensions along, const ModelPoints& points, Index held) {
  ModelField out = field;
  out.dimensions.clear();
  out.region = {};
  const auto add = [&](const std::string& name, Index count) {
    if (out.dimensions.size() == static_cast<std::size_t>(kMaxRank))
      throw UsageError("pileus_field: field " + quoted(field.name) + " has more than " +
                       std::to_string(kMaxRank) + " dimensions with the " +
                       std::to_string(points.dimensions.size()) + " of its points " + quoted(points.name));
    out.dimensions.push_back(name);
    out.region.add({0, count});
  };
  bool has_points = false;
  for (std::size_t d = 0; d < field.dimensions.size(); ++d) {
    if ((along >> d & 1) == 0) {
      add(field.dimensions[d], field.region.count[d]);
    } else if (!has_points) {
      for (const std::string& name : points.dimensions) add(name, has_points ? 1 : held), has_points = true;
    }
  }
  field = std::move(out);
}

}  // namespace

/// How many the domain has.
Index Registration::size_of_points(const ModelPoints& points) const {
  const std::string what = text_of(points);
  if (points.dimensions.empty())
    throw UsageError(what + " have no dimensions; name those over which they are numbered");
  if (points.dimensions.size() > static_cast<std::size_t>(kMaxRank))
    throw UsageError(what + " have " + std::to_string(points.dimensions.size()) + " dimensions; at most " +
                     std::to_string(kMaxRank) + " are possible");
  Index size = 1;
  for (std::size_t d = 0; d < points.dimensions.size(); ++d) {
    const std::string& name = points.dimensions[d];
    const std::string here = what + ": dimension " + std::to_string(d + 1) + " (" + quoted(name) + ")";
    const ModelDimension& known = registering::require_registered(here, name, description_, {});
    const auto before = points.dimensions.begin() + static_cast<std::ptrdiff_t>(d);
    if (std::find(points.dimensions.begin(), before, name) != before)
      throw UsageError(here + " is named twice; name each once");
    if (size > 0 && known.size > std::numeric_limits<Index>::max() / 8 / size)
      throw UsageError(what + ": the dimensions have more points than can be counted");
    size *= known.size;
  }
  return size;
}

void Registration::points(ModelPoints points, const Extents& counts, const Index* indices) {
  const std::string what = text_of(points);
  if (points.name.empty()) throw UsageError("pileus_points: the name is empty; give the points a name");
  if (registering::find(description_.points, points.name) != nullptr)
    throw UsageError(what + " are registered already; register them once");
  if (registering::find(description_.dimensions, points.name) != nullptr)
    throw UsageError(what + " have the name of a dimension; give them another one");
  const Index size = size_of_points(points);
  if (require_counts(what, counts) > 0 && indices == nullptr)
    throw UsageError(what + ": indices is NULL; give one for each element");
  HeldPoints held = hold_points(what, size, counts, indices);
  held_.reserve(held_.size() + 1);
  description_.points.push_back(std::move(points));
  held_.push_back(std::move(held));
}

/// The points that the field names. Errors: UsageError if these are of several sets.
std::optional<std::uint32_t> Registration::points_among(const ModelField& field) const {
  std::optional<std::uint32_t> found;
  for (std::size_t d = 0; d < field.dimensions.size(); ++d) {
    const ModelPoints* const points = registering::find(description_.points, field.dimensions[d]);
    if (points == nullptr) continue;
    const auto number = static_cast<std::uint32_t>(points - description_.points.data());
    if (found && *found != number)
      throw UsageError(where(field, d) + " is of other points than " +
                       quoted(description_.points[*found].name) + "; a field lies on those of one set");
    found = number;
  }
  return found;
}

/// Which dimensions of the model's array are those of the points. Errors: UsageError if these are others than
/// pileus_points was given.
PointDimensions Registration::dimensions_along(std::uint32_t points, const ModelField& field) const {
  const std::string& name = description_.points[points].name;
  const Extents& counts = held_[points].counts;
  PointDimensions along = 0;
  std::size_t found = 0;
  for (std::size_t d = 0; d < field.dimensions.size(); ++d) {
    if (field.dimensions[d] != name) continue;
    if (found < counts.size() && field.region.count[d] != counts[found])
      throw UsageError(where(field, d) + " has a count of " + std::to_string(field.region.count[d]) +
                       ", and pileus_points was given " + std::to_string(counts[found]) + " there");
    if (field.region.start[d] != 0)
      throw UsageError(where(field, d) + " starts at " + std::to_string(field.region.start[d]) +
                       "; which points this rank holds was given to pileus_points: start at 0");
    along |= PointDimensions{1} << d;
    ++found;
  }
  if (found == counts.size()) return along;
  throw UsageError("pileus_field: field " + quoted(field.name) + " names the points " + quoted(name) + " " +
                   std::to_string(found) + (found == 1 ? " time" : " times") + "; name them " +
                   std::to_string(counts.size()) + (counts.size() == 1 ? " time" : " times") +
                   ", once for each of the counts that pileus_points was given");
}

/// Makes a field on points what the servers see of it. Returns which of its dimensions were those of the
/// points.
PointDimensions Registration::lay_on_points(std::uint32_t points, ModelField& field) const {
  const ModelPoints& on = description_.points[points];
  const PointDimensions along = dimensions_along(points, field);
  for (std::size_t d = 0; d < field.dimensions.size(); ++d) {
    if ((along >> d & 1) != 0) continue;
    const std::string& name = field.dimensions[d];
    const ModelDimension& known =
        registering::require_registered(where(field, d), name, description_, description_.points);
    if (std::find(on.dimensions.begin(), on.dimensions.end(), name) != on.dimensions.end())
      throw UsageError(where(field, d) + " is one of those over which the points " + quoted(on.name) +
                       " are numbered; name the points in its place");
    if (field.region.start[d] != 0 || field.region.count[d] != known.size)
      throw UsageError(where(field, d) + ": the part from " + std::to_string(field.region.start[d]) +
                       " with " + std::to_string(field.region.count[d]) + " of " +
                       std::to_string(known.size) + " values; a field on points has all of every other " +
                       "dimension on each rank");
  }
  lay_out(field, along, on, held_[points].size);
  field.points = points;
  return along;
}

void Registration::require_no_points(const ModelField& field) const {
  for (const std::string& name : field.dimensions) {
    if (registering::find(description_.points, name) == nullptr) continue;
    throw UsageError("pileus_field: field " + quoted(field.name) +
                     " holds texts, which cannot lie on points, as " + quoted(name) +
                     "; name a dimension in their place");
  }
}

std::vector<IndexRanges> Registration::take_point_indices() {
  std::vector<IndexRanges> all;
  for (HeldPoints& held : held_) all.push_back(std::exchange(held.indices, {}));
  return all;
}

}  // namespace pileus
