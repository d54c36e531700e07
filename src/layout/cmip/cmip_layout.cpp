#include "layout/cmip/cmip_layout.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/cell_bounds.h"
#include "core/error.h"
#include "layout/attributes.h"
#include "layout/metadata.h"
#include "units/units.h"

namespace pileus::planning {
namespace {

/// How far a level may be from that of the table, as a part of it.
constexpr double kTolerance = 1e-3;
/// No run gets to it.
constexpr double kNever_s = 1e14;

bool is_same_name(const PlannedDimension& dimension, const CmipCoordinate& entry) {
  return dimension.name == entry.entry || dimension.name == entry.name;
}

/// Whether a dimension of the model may be this coordinate, by what CF calls it, or by its axis or name where
/// nobody says that.
bool is_it(const PlannedDimension& dimension, const CmipCoordinate& entry) {
  if (!dimension.standard_name.empty() && !entry.standard_name.empty())
    return dimension.standard_name == entry.standard_name;
  const std::string axis(1, axis_of(dimension));
  return is_same_name(dimension, entry) || (!entry.axis.empty() && axis == entry.axis);
}

bool are_close(const std::vector<double>& levels, const std::vector<double>& requested) {
  return std::ranges::equal(levels, requested, [](double a, double b) {
    return std::abs(a - b) <= kTolerance * std::max(std::abs(b), 1e-30);
  });
}

std::string shortened_list(const std::vector<double>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(numbers.size(), 4); ++i) {
    std::string number = std::to_string(numbers[i]);
    number.erase(number.find_last_not_of('0') + 1);
    if (number.ends_with('.')) number.pop_back();
    text += (i == 0 ? "" : ", ") + number;
  }
  return numbers.size() > 4 ? text + ", ... (" + std::to_string(numbers.size()) + ")" : text;
}

class Shape {
 public:
  Shape(const Draft& draft, const FileConfig& config, const Entry& entry, Variable& variable,
        PlannedFile& file, Findings& findings)
      : draft_(draft),
        config_(config),
        cmip_(*config.cmip),
        entry_(entry),
        variable_(variable),
        file_(file),
        findings_(findings),
        left_(variable.dimensions) {}

  void make() {
    if (!draft_.terms[*draft_.values[entry_.node]].is_unknown_shape) match();
    for (const CmipCoordinate& one : cmip_.scalars) add_scalar(one);
    if (variable_.type != ElementType::float64 && variable_.type != ElementType::float32) return;
    variable_.fill_value = cmip_.missing_value;
    std::erase_if(variable_.attributes, [](const Attribute& one) { return one.name == "missing_value"; });
    variable_.attributes.push_back(
        {"missing_value", AttributeNumbers{variable_.type, {cmip_.missing_value}, {}}});
  }

 private:
  void error(const std::string& what) { report(findings_, entry_.include->where, what); }
  std::string name() const { return quoted(entry_.include->name.value); }
  const PlannedDimension& dimension(DimensionId id) const { return draft_.shapes.dimensions[id.index]; }

  void match() {
    std::vector<const CmipDimension*> missing;
    for (const CmipDimension& wanted : cmip_.dimensions)
      if (!found(wanted)) missing.push_back(&wanted);
    const bool has_places = is_on_grid();
    const auto of_plane =
        std::erase_if(missing, [](const CmipDimension* one) { return is_horizontal(*one); });
    if (of_plane > 0 && !has_places && missing.empty())
      findings_.warning(entry_.include->where,
                        name() +
                            " has no dimensions that are latitude and longitude, and lies on no grid: say by "
                            "<dimension name=\"...\" standard_name=\"latitude\"/> which they are");
    for (const CmipDimension* const one : missing) report_missing(*one);
    if (!missing.empty() || has_places || of_plane > 0) return;
    for (const DimensionId id : left_)
      error(name() + " has the dimension " + quoted(dimension(id).name) +
            ", of which the table says nothing: hand over a field without it, or reduce it by a diagnostic");
  }

  /// Takes the dimension that is wanted from those that are left, and describes it.
  bool found(const CmipDimension& wanted) {
    for (const bool by_name : {true, false}) {
      for (const CmipCoordinate& entry : wanted.entries) {
        const auto place = std::ranges::find_if(left_, [&](DimensionId id) {
          return is_it(dimension(id), entry) && (!by_name || !dimension(id).standard_name.empty());
        });
        if (place == left_.end()) continue;
        describe(*place, entry, wanted);
        left_.erase(place);
        return true;
      }
    }
    return false;
  }

  static bool is_horizontal(const CmipDimension& wanted) {
    return std::ranges::all_of(wanted.entries, [](const CmipCoordinate& one) {
      return one.standard_name == "latitude" || one.standard_name == "longitude";
    });
  }

  /// Where cells have places of their own, dimensions are what the model has.
  bool is_on_grid() const {
    return std::ranges::find(variable_.attributes, "coordinates", &Attribute::name) !=
           variable_.attributes.end();
  }

