#include "client/registration.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "client/registered_names.h"
#include "core/calendar.h"
#include "core/error.h"
#include "core/suggest.h"

namespace pileus {
namespace {

using registering::names_of;
using registering::quoted;
using registering::where;

template <class Named>
void require_new_name(const char* call, const char* what, const std::string& name,
                      const std::vector<Named>& known) {
  if (name.empty()) throw UsageError(std::string(call) + ": the name is empty; give the " + what + " a name");
  if (registering::find(known, name) != nullptr)
    throw UsageError(std::string(call) + ": " + what + " " + quoted(name) +
                     " is registered already; register it once");
}

void require_shape(const ModelField& field) {
  const std::string what = "pileus_field: field " + quoted(field.name);
  Index left = std::numeric_limits<Index>::max() / 8;
  for (std::size_t d = 0; d < field.region.count.size(); ++d) {
    const Index start = field.region.start[d], count = field.region.count[d];
    if (count < 0)
      throw UsageError(where(field, d) + " has a count of " + std::to_string(count) +
                       "; it must not be negative");
    if (start < 0)
      throw UsageError(where(field, d) + " starts at " + std::to_string(start) +
                       ", counted from 0; in Fortran that is " + std::to_string(start + 1) +
                       ", counted from 1");
    if (field.dimensions.empty() && start != 0)
      throw UsageError(where(field, d) + " has no name and starts at " + std::to_string(start) +
                       "; only a named dimension can be shared between ranks: name it or start at 0");
    if (count > left) throw UsageError(what + " has more elements than can be counted; check its counts");
    if (count > 0) left /= count;
  }
}

void require_inside(const ModelField& field, const RankDescription& description) {
  for (std::size_t d = 0; d < field.dimensions.size(); ++d) {
    const ModelDimension& known = registering::require_registered(where(field, d), field.dimensions[d],
                                                                  description, description.points);
    if (!field.region.along(d).is_within(known.size))
      throw UsageError(where(field, d) + ": the part from " + std::to_string(field.region.start[d]) +
                       " with " + std::to_string(field.region.count[d]) +
                       " values does not lie in a dimension of size " + std::to_string(known.size));
  }
}

}  // namespace

std::string kind_text(ElementType type, std::span<const Index> counts) {
  if (counts.empty()) return "a single " + std::string(name(type));
  std::string text = std::string(name(type)) + " of ";
  for (std::size_t d = 0; d < counts.size(); ++d) text += (d > 0 ? " x " : "") + std::to_string(counts[d]);
  return text;
}

void Registration::option(std::string key, std::string value) {
  if (key.empty())
    throw UsageError("pileus_option: the key is empty; give the name that {key} has in the configuration");
  const auto known = description_.options.find(key);
  if (known != description_.options.end())
    throw UsageError("pileus_option: " + quoted(key) + " is set to " + quoted(known->second) +
                     " already; set it once");
  description_.options.emplace(std::move(key), std::move(value));
}

void Registration::dimension(ModelDimension dimension) {
  require_new_name("pileus_dimension", "dimension", dimension.name, description_.dimensions);
  const std::string what = "pileus_dimension: dimension " + quoted(dimension.name);
  if (registering::find(description_.points, dimension.name) != nullptr)
    throw UsageError(what + " has the name of points; give it another one");
  if (dimension.size < 0)
    throw UsageError(what + " has size " + std::to_string(dimension.size) + "; it must be at least 0");
  const std::size_t given = dimension.coordinates.size();
  if (given != 0 && given != static_cast<std::size_t>(dimension.size))
    throw UsageError(what + " has size " + std::to_string(dimension.size) + " and " + std::to_string(given) +
                     " coordinates; give one for each index or none");
  for (std::size_t i = 0; i < given; ++i)
    if (!std::isfinite(dimension.coordinates[i]))
      throw UsageError(what + ": coordinate " + std::to_string(i) + " is not finite");
  description_.dimensions.push_back(std::move(dimension));
}

void Registration::dimension_bounds(const std::string& name, std::vector<double> bounds) {
  const std::string what = "pileus_dimension_bounds: dimension " + quoted(name);
  const auto found = std::find_if(description_.dimensions.begin(), description_.dimensions.end(),
                                  [&](const ModelDimension& one) { return one.name == name; });
  if (found == description_.dimensions.end())
    throw UsageError(what + " is not registered; call pileus_dimension for it first" +
                     did_you_mean(name, names_of(description_.dimensions)));
  if (found->coordinates.empty())
    throw UsageError(what + " has no coordinates that could have bounds; give them to pileus_dimension");
  if (!found->bounds.empty()) throw UsageError(what + " has bounds already; give them once");
  if (bounds.size() != 2 * found->coordinates.size())
    throw UsageError(what + " has " + std::to_string(found->size) + " coordinates and " +
                     std::to_string(bounds.size()) + " bounds; give two for each coordinate");
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    if (!std::isfinite(bounds[i])) throw UsageError(what + ": bound " + std::to_string(i) + " is not finite");
    const auto [low, high] = std::minmax(bounds[i / 2 * 2], bounds[i / 2 * 2 + 1]);
    const double coordinate = found->coordinates[i / 2];
    if (i % 2 == 1 && (coordinate < low || coordinate > high))
      throw UsageError(what + ": coordinate " + std::to_string(i / 2) + " lies outside of its bounds");
  }
  found->bounds = std::move(bounds);
}

