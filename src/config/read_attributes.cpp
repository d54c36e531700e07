#include "config/read_attributes.h"

#include <algorithm>
#include <array>

#include "config/first_places.h"
#include "config/messages.h"
#include "config/values.h"

namespace pileus {
namespace {

using Home = AttributeHome;

constexpr std::array<std::string_view, 6> kLikeVariable = {"valid_min",    "valid_max",   "valid_range",
                                                           "actual_range", "flag_values", "flag_masks"};
constexpr std::array<std::string_view, 4> kOfHdf5 = {"CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST"};
constexpr std::array<std::string_view, 13> kWrittenInFiles = {"Conventions",
                                                              "history",
                                                              "configuration",
                                                              "configuration_hash",
                                                              "options",
                                                              "holes",
                                                              "missing_parts",
                                                              "pileus_version",
                                                              "precision_from",
                                                              "quantization",
                                                              "quantization_nsb",
                                                              "quantization_maximum_relative_error",
                                                              "rounded_to_multiples_of"};
constexpr std::array<std::string_view, 7> kOnlyOfVariables = {
    "units", "units_metadata", "standard_name", "long_name", "cell_methods", "coordinates", "missing_value"};
constexpr std::array<std::string_view, 5> kOfCoordinates = {"axis", "bounds", "calendar", "climatology",
                                                            "formula_terms"};

bool is_in(const auto& names, std::string_view name) { return std::ranges::find(names, name) != names.end(); }

bool is_of_file(Home home) { return home == Home::all_files || home == Home::file; }

/// The problem with names for which the configuration has an attribute of its own.
std::string problem_of_described(std::string_view name, Home home) {
  const std::string element = home == Home::field ? "field" : "diagnostic";
  const bool is_named = name == "standard_name" || name == "long_name";
  const bool is_units = name == "units" || name == "units_metadata";
  if (home == Home::include) {
    if (is_units) return "values are written in the units of their field or diagnostic: say it there";
  } else if (is_named || is_units || (name == "cell_methods" && home == Home::diagnostic)) {
    return "write it as the attribute " + std::string(name) + "=\"...\" of the " + element;
  }
  if (name == "cell_methods")
    return "Pileus writes it: it follows from the rules, or from cell_methods of the diagnostic, and from "
           "time_manipulation";
  if (name == "missing_value")
    return "files have _FillValue where there is no value; the model's own number for that is the attribute "
           "missing_value of the field";
  return "";
}

std::string problem_of_variable(std::string_view name, Home home) {
  if (name == "scale_factor" || name == "add_offset")
    return "readers would compute other numbers with it; Pileus writes values as they are";
  if (is_in(kOfCoordinates, name))
    return "it belongs to a coordinate, of which <dimension> and <time> say what files say";
  return problem_of_described(name, home);
}

std::string problem_of_file(std::string_view name, Home home) {
  if (name == "title" && home == Home::file) return "write it as the attribute title=\"...\" of the file";
  const bool is_of_variable = is_in(kOnlyOfVariables, name) || is_in(kLikeVariable, name) ||
                              is_in(kOfCoordinates, name) || name == "scale_factor" || name == "add_offset";
  return is_of_variable ? "it is an attribute of variables: put it into a field, a diagnostic or an include"
                        : "";
}

/// Why an attribute cannot have this name; "" if it can.
std::string name_refusal(std::string_view name, Home home) {
  if (name.starts_with('_')) return "names that begin with \"_\" are those of netCDF itself";
  if (name.starts_with('-') || name.starts_with('.')) return "names in files begin with a letter or a digit";
  if (is_in(kOfHdf5, name)) return "the file library uses this name itself";
  if (is_in(kWrittenInFiles, name)) return "Pileus writes it";
  return is_of_file(home) ? problem_of_file(name, home) : problem_of_variable(name, home);
}

AttributeType type_of(const AttributeConfig& attribute, const std::string& type) {
  if (type == "integer") return AttributeType::integer;
  if (type == "double") return AttributeType::float64;
  if (type == "float") return AttributeType::float32;
  return type.empty() && is_in(kLikeVariable, attribute.name.value) ? AttributeType::as_variable
                                                                    : AttributeType::text;
}

bool are_numbers(std::string_view value, AttributeType type) {
  return std::ranges::all_of(split_list(value), [&](const ListItem& item) {
    return type == AttributeType::integer ? parse_signed(item.text).has_value()
                                          : parse_number(item.text).has_value();
  });
}

/// Reads the type of the value. False after an error.
bool read_type(const ElementReader& element, AttributeConfig& out) {
  const bool is_like_variable = is_in(kLikeVariable, out.name.value);
  if (is_like_variable && element.is_given("type")) {
    element.error(element.text("type").where,
                  element.label() + " has the type of its variable (CF 1.11, section 2.5.1): leave type out");
    return false;
  }
  out.type = type_of(out, element.text("type").value);
  if (out.type == AttributeType::text || are_numbers(out.value.value, out.type)) return true;
  const bool is_whole = out.type == AttributeType::integer;
  element.error(out.value.where, "value=" + in_quotes(out.value.value) + ": expected " +
                                     (is_whole ? "whole numbers" : "numbers") +
                                     ", separated by commas, such as " +
                                     (is_whole ? "\"1, 2\"" : "\"0, 1e3\""));
  return false;
}

}  // namespace

std::vector<AttributeConfig> read_attributes(const ElementReader& parent, AttributeHome home) {
  std::vector<AttributeConfig> all;
  FirstPlaces places;
  for (const ElementReader& element : parent.children(kAttributeElement)) {
    AttributeConfig attribute{element.text("name"), element.text("value"), {}};
    if (!element.is_usable("name") || !element.is_usable("value")) continue;
    const Location& where = attribute.name.where;
    if (const std::string refusal = name_refusal(attribute.name.value, home); !refusal.empty()) {
      element.error(where, element.label() + " of " + parent.label() + " cannot be set: " + refusal);
    } else if (const auto before = places.before(attribute.name)) {
      element.error(where, "a second " + element.label() + " of " + parent.label() + "; the first is at " +
                               before->text());
    } else if (read_type(element, attribute)) {
      all.push_back(std::move(attribute));
    }
  }
  return all;
}

}  // namespace pileus
