#include "layout/messages/messages.h"

#include <algorithm>

#include "core/error.h"
#include "formats/grib/terms/message.h"
#include "layout/metadata.h"
#include "units/units.h"

namespace pileus::planning {
namespace {

constexpr int kUsualBits = 16;

class Messages {
 public:
  Messages(const Draft& draft, const Entry& entry, const Term& value, Variable& variable, Findings& findings)
      : draft_(draft),
        entry_(entry),
        value_(value),
        variable_(variable),
        findings_(findings),
        file_(draft.graph.config->files[entry.file]),
        storage_(storage_of(draft, entry)) {}

  void make() {
    if (entry_.is_of_grid) return;  // messages have their grid in themselves
    if (!check_file()) return;
    say_parameter();
    const std::vector<DimensionId> plane = plane_of(variable_.dimensions);
    const bool is_known = !draft_.shapes.is_imagined && !value_.is_unknown_shape;
    if (plane.empty() && is_known)
      return refuse("it has no horizontal dimensions, of which messages are: write it to NetCDF");
    pack(plane.size());
    lay_together(plane);
    try {
      check(is_known && !plane.empty());
    } catch (const UsageError& error) {
      refuse(error.what());
    }
  }

 private:
  void refuse(const std::string& why) const {
    report(findings_, entry_.name.where,
           quoted(entry_.name.value) + " in file " + quoted(file_.name.value) + ": " + why);
  }

  bool check_file() const {
    const std::string what = "file " + quoted(file_.name.value) + ": ";
    const Location& where = file_.format.is_given() ? file_.format.where : file_.name.where;
    if (!file_.kind->is_there) {
      report(findings_, where,
             what + "this Pileus was built without " + file_.kind->name +
                 " (cmake -DPILEUS_GRIB=ON, with ecCodes and libaec, builds it with)");
      return false;
    }
    const PlannedTime& time = draft_.plan.time;
    if (!time.has_epoch && !draft_.shapes.is_imagined) {
      report(findings_, where,
             what +
                 "messages have dates, which need that of model time 0: <time epoch=\"2000-01-01 "
                 "00:00:00\"/>, or pileus_calendar in the model");
      return false;
    }
    if (time.calendar == Calendar::standard || time.calendar == Calendar::proleptic_gregorian) return true;
    report(findings_, where,
           what + "messages have dates of the Gregorian calendar, and the run's is " +
               quoted(std::string(name(time.calendar))) + ": write to NetCDF or Zarr");
    return false;
  }

  void say_parameter() {
    const Metadata& metadata = entry_.diagnostic
                                   ? draft_.graph.config->diagnostics[*entry_.diagnostic].metadata
                                   : draft_.graph.nodes[entry_.node].field->metadata;
    const Text& said = entry_.include->grib.is_given() ? entry_.include->grib : metadata.grib;
    if (!said.value.empty()) variable_.attributes.push_back({grib::kSaid, said.value});
  }

  bool has(const std::vector<DimensionId>& all, DimensionId id) const {
    return std::ranges::find(all, id) != all.end();
  }

  /// Both horizontal dimensions, or those of the grid on which the values lie, or the only one that is not
  /// vertical and is no horizontal one by itself.
  std::vector<DimensionId> plane_of(const std::vector<DimensionId>& all) const {
    std::vector<DimensionId> xs, ys, others;
    for (const DimensionId id : all) {
      const char axis = axis_of(draft_.shapes.dimensions[id.index]);
      (axis == 'X' ? xs : axis == 'Y' ? ys : others).push_back(id);
    }
    if (xs.size() == 1 && ys.size() == 1) return {xs[0], ys[0]};
    for (const std::size_t number : draft_.grids.of_nodes[entry_.node]) {
      std::vector<DimensionId> plane;
      for (const DimensionId id : all) {
        const auto& names = draft_.grids.all[number].config->dimensions;
        const std::string& name = draft_.shapes.dimensions[id.index].name;
        if (std::ranges::find(names, name, &Text::value) != names.end()) plane.push_back(id);
      }
      if (!plane.empty()) return plane;
    }
    for (const PlacedGrid& grid : draft_.shapes.placed) {
      if (std::ranges::all_of(grid.dimensions, [&](DimensionId id) { return has(all, id); }))
        return grid.dimensions;
    }
    if (!xs.empty() || !ys.empty()) return {};
    std::erase_if(others, [&](DimensionId id) { return is_of_levels(draft_.shapes.dimensions[id.index]); });
    return others.size() == 1 ? others : std::vector<DimensionId>();
  }

  static FileDimension described(const PlannedDimension& planned) {
    FileDimension made{planned.name, planned.size, planned.coordinates, {}, {}};
    made.attributes = {{"standard_name", planned.standard_name},
                       {"units", planned.units},
                       {"axis", planned.axis},
                       {"positive", planned.positive}};
    return made;
  }
  static bool is_of_levels(const PlannedDimension& planned) { return grib::is_vertical(described(planned)); }

