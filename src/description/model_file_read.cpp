// Reads the description of a model.

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/calendar.h"
#include "core/error.h"
#include "core/suggest.h"
#include "description/model_file.h"

namespace pileus {
namespace {

using Json = nlohmann::ordered_json;

constexpr Index kLargest = Index{1} << 40;  ///< the largest dimension

/// A value with its place, for messages: "model.json: ranks[3].fields.w".
class Place {
 public:
  Place(const Json& json, std::string path) : json_(&json), path_(std::move(path)) {}

  [[noreturn]] void fail(const std::string& what) const { throw UsageError(path_ + ": " + what); }

  void require_keys(const std::vector<std::string>& known) const {
    if (!json_->is_object()) fail("expected {...}");
    for (const auto& [key, value] : json_->items()) {
      if (std::ranges::find(known, key) == known.end())
        fail("unknown key \"" + key + "\"" + did_you_mean(key, known));
    }
  }
  bool has(const std::string& key) const { return json_->contains(key); }
  Place at(const std::string& key) const {
    if (!has(key)) fail("\"" + key + "\" is missing");
    return {(*json_)[key], path_ + (path_.ends_with(": ") ? "" : ".") + key};
  }
  std::vector<Place> elements() const {
    if (!json_->is_array()) fail("expected [...]");
    std::vector<Place> all;
    for (std::size_t i = 0; i < json_->size(); ++i)
      all.push_back({(*json_)[i], path_ + "[" + std::to_string(i) + "]"});
    return all;
  }
  std::vector<std::pair<std::string, Place>> members() const {
    if (!json_->is_object()) fail("expected {...}");
    std::vector<std::pair<std::string, Place>> all;
    for (const auto& [key, value] : json_->items()) all.emplace_back(key, Place(value, path_ + "." + key));
    return all;
  }
  std::string text() const {
    if (!json_->is_string()) fail("expected a text");
    return json_->get<std::string>();
  }
  bool boolean() const {
    if (!json_->is_boolean()) fail("expected true or false");
    return json_->get<bool>();
  }
  double number() const {
    if (!json_->is_number()) fail("expected a number");
    const auto value = json_->get<double>();
    if (!std::isfinite(value)) fail("expected a finite number");
    return value;
  }
  Index whole_number(Index least, Index most) const {
    const bool is_whole =
        json_->is_number_integer() &&
        (!json_->is_number_unsigned() ||
         json_->get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<Index>::max()));
    if (!is_whole) fail("expected a whole number");
    const auto value = json_->get<Index>();
    if (value < least || value > most)
      fail("is " + std::to_string(value) + "; expected " + std::to_string(least) + " to " +
           std::to_string(most));
    return value;
  }