void Registration::calendar(const std::string& calendar, const std::string& epoch) {
  const std::string call = "pileus_calendar: ";
  if (!description_.calendar.empty()) throw UsageError(call + "the calendar is set already; set it once");
  const auto known = parse_calendar(calendar);
  if (!known)
    throw UsageError(call + "no calendar " + quoted(calendar) + did_you_mean(calendar, calendar_words()) +
                     "; known are those of CF: standard, proleptic_gregorian, julian, noleap, all_leap, "
                     "360_day");
  if (!epoch.empty()) {
    const auto date = parse_date(epoch);
    if (!date)
      throw UsageError(call + "the epoch " + quoted(epoch) +
                       " is no date; write it like \"2000-01-01 00:00:00\"");
    if (const std::string problem = date_problem(*known, *date); !problem.empty())
      throw UsageError(call + "the epoch " + quoted(epoch) + ": " + problem);
  }
  description_.calendar = calendar;
  description_.epoch = epoch;
}

void Registration::continue_after(std::int64_t step) {
  const std::string call = "pileus_continue: ";
  if (step < 0)
    throw UsageError(call + "there is no step " + std::to_string(step) +
                     "; give that of a checkpoint, pileus_checkpoints lists them");
  if (const auto& before = description_.continue_after)
    throw UsageError(call + "this run continues after step " + std::to_string(*before) +
                     " already; say it once");
  description_.continue_after = step;
}

int Registration::field(ModelField field) {
  require_new_name("pileus_field", "field", field.name, description_.fields);
  const std::size_t rank = field.region.count.size();
  if (!field.dimensions.empty() && field.dimensions.size() != rank)
    throw UsageError("pileus_field: field " + quoted(field.name) + " has " +
                     std::to_string(field.dimensions.size()) + " dimensions and " + std::to_string(rank) +
                     " counts; give one count for each dimension");
  if (field.region.start.empty()) field.region.start.assign(rank, 0);
  if (field.region.start.size() != rank)
    throw UsageError("pileus_field: field " + quoted(field.name) + " has " + std::to_string(rank) +
                     " counts and " + std::to_string(field.region.start.size()) +
                     " starts; give as many of both");
  require_shape(field);
  OwnArray own{field.region.count};
  if (const auto points = points_among(field)) {
    own.along = lay_on_points(*points, field);
  } else {
    require_inside(field, description_);
  }
  own_arrays_.reserve(own_arrays_.size() + 1);
  description_.fields.push_back(std::move(field));
  own_arrays_.push_back(own);
  return field_count() - 1;
}

