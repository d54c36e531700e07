#include "files/file_layout.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <set>

#include "files/coarse_levels.h"
#include "files/file_attributes.h"
#include "files/time_ranges.h"
#include "files/times_of_cmip.h"
#include "files/value_layout.h"
#include "formats/audit_names.h"
#include "formats/repeated_names.h"
#include "plan/time_units.h"

namespace pileus {
namespace {

/// Records that are made space for at a time where their number cannot be foreseen.
constexpr Index kGuessedRecords = 16;
/// More is never foreseen: a file of a long period grows.
constexpr Index kMostRecords = 4096;
/// Space that an axis gets at first, if it takes more than that in all: it grows later, by as much as it has.
constexpr Index kFirstSpaceBytes = Index{16} << 20;

/// What stands for the write period in the name of a file.
struct PeriodKey {
  std::string_view written, characters;
};
constexpr std::string_view kStepKey = "{step}";
constexpr std::array<PeriodKey, 13> kPeriodKeys = {{{"{time}", "-.0123456789"},
                                                    {"{index}", "-0123456789"},
                                                    {"{date}", "T0123456789"},
                                                    {kStepKey, "0123456789"},
                                                    {"{years}", kOfTimeRange},
                                                    {"{months}", kOfTimeRange},
                                                    {"{days}", kOfTimeRange},
                                                    {"{minutes_of_1h}", kOfTimeRange},
                                                    {"{minutes_of_3h}", kOfTimeRange},
                                                    {"{minutes_of_6h}", kOfTimeRange},
                                                    {"{minutes_each_1h}", kOfTimeRange},
                                                    {"{minutes_each_3h}", kOfTimeRange},
                                                    {"{minutes_each_6h}", kOfTimeRange}}};

std::string shortest(double number) {
  char text[400];
  const auto end = std::to_chars(text, text + sizeof text, number, std::chars_format::fixed).ptr;
  return {text, end};
}

TimeAxis time_axis(const Schedule& schedule, const PlannedTime& time, const Frequency& write_frequency) {
  TimeAxis axis;
  axis.name = schedule.dimension;
  axis.has_bounds = schedule.manipulation.covers_window();
  axis.is_climatology = schedule.diurnal.bins > 0;
  axis.attributes = {{"standard_name", "time"}, {"long_name", "model time"}, {"axis", "T"}};
  const std::vector<FileAttribute> units = converted(units_of_time(time));
  axis.attributes.insert(axis.attributes.end() - 1, units.begin(), units.begin() + 2);
  axis.attributes.insert(axis.attributes.end(), units.begin() + 2, units.end());
  axis.block_records = kGuessedRecords;
  if (schedule.output_frequency.is_given() && write_frequency.is_given()) {
    const double period_s = Boundaries(schedule.output_frequency).period();
    const double windows = std::ceil(Boundaries(write_frequency).period() / period_s - 1e-9);
    const double expected = windows * std::max(static_cast<double>(schedule.diurnal.bins), 1.0);
    axis.block_records = static_cast<Index>(std::clamp(expected, 1.0, static_cast<double>(kMostRecords)));
  }
  return axis;
}

const std::string& name_in_file(const Plan& plan, FileId file, DimensionId id) {
  const auto other = plan[file].dimension_names.find(id);
  return other == plan[file].dimension_names.end() ? plan[id].name : other->second;
}

const PlannedDimension& described(const Plan& plan, FileId file, DimensionId id) {
  const auto own = plan[file].own_dimensions.find(id);
  return own == plan[file].own_dimensions.end() ? plan[id] : own->second;
}

FileDimension dimension(const PlannedDimension& planned, const std::string& name) {
  FileDimension dimension{name, planned.size, planned.coordinates, {}, planned.bounds};
  if (planned.coordinates.empty()) return dimension;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) dimension.attributes.push_back({name, value});
  };
  add("standard_name", planned.standard_name);
  add("long_name", planned.long_name.empty() ? planned.name : planned.long_name);
  add("units", planned.units);
  add("axis", planned.axis);
  add("positive", planned.positive);
  add("formula_terms", planned.formula_terms);
  add("computed_standard_name", planned.computed_standard_name);
  return dimension;
}