 private:
  const Json* json_;
  std::string path_;
};

std::vector<double> numbers(const Place& place) {
  std::vector<double> all;
  for (const Place& one : place.elements()) all.push_back(one.number());
  return all;
}

ModelDimension dimension_of(const Place& place) {
  place.require_keys({"name", "size", "units", "coordinates", "bounds"});
  ModelDimension dimension{place.at("name").text(), place.at("size").whole_number(1, kLargest), {}, ""};
  if (place.has("units")) dimension.units = place.at("units").text();
  if (place.has("coordinates")) dimension.coordinates = numbers(place.at("coordinates"));
  if (place.has("bounds")) dimension.bounds = numbers(place.at("bounds"));
  const auto size = static_cast<std::size_t>(dimension.size);
  if (!dimension.coordinates.empty() && dimension.coordinates.size() != size)
    place.at("coordinates").fail("expected " + std::to_string(size) + ", as its size says");
  if (!dimension.bounds.empty() && dimension.bounds.size() != 2 * size)
    place.at("bounds").fail("expected two for each coordinate");
  return dimension;
}

ElementType type_of(const Place& place) {
  const std::string word = place.text();
  std::vector<std::string> known;
  for (int t = 0; is_known(static_cast<ElementType>(t)); ++t) {
    known.emplace_back(name(static_cast<ElementType>(t)));
    if (known.back() == word) return static_cast<ElementType>(t);
  }
  place.fail("unknown type \"" + word + "\"" + did_you_mean(word, known));
}

void read_kind(const Place& place, ModelField& field) {
  if (place.has("type")) field.type = type_of(place.at("type"));
  if (!place.has("dimensions")) return;
  field.dimensions.clear();
  for (const Place& one : place.at("dimensions").elements()) field.dimensions.push_back(one.text());
}

void require_fit(const Place& place, const ModelField& field, const std::vector<ModelDimension>& dimensions) {
  const Region& region = field.region;
  if (region.start.size() != region.count.size()) place.fail("has not as many starts as counts");
  if (field.dimensions.empty()) return;  // the field is a single value or has a nameless shape
  if (region.count.size() != field.dimensions.size())
    place.fail("has " + std::to_string(region.count.size()) + " counts, but the field has " +
               std::to_string(field.dimensions.size()) + " dimensions");
  // How many points a rank holds says nothing of its dimensions.
  for (std::size_t d = 0; d < field.dimensions.size() && !field.points; ++d) {
    const auto found = std::ranges::find(dimensions, field.dimensions[d], &ModelDimension::name);
    if (found == dimensions.end()) place.fail("has the unknown dimension \"" + field.dimensions[d] + "\"");
    if (!region.along(d).is_within(found->size))
      place.fail("reaches beyond dimension " + found->name + ", whose size is " +
                 std::to_string(found->size));
  }
}

Extents extents_of(const Place& place) {
  const std::vector<Place> numbers = place.elements();
  if (numbers.size() > kMaxRank)
    place.fail("has " + std::to_string(numbers.size()) + " numbers; an array has at most " +
               std::to_string(kMaxRank) + " dimensions");
  Extents extents;
  for (const Place& one : numbers) extents.push_back(one.whole_number(0, kLargest));
  return extents;
}

ModelField field_of_rank(const std::string& name, const Place& place, const std::vector<ModelField>& all,
                         const std::vector<ModelDimension>& dimensions) {
  place.require_keys({"start", "count", "type", "dimensions"});
  const auto known = std::ranges::find(all, name, &ModelField::name);
  if (known == all.end()) place.fail("no field of this name is described under \"fields\"");
  ModelField field = *known;
  read_kind(place, field);
  field.region.start = extents_of(place.at("start"));
  field.region.count = extents_of(place.at("count"));
  require_fit(place, field, dimensions);
  return field;
}

template <class T>
void require_new(const Place& place, const std::vector<T>& all, const T& one) {
  if (std::ranges::find(all, one.name, &T::name) != all.end()) place.fail("is there twice: " + one.name);
}

std::vector<ModelDimension> dimensions_of(const Place& place) {
  std::vector<ModelDimension> all;
  for (const Place& one : place.elements()) {
    ModelDimension dimension = dimension_of(one);
    require_new(one, all, dimension);
    all.push_back(std::move(dimension));
  }
  return all;
}

std::vector<ModelPoints> points_of(const Place& place) {
  std::vector<ModelPoints> all;
  for (const Place& one : place.elements()) {
    one.require_keys({"name", "dimensions", "shared"});
    ModelPoints points{one.at("name").text(), {}};
    for (const Place& dimension : one.at("dimensions").elements())
      points.dimensions.push_back(dimension.text());
    if (one.has("shared")) points.may_be_shared = one.at("shared").boolean();
    require_new(one, all, points);
    all.push_back(std::move(points));
  }
  return all;
}

std::uint32_t points_named(const Place& place, const std::vector<ModelPoints>& points) {
  const auto found = std::ranges::find(points, place.text(), &ModelPoints::name);
  if (found == points.end()) place.fail("no points of this name are described under \"points\"");
  return static_cast<std::uint32_t>(found - points.begin());
}

std::vector<ModelField> fields_of(const Place& place, const std::vector<ModelPoints>& points) {
  std::vector<ModelField> all;
  for (const Place& one : place.elements()) {
    one.require_keys(
        {"name", "type", "dimensions", "units", "standard_name", "long_name", "static", "points"});
    ModelField field{one.at("name").text(), type_of(one.at("type")), {}, {}};
    if (one.has("units")) field.metadata.units = one.at("units").text();
    if (one.has("standard_name")) field.metadata.standard_name = one.at("standard_name").text();
    if (one.has("long_name")) field.metadata.long_name = one.at("long_name").text();
    if (one.has("static")) field.is_static = one.at("static").boolean();
    if (one.has("points")) field.points = points_named(one.at("points"), points);
    read_kind(one, field);
    require_new(one, all, field);
    all.push_back(std::move(field));
  }
  return all;
}

Json parsed(const std::string& text, const std::string& name) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    const std::size_t at = std::min<std::size_t>(error.byte > 0 ? error.byte - 1 : 0, text.size());
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(at);
    const auto line = 1 + std::count(text.begin(), end, '\n');
    const std::size_t last = at == 0 ? text.npos : text.rfind('\n', at - 1);
    const std::size_t column = last == text.npos ? at + 1 : at - last;
    std::string what = error.what();
    if (const std::size_t colon = what.rfind(": "); what.starts_with('[') && colon != what.npos)
      what = what.substr(what.find("syntax error") != what.npos ? what.find("syntax error") : colon + 2);
    throw UsageError(name + ":" + std::to_string(line) + ":" + std::to_string(column) + ": " + what);
  }
}

