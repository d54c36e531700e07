#include "config/read_mapping.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <utility>

#include "config/messages.h"
#include "config/schema/grid_mappings.h"
#include "config/values.h"

namespace pileus {
namespace {

/// What CF allows one of besides the other.
constexpr std::array<std::pair<const char*, const char*>, 3> kExclusive = {
    {{"earth_radius", "semi_major_axis"},
     {"geoid_name", "geopotential_datum_name"},
     {"semi_minor_axis", "inverse_flattening"}}};

std::string text_of(double number) {
  std::ostringstream text;
  text << number;
  return text.str();
}

std::string latitude_problem(double number) {
  return std::abs(number) <= 90 ? "" : "expected degrees north from -90 to 90";
}

/// What is wrong with numbers of this kind; "" if nothing is.
std::string problem_of(MappingValue value, const std::vector<double>& numbers) {
  const double first = numbers.empty() ? 0 : numbers.front();
  switch (value) {
    case MappingValue::positive: return first > 0 ? "" : "expected a positive number";
    case MappingValue::latitude: return latitude_problem(first);
    case MappingValue::pole:
      return std::abs(first) == 90 ? "" : "the projection is that from a pole: expected 90 or -90";
    case MappingValue::longitude:
      if (first >= -180 && first < 180) return "";
      return "CF has degrees east from -180 to below 180 here; write " +
             text_of(first - 360 * std::floor((first + 180) / 360));
    case MappingValue::parallels:
      if (numbers.empty() || numbers.size() > 2) return "expected one or two latitudes";
      for (const double one : numbers)
        if (const std::string problem = latitude_problem(one); !problem.empty()) return problem;
      return "";
    case MappingValue::datum_shift:
      return numbers.size() == 3 || numbers.size() == 6 || numbers.size() == 7 ? ""
                                                                               : "expected 3, 6 or 7 numbers";
    default: return "";
  }
}

class MappingReader {
 public:
  MappingReader(const ElementReader& element, const GridMapping& mapping)
      : element_(element), mapping_(mapping) {}

  void read(std::vector<AttributeConfig>& out) {
    check_needs();
    for (const auto& [one, other] : kExclusive) {
      if (element_.is_given(one) && element_.is_given(other)) report_both(one, other);
    }
    for (const MappingParameter& parameter : mapping_parameters()) {
      if (element_.is_given(parameter.name)) read_parameter(parameter, out);
    }
  }

 private:
  void check_needs() const {
    for (const std::vector<std::string>& need : mapping_.needs) {
      std::vector<std::string> given, quoted;
      bool is_misspelt = false;
      for (const std::string& name : need) {
        if (element_.is_given(name)) given.push_back(name);
        is_misspelt = is_misspelt || element_.was_misspelt(name);
        quoted.push_back(in_quotes(name));
      }
      if (given.size() > 1) report_both(given[0], given[1]);
      if (!given.empty() || is_misspelt) continue;
      element_.error(element_.where(),
                     element_.label() + ": " + mapping_.name + " needs the attribute " + listed(quoted));
    }
  }

  void report_both(const std::string& one, const std::string& other) const {
    element_.error(element_.text(other).where,
                   element_.label() + " has " + one + " and " + other + ": leave one of them out");
  }

  void read_parameter(const MappingParameter& parameter, std::vector<AttributeConfig>& out) const {
    AttributeConfig attribute{element_.text(parameter.name), element_.text(parameter.name), {}};
    attribute.name.value = parameter.name;
    const Location& where = attribute.value.where;
    if (!takes_parameter(mapping_, parameter.name)) {
      element_.error(where, element_.label() + ": " + mapping_.name + " has no parameter " +
                                in_quotes(parameter.name) + own_parameters());
      return;
    }
    if (!element_.is_usable(parameter.name)) return;
    if (parameter.value != MappingValue::text && parameter.value != MappingValue::axis) {
      attribute.type = AttributeType::float64;
      if (!read_numbers(parameter, attribute)) return;
    }
    if (!attribute.value.value.empty()) out.push_back(std::move(attribute));
  }

  /// Puts commas between several. False after an error.
  bool read_numbers(const MappingParameter& parameter, AttributeConfig& attribute) const {
    std::vector<double> numbers;
    std::string list;
    for (const std::string& word : split_numbers(attribute.value.value)) {
      const auto number = parse_number(word);
      if (!number) continue;  // of a file: there are none
      numbers.push_back(*number);
      list += (list.empty() ? "" : ",") + word;
    }
    const bool is_pole =
        mapping_.name == "polar_stereographic" && parameter.name == "latitude_of_projection_origin";
    const std::string problem = problem_of(is_pole ? MappingValue::pole : parameter.value, numbers);
    if (!problem.empty()) {
      element_.error(attribute.value.where,
                     parameter.name + "=" + in_quotes(attribute.value.value) + ": " + problem);
      return false;
    }
    attribute.value.value = list;
    return true;
  }

  std::string own_parameters() const {
    std::vector<std::string> own;
    for (const std::vector<std::string>& need : mapping_.needs)
      own.insert(own.end(), need.begin(), need.end());
    own.insert(own.end(), mapping_.takes.begin(), mapping_.takes.end());
    return own.empty() ? "; it has none but those of the Earth"
                       : "; besides those of the Earth it has " + listed(own, " and ");
  }

  const ElementReader& element_;
  const GridMapping& mapping_;
};

}  // namespace

MappingConfig read_mapping(const ElementReader& element, std::string scope) {
  MappingConfig mapping{element.text("name"), element.text("grid_mapping_name"), {}, std::move(scope)};
  const GridMapping* const known = find_grid_mapping(mapping.kind.value);
  if (known != nullptr) MappingReader(element, *known).read(mapping.parameters);
  return mapping;
}

}  // namespace pileus