void Registration::field_metadata(int field, ModelMetadata metadata) {
  const std::string call = "pileus_field_metadata: ";
  ModelField& known = description_.fields[static_cast<std::size_t>(field)];
  if (known.metadata != ModelMetadata())
    throw UsageError(call + "field " + quoted(known.name) + " is described already; describe it once");
  known.metadata = std::move(metadata);
}

void Registration::static_field(int field) {
  description_.fields[static_cast<std::size_t>(field)].is_static = true;
}

int Registration::text_field(ModelField field, Index length) {
  return add_text_field(std::move(field), length, {});
}

int Registration::map_field(std::string name, Index length, const std::string& dimension) {
  const auto found = std::find_if(description_.dimensions.begin(), description_.dimensions.end(),
                                  [&](const ModelDimension& one) { return one.name == dimension; });
  const Index size = found == description_.dimensions.end() ? 0 : found->size;
  ModelField field{std::move(name), ElementType::character, {dimension}, {{0}, {size}}};
  return add_text_field(std::move(field), length, {{std::string(kPairDimension), 2, {}, ""}});
}

/// Adds the field with the dimension of the texts' length and then `pairs` before its own dimensions.
int Registration::add_text_field(ModelField field, Index length, std::vector<ModelDimension> pairs) {
  const std::string what = "pileus_field: field " + quoted(field.name);
  if (length < 1)
    throw UsageError(what + " has texts of a length of " + std::to_string(length) +
                     "; it must be at least 1");
  require_no_points(field);
  if (field.dimensions.empty() && !field.region.count.empty())
    throw UsageError(what + " is an array of texts; give names to its dimensions");
  if (field.region.start.empty()) field.region.start.assign(field.region.count.size(), 0);
  std::vector<ModelDimension> inner = std::move(pairs);
  inner.insert(inner.begin(), {"string_" + std::to_string(length), length, {}, ""});
  const std::size_t rank = inner.size() + field.dimensions.size();
  if (rank > static_cast<std::size_t>(kMaxRank))
    throw UsageError(what + " has " + std::to_string(rank) + " dimensions; at most " +
                     std::to_string(kMaxRank) + " are possible");
  std::vector<std::string> names;
  Region whole;
  for (const ModelDimension& dimension : inner) {
    require_dimension(dimension, field.name);
    names.push_back(dimension.name);
    whole.start.push_back(0);
    whole.count.push_back(dimension.size);
  }
  names.insert(names.end(), field.dimensions.begin(), field.dimensions.end());
  for (Index start : field.region.start) whole.start.push_back(start);
  for (Index count : field.region.count) whole.count.push_back(count);
  field.dimensions = std::move(names);
  field.region = whole;

  const std::vector<ModelDimension> before = description_.dimensions;
  for (ModelDimension& dimension : inner) {
    const std::vector<std::string> known = names_of(before);
    if (std::find(known.begin(), known.end(), dimension.name) == known.end())
      description_.dimensions.push_back(std::move(dimension));
  }
  try {
    return this->field(std::move(field));
  } catch (const UsageError&) {
    description_.dimensions = before;
    throw;
  }
}

/// The model may have registered a dimension of this name; it must be the one that the texts need.
void Registration::require_dimension(const ModelDimension& inner, const std::string& field) const {
  if (registering::find(description_.points, inner.name) != nullptr)
    throw UsageError("pileus_field: field " + quoted(field) + " of texts needs the dimension " +
                     quoted(inner.name) + ", but points have that name; give them another one");
  for (const ModelDimension& known : description_.dimensions) {
    if (known.name != inner.name || known.size == inner.size) continue;
    throw UsageError("pileus_field: field " + quoted(field) + " of texts needs the dimension " +
                     quoted(inner.name) + " of size " + std::to_string(inner.size) +
                     ", but it is registered with size " + std::to_string(known.size) +
                     "; give that one another name");
  }
}

std::vector<std::string> Registration::field_names() const { return names_of(description_.fields); }

}  // namespace pileus