/// A large axis begins with as many records as fit into kFirstSpaceBytes.
void choose_first_space(FileDefinition& definition) {
  std::vector<Index> bytes(definition.axes.size(), 0);
  for (const FileVariable& variable : definition.variables) {
    if (variable.compression.is_packed() || variable.is_in_parts) continue;
    auto record = static_cast<Index>(size_bytes(variable.type));
    for (const std::uint32_t d : variable.dimensions) record *= definition.dimensions[d].size;
    bytes[variable.axis] += record;
  }
  for (std::size_t axis = 0; axis < bytes.size(); ++axis) {
    TimeAxis& one = definition.axes[axis];
    one.first_records =
        std::clamp<Index>(kFirstSpaceBytes / std::max<Index>(bytes[axis], 1), 1, one.block_records);
  }
}

/// Adds those dimensions that the file does not have yet. `places`: of those that it has. Returns the places
/// of `used`.
std::vector<std::uint32_t> places_of(const std::vector<DimensionId>& used, const Plan& plan, FileId file,
                                     std::map<DimensionId, std::uint32_t>& places,
                                     FileDefinition& definition) {
  std::vector<std::uint32_t> found;
  for (DimensionId id : used) {
    const auto [place, is_new] =
        places.try_emplace(id, static_cast<std::uint32_t>(definition.dimensions.size()));
    if (is_new)
      definition.dimensions.push_back(dimension(described(plan, file, id), name_in_file(plan, file, id)));
    found.push_back(place->second);
  }
  return found;
}

/// The place of a dimension without coordinates that the file has, or gets.
std::uint32_t place_of(const std::string& name, Index size, FileDefinition& definition) {
  const auto known = std::ranges::find(definition.dimensions, name, &FileDimension::name);
  const auto place = static_cast<std::uint32_t>(known - definition.dimensions.begin());
  if (known == definition.dimensions.end()) definition.dimensions.push_back({name, size, {}, {}});
  return place;
}

void add_places(const PlannedPlaces& planned, const Plan& plan, FileId file,
                std::map<DimensionId, std::uint32_t>& places, FileDefinition& definition) {
  Index cells = 1;
  for (const DimensionId one : planned.dimensions) cells *= plan[one].size;
  FileStatic made = static_of_places(planned, cells);
  if (!planned.within.empty())
    made.dimensions.push_back(place_of(planned.within, planned.of_cell, definition));
  std::ranges::copy(places_of(planned.dimensions, plan, file, places, definition),
                    std::back_inserter(made.dimensions));
  definition.statics.push_back(std::move(made));
}

/// How many elements of a dimension are together in one of the next level; 1: it stays as it is.
Index ratio_of(const PlannedFile& file, DimensionId id) {
  const auto found = file.coarsened.find(id);
  return found == file.coarsened.end() ? 1 : found->second;
}

FileLevels levels_of(const Plan& plan, FileId id, const std::map<DimensionId, std::uint32_t>& places,
                     const FileDefinition& definition) {
  const PlannedFile& file = plan[id];
  FileLevels levels{file.levels};
  const auto note = [&](DimensionId dimension) {
    const std::string& name = definition.dimensions[places.at(dimension)].name;
    const std::pair one(name, ratio_of(file, dimension));
    const bool is_new = std::ranges::find(levels.dimensions, one) == levels.dimensions.end();
    if (one.second > 1 && is_new) levels.dimensions.push_back(one);
  };
  for (const VariableId variable : file.variables) {
    if (plan[variable].coarser.empty()) continue;
    const std::vector<DimensionId>& all = plan[variable].dimensions;
    std::for_each(all.rbegin(), all.rend(), note);
  }
  for (const PlannedPlaces& one : file.places) {
    if (one.places->nested_nside == 0) continue;
    levels.healpix = definition.dimensions[places.at(one.dimensions.front())].name;
    levels.nside = one.places->nested_nside;
  }
  return levels;
}