  void pack(std::size_t together) {
    const bool is_rounded = storage_.significant_bits || storage_.error || storage_.information;
    if (is_rounded) {
      variable_.storage.information = 0;
      variable_.storage.significant_bits = 0;
      variable_.storage.step = 0;
      const std::string why =
          "GRIB packs numbers itself, so that they are not rounded before: write decimal_scale or "
          "bits_per_value in place of error, significant_bits and precision_from";
      const Location* const where = storage_.error         ? &storage_.error->where
                                    : storage_.information ? &storage_.information->where
                                                           : &entry_.name.where;
      report(findings_, *where, quoted(entry_.name.value) + ": " + why);
    }
    Compression& compression = variable_.storage.compression;
    compression = {};
    compression.codec =
        storage_.packing.value == codecs::simple().name ? &codecs::simple() : &codecs::ccsds();
    compression.shuffle = Shuffle::none;
    if (storage_.decimal_scale)
      compression.decimals = static_cast<int>(*storage_.decimal_scale);
    else
      compression.bits = static_cast<int>(storage_.bits_per_value.value_or(kUsualBits));
    compression.together = static_cast<int>(together);
  }

  void lay_together(std::vector<DimensionId> plane) {
    for (const DimensionId id : variable_.dimensions)
      if (!has(plane, id)) plane.push_back(id);
    variable_.dimensions = std::move(plane);
  }

  void check(bool has_shape) const {
    if (variable_.type == ElementType::character) throw UsageError("texts have no place in messages");
    FileVariable made{variable_.name, variable_.type, {}, 0, {}, variable_.storage.compression};
    for (const Attribute& one : variable_.attributes) made.attributes.push_back({one.name, one.value});
    const grib::ChosenParameter parameter = parameter_of(variable_);
    check_units(parameter);
    warn_if_alike(parameter);
    if (!has_shape) return;
    std::vector<FileDimension> dimensions;
    for (const DimensionId id : variable_.dimensions) {
      made.dimensions.push_back(static_cast<std::uint32_t>(dimensions.size()));
      dimensions.push_back(described(draft_.shapes.dimensions[id.index]));
    }
    if (!variable_.schedule.is_valid()) {
      (void)grib::terms_of(dimensions, made, nullptr);
      return;
    }
    const Schedule& schedule = draft_.plan[variable_.schedule];
    TimeAxis axis;
    const std::string place = kTimePlace;
    axis.name = place.substr(0, place.find(':'));
    axis.has_bounds = schedule.manipulation.covers_window();
    axis.is_climatology = schedule.diurnal.bins > 0;
    (void)grib::terms_of(dimensions, made, &axis);
  }

  static grib::ChosenParameter parameter_of(const Variable& variable) {
    return grib::choose_parameter(pileus::text_of(variable.attributes, grib::kSaid),
                                  pileus::text_of(variable.attributes, "standard_name"));
  }

  void warn_if_alike(const grib::ChosenParameter& parameter) const {
    const auto is_alike = [&](const Variable& other) {
      if (other.file != variable_.file || other.schedule != variable_.schedule ||
          other.dimensions != variable_.dimensions || other.storage.compression.together == 0)
        return false;
      try {
        const grib::ChosenParameter of_other = parameter_of(other);
        return of_other.parameter == parameter.parameter && of_other.first == parameter.first;
      } catch (const UsageError&) {
        return false;  // that is said of the other
      }
    };
    if (std::ranges::none_of(draft_.plan.variables, is_alike)) return;
    findings_.warning(entry_.name.where,
                      quoted(entry_.name.value) + " in file " + quoted(file_.name.value) +
                          ": another variable there has the same parameter, levels and times, and readers "
                          "cannot tell their messages apart; say another by grib, such as one for local use");
  }

  void check_units(const grib::ChosenParameter& parameter) const {
    const std::string units = pileus::text_of(variable_.attributes, "units");
    if (parameter.units.empty() || units.empty()) return;
    const std::string what =
        "GRIB has this parameter in \"" + parameter.units + "\", and its units are \"" + units + "\"";
    const UnitChange change = [&] {
      try {
        return change_of_units(units, parameter.units);
      } catch (const UsageError& error) {
        throw UsageError(what + ": " + error.what());
      }
    }();
    if (change == UnitChange{}) return;
    throw UsageError(what + "; convert them by units=\"" + parameter.units + "\" in the include");
  }

  const Draft& draft_;
  const Entry& entry_;
  const Term& value_;
  Variable& variable_;
  Findings& findings_;
  const FileConfig& file_;
  StorageConfig storage_;
};

}  // namespace

void make_messages(const Draft& draft, const Entry& entry, const Term& value, Variable& variable,
                   Findings& findings) {
  Messages(draft, entry, value, variable, findings).make();
}

}  // namespace pileus::planning