RankDescription rank_of(const Place& place, const std::vector<ModelDimension>& dimensions,
                        const std::vector<ModelField>& fields) {
  place.require_keys({"dimensions", "fields"});
  RankDescription rank;
  rank.dimensions = place.has("dimensions") ? dimensions_of(place.at("dimensions")) : dimensions;
  for (const auto& [name, field] : place.at("fields").members())
    rank.fields.push_back(field_of_rank(name, field, fields, rank.dimensions));
  return rank;
}

void read_time(const Place& top, ModelFile& file, RankDescription& common) {
  if (top.has("timestep_s")) {
    file.timestep_s = top.at("timestep_s").number();
    if (!(*file.timestep_s >= kShortestStep && *file.timestep_s <= kLongestStep))
      top.at("timestep_s").fail("expected seconds from 1e-9 to 1e15");
  }
  if (top.has("start_time_s")) file.start_time_s = top.at("start_time_s").number();
  if (top.has("initial_state")) file.has_initial_state = top.at("initial_state").boolean();
  if (top.has("calendar")) common.calendar = top.at("calendar").text();
  if (!common.calendar.empty() && !parse_calendar(common.calendar))
    top.at("calendar")
        .fail("unknown calendar \"" + common.calendar + "\"" +
              did_you_mean(common.calendar, calendar_words()));
  if (top.has("epoch")) common.epoch = top.at("epoch").text();
  if (!common.epoch.empty() && !parse_date(common.epoch))
    top.at("epoch").fail("expected a date as 2000-01-01 00:00:00");
}

}  // namespace

ModelFile read_model_file(const std::string& text, const std::string& name) {
  const Json json = parsed(text, name);
  const Place top(json, name + ": ");
  top.require_keys({"servers", "timestep_s", "start_time_s", "initial_state", "calendar", "epoch", "options",
                    "dimensions", "points", "fields", "ranks"});
  ModelFile file;
  if (top.has("servers"))
    file.servers = static_cast<ServerRank>(top.at("servers").whole_number(1, kMostServers));
  RankDescription common;
  read_time(top, file, common);
  if (top.has("options")) {
    for (const auto& [key, value] : top.at("options").members()) common.options[key] = value.text();
  }
  const std::vector<ModelDimension> dimensions = dimensions_of(top.at("dimensions"));
  if (top.has("points")) common.points = points_of(top.at("points"));
  const std::vector<ModelField> fields = fields_of(top.at("fields"), common.points);
  for (const Place& place : top.at("ranks").elements()) {
    RankDescription rank = rank_of(place, dimensions, fields);
    rank.options = common.options;
    rank.calendar = common.calendar;
    rank.epoch = common.epoch;
    rank.points = common.points;
    file.model.ranks.push_back(std::move(rank));
  }
  if (file.model.ranks.empty()) top.at("ranks").fail("the model has no ranks");
  return file;
}

}  // namespace pileus