/// Those of a hierarchy of grids are computed in each level.
void add_places_of_levels(const PlannedPlaces& planned, const std::map<DimensionId, std::uint32_t>& places,
                          FileDefinition& definition) {
  for (int level = 1; level < definition.levels.count; ++level) {
    PlannedPlaces coarse = planned;
    const Index nside = planned.places->nested_nside >> level;
    coarse.places = planned.places->coarser(nside);
    FileStatic made = static_of_places(coarse, 12 * nside * nside);
    made.name = name_in_level(level, made.name);
    made.dimensions.clear();
    if (!planned.within.empty()) {
      const std::uint32_t within = place_of(planned.within, planned.of_cell, definition);
      made.dimensions.push_back(place_in_level(within, level, 1, definition));
    }
    const std::uint32_t cells = places.at(planned.dimensions.front());
    made.dimensions.push_back(place_in_level(cells, level, block_length(4, level), definition));
    definition.statics.push_back(std::move(made));
  }
}

/// `of_hierarchy`: the statics that the places of cells in nested order are.
void add_levels(const Plan& plan, FileId id, const std::map<DimensionId, std::uint32_t>& places,
                const std::set<std::uint32_t>& of_hierarchy, FileDefinition& definition) {
  const PlannedFile& file = plan[id];
  if (file.levels == 1) return;
  definition.levels = levels_of(plan, id, places, definition);
  std::vector<Index> ratios(definition.dimensions.size(), 1);
  for (const auto& [dimension, place] : places) ratios[place] = ratio_of(file, dimension);
  add_statics_of_levels(ratios, of_hierarchy, definition);
  for (const PlannedPlaces& one : file.places)
    if (one.places->nested_nside > 0) add_places_of_levels(one, places, definition);
}

void add_scalar(const PlannedScalar& scalar, FileDefinition& definition) {
  std::vector<FileStatic> made = statics_of(scalar);
  if (const auto* const text = std::get_if<std::string>(&scalar.value))
    made.front().dimensions = {place_of("strlen_" + scalar.name, std::ssize(*text), definition)};
  if (made.size() > 1) made.back().dimensions = {place_of("bnds", 2, definition)};
  std::ranges::move(made, std::back_inserter(definition.statics));
}

/// The name with its keys, {time} at its end where it has none, and the extension. Of files
/// that follow the steps {time} is a step; one that is for the whole run needs no key.
std::string pattern(const PlannedFile& file) {
  std::string base = file.name;
  const std::string_view extension = file.kind->extension;
  if (base.ends_with(extension)) base.resize(base.size() - extension.size());
  const bool has_key = std::ranges::any_of(
      kPeriodKeys, [&](const PeriodKey& key) { return base.find(key.written) != std::string::npos; });
  const bool is_in_time = file.write_frequency.is_given(), is_in_steps = file.write_frequency_steps > 0;
  const char* key = has_key || file.keeps_newest ? ""
                    : is_in_time                 ? "_{time}"
                    : is_in_steps                ? "_step_{time}"
                                                 : "";
  return base + key + std::string(extension);
}

/// At least four digits, so that names sort like periods.
std::string padded(std::int64_t index) {
  std::string digits = std::to_string(index);
  const std::size_t sign = index < 0 ? 1 : 0;
  if (digits.size() < 4 + sign) digits.insert(sign, 4 + sign - digits.size(), '0');
  return digits;
}

std::string period_text(const PeriodKey& key, const PlannedFile& file, const PlannedTime& time,
                        std::int64_t period, std::int64_t last_step) {
  if (key.written == "{index}") return padded(period);
  if (key.written == kStepKey) {
    const std::int64_t full =
        file.write_frequency_steps > 0 ? period * file.write_frequency_steps : INT64_MAX;
    const std::int64_t step = std::min(full, last_step);
    return step == INT64_MAX ? "end" : std::to_string(step);
  }
  if (!file.write_frequency.is_given()) return std::to_string(period * file.write_frequency_steps);
  const double end_s = Boundaries(file.write_frequency).at(period);
  if (is_time_range(key.written))
    return time_range(key.written, time, Boundaries(file.write_frequency).at(period - 1), end_s);
  if (key.written == "{time}") {
    const std::string text = shortest(end_s);
    return file.has_decimals && text.find('.') == std::string::npos ? text + ".0" : text;
  }
  return compact_text(seconds_later(time.calendar, time.epoch, std::llround(end_s)));
}

