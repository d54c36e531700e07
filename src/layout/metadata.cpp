#include "layout/metadata.h"

#include <algorithm>
#include <array>

#include "core/cell_bounds.h"
#include "core/suggest.h"

namespace pileus::planning {
namespace {

std::vector<std::string> names_of(const std::vector<PlannedDimension>& dimensions) {
  std::vector<std::string> names;
  for (const PlannedDimension& dimension : dimensions) names.push_back(dimension.name);
  return names;
}

void make_bounds(const DimensionConfig& config, PlannedDimension& dimension, Findings& findings) {
  if (!config.has_bounds || !dimension.bounds.empty()) return;
  const std::string what = "dimension " + quoted(dimension.name);
  if (dimension.coordinates.size() < 2) {
    report(findings, config.bounds.where,
           what + (dimension.coordinates.empty() ? " has no coordinates" : " has only one coordinate") +
               " to make cells of; the model gives them, or remove bounds");
  } else if (!is_strictly_monotonic(dimension.coordinates)) {
    report(
        findings, config.bounds.where,
        what + ": its coordinates neither grow nor fall all the way; only the model can give their bounds");
  } else {
    dimension.bounds = cells_between(dimension.coordinates);
  }
}

void take_units(const DimensionConfig& config, PlannedDimension& dimension, Findings& findings) {
  if (!config.units.is_given()) return;
  if (!dimension.units.empty() && dimension.units != config.units.value) {
    findings.warning(config.units.where, "dimension " + quoted(dimension.name) + " has the units " +
                                             quoted(dimension.units) + " in the model; files say " +
                                             quoted(config.units.value));
  }
  dimension.units = config.units.value;
}

/// The standard name of what CF computes from such levels, where it knows one alone; "" otherwise.
/// Source: CF conventions 1.11, appendix D.
std::string computed_from(const std::string& standard_name) {
  constexpr std::array<const char*, 3> kOfPressure = {"atmosphere_ln_pressure_coordinate",
                                                      "atmosphere_sigma_coordinate",
                                                      "atmosphere_hybrid_sigma_pressure_coordinate"};
  return std::ranges::find(kOfPressure, standard_name) != kOfPressure.end() ? "air_pressure" : "";
}

/// The calendar's word and the epoch that all ranks give; nothing if they differ.
std::optional<std::pair<std::string, std::string>> time_of_model(const ModelRanks& model,
                                                                 Findings& findings) {
  std::pair<std::string, std::string> of_model;
  for (std::size_t kind = 0; kind < model.kind_count(); ++kind) {
    const std::pair one(model.kind(kind).calendar, model.kind(kind).epoch);
    if (kind == 0) of_model = one;
    if (one == of_model) continue;
    findings.error({},
                   "model rank " + std::to_string(model.first_rank(kind)) +
                       " gives another calendar or epoch than model rank 0; they are the same on every rank");
    return {};
  }
  return of_model;
}

void warn_if_overruled(const Text& ours, const std::string& models, const std::string& what,
                       Findings& findings) {
  if (!ours.is_given() || models.empty() || ours.value == models) return;
  findings.warning(ours.where,
                   "the model has the " + what + " " + quoted(models) + "; files say " + quoted(ours.value));
}

template <class Member>
Member first_given(const Member& of_include, const Member& of_value, const Member& of_file) {
  if constexpr (std::is_same_v<Member, std::vector<Text>>) {
    return !of_include.empty() ? of_include : !of_value.empty() ? of_value : of_file;
  } else if constexpr (std::is_same_v<Member, Text>) {
    return of_include.is_given() ? of_include : of_value.is_given() ? of_value : of_file;
  } else {
    return of_include ? of_include : of_value ? of_value : of_file;
  }
}

bool rounds(const StorageConfig& storage) {
  return storage.significant_bits || storage.error || storage.information;
}

/// Checks that time, if it is named, comes first, and that each other name is a dimension of the model, if
/// there is one.
bool is_order(const Draft& draft, const std::vector<Text>& order, Findings& findings) {
  for (const Text& name : order) {
    const auto& dimensions = draft.shapes.dimensions;
    const bool is_known =
        std::ranges::find(dimensions, name.value, &PlannedDimension::name) != dimensions.end();
    if (name.value == "time" && !is_known) {
      if (&name == &order.front()) continue;
      report(findings, name.where,
             "time is the slowest dimension of every file: name it first, or not at all");
      return false;
    }
    if (is_known || draft.shapes.is_imagined) continue;  // the model may have it
    report(findings, name.where,
           "the model does not register the dimension " + quoted(name.value) +
               did_you_mean(name.value, names_of(dimensions)));
    return false;
  }
  return true;
}

}  // namespace

PlannedTime choose_time(const Config& config, const ModelRanks& model, Findings& findings) {
  PlannedTime time;
  const auto of_model = time_of_model(model, findings);
  if (!of_model) return time;
  const TimeConfig& ours = config.time;
  const std::string word = ours.calendar.is_given() ? ours.calendar.value : of_model->first;
  const std::string epoch = ours.epoch.is_given() ? ours.epoch.value : of_model->second;
  const auto calendar = word.empty() ? time.calendar : parse_calendar(word).value_or(time.calendar);
  const auto models = parse_calendar(of_model->first);
  if (models && *models != calendar) warn_if_overruled(ours.calendar, of_model->first, "calendar", findings);
  const auto date = parse_date(epoch);
  const auto models_date = parse_date(of_model->second);
  if (date && models_date && *date != *models_date) {
    warn_if_overruled(ours.epoch, of_model->second, "epoch", findings);
  }
  time.calendar = calendar;
  if (!date) return time;
  if (const std::string problem = date_problem(calendar, *date); !problem.empty()) {
    const Location& where = ours.epoch.is_given() ? ours.epoch.where : ours.calendar.where;
    report(findings, where, "the epoch " + quoted(epoch) + ": " + problem);
    return time;
  }
  time.epoch = *date;
  time.has_epoch = true;
  return time;
}

Frequency frequency_of(const Duration& duration, const PlannedTime& time) {
  return duration.months > 0 ? Frequency(duration.in_months(), time.calendar, time.epoch)
                             : Frequency(duration.seconds);
}

void describe_dimension(const DimensionConfig& said, PlannedDimension& dimension, Findings& findings) {
  take_units(said, dimension, findings);
  make_bounds(said, dimension, findings);
  if (said.long_name.is_given()) dimension.long_name = said.long_name.value;
  if (said.standard_name.is_given()) dimension.standard_name = said.standard_name.value;
  if (said.axis.is_given()) dimension.axis = said.axis.value;
  if (said.positive.is_given()) dimension.positive = said.positive.value;
  if (said.formula_terms.is_given()) {
    dimension.formula_terms = said.formula_terms.value;
    dimension.computed_standard_name = said.computed_standard_name.is_given()
                                           ? said.computed_standard_name.value
                                           : computed_from(dimension.standard_name);
  }
  if (said.formula_terms.is_given() && dimension.coordinates.empty()) {
    report(findings, said.formula_terms.where,
           "dimension " + quoted(dimension.name) +
               " has no coordinates that formula_terms belong to; the model gives them, or remove "
               "formula_terms");
  }
}

void describe_dimensions(const Config& config, std::vector<PlannedDimension>& dimensions,
                         Findings& findings) {
  for (const DimensionConfig& said : config.dimensions) {
    const auto found = std::ranges::find(dimensions, said.name.value, &PlannedDimension::name);
    if (found != dimensions.end()) describe_dimension(said, *found, findings);
  }
}

char axis_of(const PlannedDimension& dimension) {
  constexpr std::array<const char*, 5> kX = {"x", "lon", "longitude", "projection_x_coordinate",
                                             "grid_longitude"};
  constexpr std::array<const char*, 5> kY = {"y", "lat", "latitude", "projection_y_coordinate",
                                             "grid_latitude"};
  if (!dimension.axis.empty()) return dimension.axis.front();
  for (const std::string& name : {dimension.standard_name, dimension.name}) {
    if (std::ranges::find(kX, name) != kX.end()) return 'X';
    if (std::ranges::find(kY, name) != kY.end()) return 'Y';
  }
  return 0;
}

StorageConfig storage_of(const Draft& draft, const Entry& entry) {
  const Config& config = *draft.graph.config;
  const StorageConfig& include = entry.include->storage;
  const StorageConfig& value = entry.diagnostic ? config.diagnostics[*entry.diagnostic].storage
                                                : draft.graph.nodes[entry.node].field->storage;
  StorageConfig file = config.files[entry.file].storage;
  if (entry.is_of_grid) {  // what is right for values is too coarse for the places where they lie
    file = {file.order, {}, {}, {}, file.codec,   file.shuffle,        {},
            {},         {}, {}, {}, file.packing, file.bits_per_value, file.decimal_scale};
  }
  const auto packs = [](const StorageConfig& one) { return one.bits_per_value || one.decimal_scale; };
  const StorageConfig& packed = packs(include) ? include : packs(value) ? value : file;
  const StorageConfig& rounding = rounds(include) ? include : rounds(value) ? value : file;
  return {first_given(include.order, value.order, file.order),
          first_given(include.precision, value.precision, file.precision),
          rounding.significant_bits,
          rounding.error,
          first_given(include.codec, value.codec, file.codec),
          first_given(include.shuffle, value.shuffle, file.shuffle),
          rounding.information,
          first_given(include.write_if, value.write_if, file.write_if),
          first_given(include.per, value.per, file.per),
          first_given(include.at_least_every, value.at_least_every, file.at_least_every),
          first_given(include.audit, value.audit, file.audit),
          first_given(include.packing, value.packing, file.packing),
          packed.bits_per_value,
          packed.decimal_scale};
}

std::optional<std::vector<DimensionId>> ordered(const Draft& draft, const Entry& entry, const Term& value,
                                                const std::vector<Text>& order, Findings& findings) {
  if (order.empty() || value.is_unknown_shape) return value.dimensions;
  if (!is_order(draft, order, findings)) return {};
  // The characters of a text lie together, and so do the corners of a cell, whatever the order is.
  const bool is_text = value.type == ElementType::character;
  std::vector<std::pair<std::ptrdiff_t, DimensionId>> places;
  for (DimensionId id : value.dimensions) {
    const std::string& name = draft.shapes.dimensions[id.index].name;
    const auto place = std::ranges::find(order, name, &Text::value);
    const bool is_first = id == value.dimensions.front();
    if (is_first && (is_text || (entry.is_of_grid && place == order.end()))) {
      places.emplace_back(-std::ssize(order) - 1, id);
    } else if (place == order.end()) {
      report(findings, order.front().where,
             quoted(entry.name.value) + " has the dimension " + quoted(name) +
                 ", which this order does not name");
      return {};
    } else {
      places.emplace_back(order.begin() - place, id);
    }
  }
  std::ranges::sort(places);
  std::vector<DimensionId> dimensions;
  for (const auto& [place, id] : places) dimensions.push_back(id);
  return dimensions;
}

}  // namespace pileus::planning