  void report_missing(const CmipDimension& wanted) {
    std::vector<std::string> names, is_text;
    for (const CmipCoordinate& one : wanted.entries)
      if (!one.standard_name.empty()) names.push_back(one.standard_name);
    const std::string what = name() + " has no dimension " + quoted(wanted.written);
    if (!wanted.entries.empty() && wanted.entries.front().is_text)
      return error(what + ": dimensions of texts are not made; write a file for it");
    if (wanted.entries.empty()) return error(what + ": the table of coordinates does not know it");
    std::ranges::sort(names);
    error(what + (names.empty() ? std::string() : " (" + listed_names(names) + ")") +
          ", which the table says: give that of its field by <dimension name=\"...\" standard_name=" +
          quoted(names.empty() ? wanted.written : names.front()) + "/>");
  }

  static std::string listed_names(const std::vector<std::string>& names) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i)
      text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
    return text;
  }

  void describe(DimensionId id, const CmipCoordinate& entry, const CmipDimension& wanted) {
    PlannedDimension own = dimension(id);
    const std::string what = "dimension " + quoted(own.name);
    if (own.coordinates.empty()) {  // then it is no variable, and its name means nothing
      if (!draft_.shapes.is_imagined)
        findings_.warning(entry_.include->where, name() + ": the model gives no coordinates of its " + what +
                                                     ", and CMIP wants those of " + quoted(wanted.written));
      return;
    }
    file_.dimension_names[id] = entry.name;
    if (!change_units(own, entry, what)) return;
    if (own.standard_name.empty()) own.standard_name = entry.standard_name;
    if (!entry.long_name.empty()) own.long_name = entry.long_name;
    if (!entry.axis.empty()) own.axis = entry.axis;
    if (!entry.positive.empty()) own.positive = entry.positive;
    if (!entry.requested.empty() && !own.coordinates.empty() && !are_close(own.coordinates, entry.requested))
      error(name() + ": the table wants the levels " + shortened_list(entry.requested) + " of " +
            quoted(wanted.written) + ", in this order, and " + what + " has " +
            shortened_list(own.coordinates));
    if (entry.needs_bounds) make_bounds(own, what);
    file_.own_dimensions[id] = std::move(own);
  }

  bool change_units(PlannedDimension& own, const CmipCoordinate& entry, const std::string& what) {
    if (entry.units.empty()) return true;
    if (!own.units.empty() && own.units != entry.units) {
      try {
        const UnitChange change = change_of_units(own.units, entry.units);
        const auto changed = [&](double& number) { number = number * change.factor + change.offset; };
        std::ranges::for_each(own.coordinates, changed);
        std::ranges::for_each(own.bounds, changed);
      } catch (const UsageError& problem) {
        error(name() + ": the table wants " + what + " in " + quoted(entry.units) + ": " + problem.what());
        return false;
      }
    }
    own.units = entry.units;
    return true;
  }

  void make_bounds(PlannedDimension& own, const std::string& what) {
    if (!own.bounds.empty() || draft_.shapes.is_imagined || own.coordinates.empty()) return;
    if (own.coordinates.size() < 2 || !is_strictly_monotonic(own.coordinates)) {
      findings_.warning(config_.where,
                        what +
                            " has no bounds, which the table wants, and no cells can be made of "
                            "its coordinates: the model gives them");
      return;
    }
    own.bounds = cells_between(own.coordinates);
    if (own.standard_name != "latitude") return;
    for (double& bound : own.bounds) bound = std::clamp(bound, -90.0, 90.0);
  }

  void add_scalar(const CmipCoordinate& entry) {
    PlannedScalar scalar{entry.name, entry.value, entry.bounds, {}};
    if (!entry.is_text) scalar.value = std::strtod(entry.value.c_str(), nullptr);
    const std::pair<const char*, const std::string*> said[] = {{"standard_name", &entry.standard_name},
                                                               {"long_name", &entry.long_name},
                                                               {"units", &entry.units},
                                                               {"axis", &entry.axis},
                                                               {"positive", &entry.positive}};
    for (const auto& [attribute, text] : said)
      if (!text->empty()) scalar.attributes.push_back({attribute, *text});
    const auto coordinates = std::ranges::find(variable_.attributes, "coordinates", &Attribute::name);
    if (coordinates == variable_.attributes.end())
      variable_.attributes.push_back({"coordinates", entry.name});
    else
      coordinates->value = std::get<std::string>(coordinates->value) + " " + entry.name;
    file_.scalars.push_back(std::move(scalar));
  }

  const Draft& draft_;
  const FileConfig& config_;
  const CmipFile& cmip_;
  const Entry& entry_;
  Variable& variable_;
  PlannedFile& file_;
  Findings& findings_;
  std::vector<DimensionId> left_;  ///< dimensions of the variable that no entry has taken
};

}  // namespace

void shape_for_cmip(const Draft& draft, const FileConfig& config, const Entry& entry, Variable& variable,
                    PlannedFile& file, Findings& findings) {
  if (config.cmip->is_fixed && !draft.is_static[entry.node])
    report(findings, entry.include->where,
           quoted(entry.include->name.value) +
               " never changes, as the table says: its field has to be static=\"true\"");
  Shape(draft, config, entry, variable, file, findings).make();
}

Schedule schedule_of_fixed_file(FileId file, Manipulation instantaneous) {
  return {file, instantaneous, Frequency(kNever_s), 1, "", true, true};
}

}  // namespace pileus::planning