/// The time at which a history begins in MONC's form: "24/11/2026 9:5:0" of 2026-11-24T09:05:00Z.
std::string moncs_date(const std::string& history) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  const int found =
      std::sscanf(history.c_str(), "%d-%d-%dT%d:%d:%d", &year, &month, &day, &hour, &minute, &second);
  if (found != 6) return history;
  std::string date;
  for (const int number : {day, month, year}) date += (date.empty() ? "" : "/") + std::to_string(number);
  return date + " " + std::to_string(hour) + ":" + std::to_string(minute) + ":" + std::to_string(second);
}

/// Whether `name` fits the pattern: each key stands for at least one of its characters. All ways to read the
/// name at once.
bool fits(std::string_view pattern, std::string_view name) {
  std::vector<bool> is_end(name.size() + 1);  // where what is read of the pattern may end in the name
  is_end[0] = true;
  while (!pattern.empty()) {
    const auto* const key = std::ranges::find_if(
        kPeriodKeys, [&](const PeriodKey& one) { return pattern.starts_with(one.written); });
    const bool is_key = key != std::end(kPeriodKeys);
    std::vector<bool> next(name.size() + 1);
    for (std::size_t i = 0; i < name.size(); ++i) {
      const bool goes_on = is_key ? std::string_view(key->characters).find(name[i]) != std::string_view::npos
                                  : name[i] == pattern.front();
      next[i + 1] = goes_on && (is_end[i] || (is_key && next[i]));
    }
    pattern.remove_prefix(is_key ? std::string_view(key->written).size() : 1);
    is_end.swap(next);
  }
  return is_end[name.size()];
}

/// Where the first key of a fitting name puts it among the files of its series; 0 where there is no key.
std::optional<double> place_of(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return name.empty() ? std::optional(0.0) : std::nullopt;
  for (const PeriodKey& key : kPeriodKeys) {
    if (!pattern.starts_with(key.written)) continue;
    const std::string_view rest = pattern.substr(key.written.size());
    const std::size_t most = std::min(name.find_first_not_of(key.characters), name.size());
    for (std::size_t taken = 1; taken <= most; ++taken) {
      if (!fits(rest, name.substr(taken))) continue;
      std::string digits(name.substr(0, taken));
      std::erase(digits, 'T');
      return std::strtod(digits.c_str(), nullptr);
    }
    return {};
  }
  if (name.empty() || name.front() != pattern.front()) return {};
  return place_of(pattern.substr(1), name.substr(1));
}

}  // namespace

std::string file_name(const PlannedFile& file, const PlannedTime& time, std::int64_t period,
                      std::int64_t last_step) {
  std::string name = pattern(file);
  for (const PeriodKey& key : kPeriodKeys) {
    for (std::size_t at; (at = name.find(key.written)) != std::string::npos;) {
      name.replace(at, key.written.size(), period_text(key, file, time, period, last_step));
    }
  }
  return name;
}

std::string name_of_period(const PlannedFile& file, const PlannedTime& time, std::int64_t period,
                           std::int64_t last_step) {
  const std::string name = file_name(file, time, period, last_step);
  return file.keeps_newest ? name + "." + std::to_string(period) : name;
}

std::optional<std::int64_t> replaced_period_of(const PlannedFile& file, std::string_view name) {
  const std::string before = pattern(file) + ".";
  if (!file.keeps_newest || !name.starts_with(before)) return {};
  std::int64_t period = 0;
  const auto [end, problem] = std::from_chars(name.data() + before.size(), name.data() + name.size(), period);
  if (problem != std::errc() || end != name.data() + name.size()) return {};
  return period;
}

bool is_of_series(const PlannedFile& file, std::string_view name) { return fits(pattern(file), name); }

bool has_last_step_in_name(const PlannedFile& file) { return file.name.find(kStepKey) != file.name.npos; }

std::optional<std::int64_t> step_of_name(const PlannedFile& file, std::string_view name) {
  if (!has_last_step_in_name(file)) return {};
  const auto place = place_of(pattern(file), name);
  if (!place || *place >= 0x1p62) return {};
  return static_cast<std::int64_t>(*place);
}

std::optional<double> place_in_series(const PlannedFile& file, std::string_view name) {
  return place_of(pattern(file), name);
}

