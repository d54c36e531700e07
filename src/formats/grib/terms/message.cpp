#include "formats/grib/terms/message.h"

#include <algorithm>
#include <array>
#include <map>

#include "core/error.h"

namespace pileus::grib {
namespace {

/// Words of CF's cell_methods, and code table 4.10.
struct Statistic {
  std::string_view word;
  int code;
};
constexpr std::array<Statistic, 7> kStatistics = {{{"mean", 0},
                                                   {"sum", 1},
                                                   {"maximum", 2},
                                                   {"minimum", 3},
                                                   {"root_mean_square", 5},
                                                   {"standard_deviation", 6},
                                                   {"variance", 7}}};

constexpr int kPressure = 100, kAboveSea = 102, kAboveGround = 103, kSigma = 104, kHybrid = 105,
              kBelowGround = 106, kIsentropic = 107, kBelowSea = 160;
constexpr int kOfLand = 2;

/// What numbers in these units are times so many in those of GRIB; 0: others.
double factor_of(const std::string& units) {
  static const std::map<std::string, double> known = {{"Pa", 1},         {"hPa", 100}, {"mbar", 100},
                                                      {"millibar", 100}, {"m", 1},     {"km", 1000},
                                                      {"cm", 0.01},      {"K", 1}};
  const auto found = known.find(units);
  return found == known.end() ? 0 : found->second;
}

bool is_pressure(const std::string& units) {
  return units == "Pa" || units == "hPa" || units == "mbar" || units == "millibar";
}
bool is_length(const std::string& units) { return units == "m" || units == "km" || units == "cm"; }

/// Code table 4.5.
int type_of_surface(const FileDimension& dimension, int discipline) {
  const std::string name = text_of(dimension.attributes, "standard_name");
  const std::string units = text_of(dimension.attributes, "units");
  if (dimension.coordinates.empty()) return kHybrid;
  if (name == "air_pressure" || (name.empty() && is_pressure(units))) return kPressure;
  if (name == "height" || (name.empty() && is_length(units))) return kAboveGround;
  if (name == "altitude" || name == "height_above_mean_sea_level") return kAboveSea;
  if (name == "depth") return discipline == kOfLand ? kBelowGround : kBelowSea;
  if (name == "air_potential_temperature") return kIsentropic;
  if (name == "atmosphere_sigma_coordinate") return kSigma;
  return kHybrid;
}

void add_levels(const FileDimension& dimension, MessageTerms& terms) {
  const int type = type_of_surface(dimension, terms.parameter.parameter.discipline);
  const std::string units = text_of(dimension.attributes, "units");
  const double factor = type == kSigma || type == kHybrid ? 1 : factor_of(units);
  if (factor == 0)
    throw UsageError("its levels are in \"" + units + "\"; GRIB has pressures in Pa and heights in m");
  for (Index i = 0; i < dimension.size; ++i) {
    const bool has_one = !dimension.coordinates.empty();
    const double level = has_one ? dimension.coordinates[static_cast<std::size_t>(i)] : 0;
    terms.levels.push_back(has_one ? level : static_cast<double>(i + 1));
    const double value = type == kHybrid ? static_cast<double>(i + 1) : level * factor;
    if (value < 0)
      throw UsageError(
          "it has levels below 0, and GRIB has no surfaces there: leave them out, such as by "
          "select");
    terms.surfaces.push_back({type, value, true});
  }
}

/// What was done along the axis.
std::vector<std::string> methods_along(const std::string& methods, const std::string& axis) {
  std::vector<std::string> found;
  const std::string key = axis + ": ";
  for (std::size_t at = 0; (at = methods.find(key, at)) != methods.npos; at += key.size()) {
    if (at > 0 && methods[at - 1] != ' ') continue;
    const std::size_t first = at + key.size();
    found.push_back(methods.substr(first, methods.find(' ', first) - first));
  }
  return found;
}

std::optional<int> statistic_of(const FileVariable& variable, const TimeAxis& axis) {
  if (axis.is_climatology)
    throw UsageError(
        "its records are of parts of the day over many days, and messages are of one stretch of "
        "time: write it to NetCDF");
  if (!axis.has_bounds) return {};
  const auto methods = methods_along(text_of(variable.attributes, "cell_methods"), axis.name);
  if (methods.size() > 1)
    throw UsageError(
        "its records come of several stages in time, and messages of Pileus name one: write it "
        "to NetCDF");
  const auto known =
      methods.empty() ? kStatistics.end() : std::ranges::find(kStatistics, methods[0], &Statistic::word);
  if (known != kStatistics.end()) return known->code;
  std::string words;
  for (const Statistic& one : kStatistics) words += (words.empty() ? "" : ", ") + std::string(one.word);
  throw UsageError("GRIB has no word for what is done in time; it has " + words + ": write it to NetCDF");
}

}  // namespace

bool is_vertical(const FileDimension& dimension) {
  constexpr std::array<std::string_view, 9> kNames = {"z",     "lev",  "level",       "levels",  "height",
                                                      "depth", "plev", "model_level", "altitude"};
  if (text_of(dimension.attributes, "axis") == "Z" || !text_of(dimension.attributes, "positive").empty())
    return true;
  return std::ranges::any_of(kNames, [&](std::string_view name) { return dimension.name == name; }) ||
         is_pressure(text_of(dimension.attributes, "units"));
}

std::string text_of(const std::vector<FileAttribute>& attributes, std::string_view name) {
  const auto found = std::ranges::find(attributes, name, &FileAttribute::name);
  const auto* const text = found == attributes.end() ? nullptr : std::get_if<std::string>(&found->value);
  return text == nullptr ? "" : *text;
}

MessageTerms terms_of(const std::vector<FileDimension>& dimensions, const FileVariable& variable,
                      const TimeAxis* axis) {
  MessageTerms terms;
  terms.parameter =
      choose_parameter(text_of(variable.attributes, kSaid), text_of(variable.attributes, "standard_name"));
  if (axis != nullptr) terms.statistic = statistic_of(variable, *axis);
  const auto together = static_cast<std::size_t>(variable.compression.together);
  if (variable.dimensions.size() > together + 1)
    throw UsageError("it has more dimensions than two horizontal ones and one of levels: write it to NetCDF");
  if (variable.dimensions.size() == together) {
    const bool is_said = terms.parameter.first.type != 255;
    terms.surfaces = {is_said ? terms.parameter.first : Surface{1}};
    return terms;
  }
  const FileDimension& levels = dimensions.at(variable.dimensions.back());
  if (!is_vertical(levels))
    throw UsageError("its dimension \"" + levels.name +
                     "\" is none of levels, as its description says (<dimension axis=\"Z\"/>); messages have "
                     "no others: write it to NetCDF");
  add_levels(levels, terms);
  terms.parameter.second = {};
  return terms;
}

}  // namespace pileus::grib
