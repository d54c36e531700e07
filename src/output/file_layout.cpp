#include "output/file_layout.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

namespace pileus {
namespace {

/// Records that are made room for at a time where their number cannot be foreseen.
constexpr Index kGuessedRecords = 16;
/// More is never foreseen: a file of a long period grows.
constexpr Index kMostRecords = 4096;

std::string shortest(double number) {
  char text[400];
  const auto end = std::to_chars(text, text + sizeof text, number, std::chars_format::fixed).ptr;
  return {text, end};
}

TimeAxis time_axis(const Schedule& schedule, double write_frequency_s) {
  TimeAxis axis;
  axis.name = schedule.dimension;
  axis.has_bounds = schedule.manipulation == Manipulation::averaged;
  axis.attributes = {{"standard_name", "time"},
                     {"long_name", "model time"},
                     {"units", "seconds since 2000-01-01 00:00:00"},
                     {"calendar", "proleptic_gregorian"},
                     {"axis", "T"}};
  axis.block_records = kGuessedRecords;
  if (schedule.output_frequency_s > 0) {
    const double expected = std::ceil(write_frequency_s / schedule.output_frequency_s - 1e-9);
    axis.block_records = static_cast<Index>(std::clamp(expected, 1.0, static_cast<double>(kMostRecords)));
  }
  return axis;
}

FileDimension dimension(const PlannedDimension& planned) {
  FileDimension dimension{planned.name, planned.size, planned.coordinates, {}};
  if (!planned.coordinates.empty()) {
    dimension.attributes.push_back({"long_name", planned.name});
    if (!planned.units.empty()) dimension.attributes.push_back({"units", planned.units});
  }
  return dimension;
}

std::vector<FileAttribute> converted(const std::vector<Attribute>& attributes) {
  std::vector<FileAttribute> out;
  for (const Attribute& attribute : attributes) out.push_back({attribute.name, attribute.value});
  return out;
}

/// What every name of a series of files begins with.
std::string stem(const PlannedFile& file, std::string_view extension) {
  std::string base = file.name;
  if (base.ends_with(extension)) base.resize(base.size() - extension.size());
  return base + "_";
}

}  // namespace

std::string file_name(const PlannedFile& file, std::int64_t period, std::string_view extension) {
  return stem(file, extension) + shortest(Boundaries(file.write_frequency_s).at(period)) +
         std::string(extension);
}

bool is_of_series(const PlannedFile& file, std::string_view name, std::string_view extension) {
  const std::string first = stem(file, extension);
  if (!name.starts_with(first) || !name.ends_with(extension)) return false;
  if (name.size() <= first.size() + extension.size()) return false;
  const std::string_view period = name.substr(first.size(), name.size() - first.size() - extension.size());
  return period.find_first_not_of("-.0123456789") == std::string_view::npos;
}

std::string temporary_name(const std::string& file_name, const RunIdentity& run) {
  return "." + file_name + "." + run.id + ".part";
}

FileDefinition file_definition(const Plan& plan, FileId id, const RunIdentity& run) {
  const PlannedFile& file = plan[id];
  FileDefinition definition;
  for (ScheduleId schedule : file.schedules) {
    definition.axes.push_back(time_axis(plan[schedule], file.write_frequency_s));
  }
  std::map<DimensionId, std::uint32_t> places;
  for (VariableId variable_id : file.variables) {
    const Variable& variable = plan[variable_id];
    FileVariable made{variable.name, variable.type, {}, 0, converted(variable.attributes)};
    for (DimensionId used : plan[variable.value].dimensions) {
      const auto [place, is_new] =
          places.try_emplace(used, static_cast<std::uint32_t>(definition.dimensions.size()));
      if (is_new) definition.dimensions.push_back(dimension(plan[used]));
      made.dimensions.push_back(place->second);
    }
    made.axis = static_cast<std::uint32_t>(std::ranges::find(file.schedules, variable.schedule) -
                                           file.schedules.begin());
    definition.variables.push_back(std::move(made));
  }
  definition.attributes.push_back({"Conventions", "CF-1.11"});
  if (!file.title.empty()) definition.attributes.push_back({"title", file.title});
  definition.attributes.push_back({"history", run.history});
  for (FileAttribute& attribute : converted(plan.attributes))
    definition.attributes.push_back(std::move(attribute));
  return definition;
}

}  // namespace pileus