std::optional<std::int64_t> period_of_name(const PlannedFile& file, const PlannedTime& time,
                                           std::string_view name, std::int64_t first) {
  const std::string keyed = pattern(file);
  const auto place = place_of(keyed, name);
  const auto place_at = [&](std::int64_t period) {
    return place_of(keyed, file_name(file, time, period)).value_or(0);
  };
  if (!place) return {};
  // Places rise with the period, so that the first one that is not before it is found by halving.
  std::int64_t before = first - 1, step = 1;
  while (step < std::int64_t{1} << 31 && place_at(before + step) < *place) {
    before += step;
    step *= 2;
  }
  for (; step > 1; step /= 2) {
    if (place_at(before + step / 2) < *place) before += step / 2;
  }
  if (file_name(file, time, before + 1) == name) return before + 1;
  return {};
}

std::string temporary_name(const std::string& file_name, const RunIdentity& run) {
  std::string flat;
  for (const char c : file_name) {
    if (c == '/') {
      flat += '+';  // one byte, as names of CMIP have a dozen folders
    } else if (c == '+') {
      flat += "%2B";
    } else if (c == '%') {
      flat += "%25";
    } else {
      flat += c;
    }
  }
  return "." + flat + "." + run.id + "-" + std::to_string(run.attempt) + ".part";
}

std::string name_of_temporary(std::string_view name) {
  constexpr std::string_view kEnd = ".part";
  if (!name.starts_with('.') || !name.ends_with(kEnd)) return "";
  const std::string_view flat = name.substr(1, name.rfind('.', name.size() - kEnd.size() - 1) - 1);
  std::string out;
  for (std::size_t i = 0; i < flat.size(); ++i) {
    const bool is_plus = flat.substr(i).starts_with("%2B"), is_percent = flat.substr(i).starts_with("%25");
    out += is_plus ? '+' : is_percent ? '%' : flat[i] == '+' ? '/' : flat[i];
    if (is_plus || is_percent) i += 2;
  }
  return out;
}

std::string hole_text(const Plan& plan, VariableId id, const std::vector<Region>& gaps) {
  const Variable& variable = plan[id];
  const ValueLayout layout = value_layout(plan, id);
  Region box = in_file(gaps.front(), layout);
  Index missing = 0, all = 1;
  for (const Region& gap : gaps) {
    const Region region = in_file(gap, layout);
    missing += region.size();
    for (std::size_t d = 0; d < box.count.size(); ++d) {
      const Index end = std::max(box.start[d] + box.count[d], region.start[d] + region.count[d]);
      box.start[d] = std::min(box.start[d], region.start[d]);
      box.count[d] = end - box.start[d];
    }
  }
  std::string within;
  for (std::size_t d = box.count.size(); d-- > 0;) {
    const PlannedDimension& dimension = plan[variable.dimensions[d]];
    all *= dimension.size;
    within += (within.empty() ? "" : ", ") + dimension.name + " " + std::to_string(box.start[d]) + ":" +
              std::to_string(box.start[d] + box.count[d]);
  }
  return std::to_string(missing) + " of " + std::to_string(all) + " elements, within " + within;
}

bool is_in_parts(const Plan& plan, VariableId id) {
  const Variable& variable = plan[id];
  return plan[variable.file].on_disk.is_in_parts && plan[variable.value].spread == Spread::distributed;
}

std::vector<PartVariable> part_variables(const Plan& plan, FileId file) {
  std::vector<PartVariable> all;
  for (const VariableId id : plan[file].variables)
    all.push_back({plan[id].name, plan[id].type, plan[id].storage.compression});
  return all;
}

FileDefinition file_definition(const Plan& plan, FileId id, const RunIdentity& run,
                               const std::map<VariableId, std::string>& holes) {
  const PlannedFile& file = plan[id];
  FileDefinition definition;
  definition.kind = file.kind;
  definition.on_disk = file.on_disk;
  for (ScheduleId schedule : file.schedules) {
    definition.axes.push_back(time_axis(plan[schedule], plan.time, file.write_frequency));
    if (file.is_of_cmip) count_days(definition.axes.back());
    definition.axes.back().is_written = !file.is_fixed;
  }
  std::map<DimensionId, std::uint32_t> places;
  for (VariableId variable_id : file.variables) {
    const Variable& variable = plan[variable_id];
    FileVariable made{variable.name, variable.type, {}, 0, converted(variable.attributes)};
    add_rounding(variable.storage, made.attributes);
    if (const auto hole = holes.find(variable_id); hole != holes.end() && !variable.level) {
      made.attributes.push_back({"holes", hole->second});
    }
    made.is_in_parts = is_in_parts(plan, variable_id);
    if (!made.is_in_parts) made.compression = variable.storage.compression;
    made.may_repeat = variable.storage.write_if.has_value();
    if (made.may_repeat) made.attributes.push_back({"ancillary_variables", source_record_name(made.name)});
    made.is_audited = variable.storage.is_audited;
    if (made.is_audited) {
      const auto names = audit_names(made.name);
      made.attributes.push_back({"ancillary_variables", names[0] + " " + names[1] + " " + names[2]});
    }
    made.fill_value = variable.fill_value;
    made.dimensions = places_of(variable.dimensions, plan, id, places, definition);
    for (std::size_t d = 0; variable.level && d < made.dimensions.size(); ++d)
      made.dimensions[d] =
          place_in_level(made.dimensions[d], variable.level->number, variable.level->lengths[d], definition);
    made.axis = static_cast<std::uint32_t>(std::ranges::find(file.schedules, variable.schedule) -
                                           file.schedules.begin());
    definition.variables.push_back(std::move(made));
  }
  for (const Variable& variable : plan.statics) {
    if (variable.file != id) continue;
    FileStatic made{variable.name, variable.type, {}, converted(variable.attributes)};
    add_rounding(variable.storage, made.attributes);
    made.compression = variable.storage.compression;
    made.definition = variable.definition;
    made.fill_value = variable.fill_value;
    made.dimensions = places_of(variable.dimensions, plan, id, places, definition);
    definition.statics.push_back(std::move(made));
  }
  std::set<std::uint32_t> of_hierarchy;
  for (const PlannedPlaces& one : file.places) {
    if (one.places->nested_nside > 0)
      of_hierarchy.insert(static_cast<std::uint32_t>(definition.statics.size()));
    add_places(one, plan, id, places, definition);
  }
  for (const PlannedScalar& scalar : file.scalars) add_scalar(scalar, definition);
  for (const Container& container : file.containers)
    definition.statics.push_back(static_of(container));  // behind those whose values come
  describe_rounding(definition);
  places_of(file.dimensions, plan, id, places, definition);
  add_levels(plan, id, places, of_hierarchy, definition);
  choose_first_space(definition);
  definition.is_of_series = file.write_frequency.is_given() || file.write_frequency_steps > 0;
  const bool says_conventions =
      std::ranges::find(file.attributes, "Conventions", &Attribute::name) != file.attributes.end();
  if (!says_conventions)
    definition.attributes.push_back({"Conventions", file.has_mesh ? "CF-1.11 UGRID-1.0" : "CF-1.11"});
  if (!file.title.empty()) definition.attributes.push_back({"title", file.title});
  for (FileAttribute& attribute : converted(file.attributes)) {
    const bool has_title = attribute.name == "title" && !file.title.empty();
    if (!has_title) definition.attributes.push_back(std::move(attribute));
  }
  const bool has_created = std::ranges::any_of(
      definition.attributes, [](const FileAttribute& one) { return one.name == "created"; });
  if (file.says_when_created && !has_created)
    definition.attributes.push_back({"created", moncs_date(run.history)});
  definition.attributes.push_back({"history", run.history});
  for (FileAttribute& attribute : converted(plan.attributes))
    definition.attributes.push_back(std::move(attribute));
  return definition;
}

std::vector<std::string> missing_texts(const Plan& plan, FileId file,
                                       const std::vector<MissingPart>& missing) {
  std::map<std::string, Index> records;
  for (const MissingPart& part : missing) {
    records[plan[plan[file].variables[part.variable]].name + " " + text(part.region) + " of model rank " +
            std::to_string(part.client)] += part.records;
  }
  std::vector<std::string> texts;
  for (const auto& [part, count] : records) {
    texts.push_back(part + " in " + std::to_string(count) + (count == 1 ? " record" : " records"));
  }
  return texts;
}

}  // namespace pileus
