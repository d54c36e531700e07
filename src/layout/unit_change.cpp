#include "layout/unit_change.h"

#include <algorithm>

#include "core/error.h"
#include "layout/metadata.h"
#include "units/units.h"

namespace pileus::planning {
namespace {

/// Of a chain that of all its stages.
UnitOrigin origin_of(const std::vector<Stage>& chain) {
  UnitOrigin origin = UnitOrigin::kept;
  for (const Stage& stage : chain) {
    if (stage.manipulation->holds == RecordHolds::number ||
        stage.manipulation->holds == RecordHolds::duration)
      origin = UnitOrigin::dropped;  // "1" and "s", whatever the samples have
    else
      origin = std::max(origin, stage.manipulation->origin);
  }
  return origin;
}

}  // namespace

std::optional<ValueChange> change_units(const Draft& draft, const Entry& entry,
                                        const std::vector<Stage>& chain, const std::string& units_metadata,
                                        std::vector<Attribute>& attributes, Findings& findings) {
  const Text& wanted = entry.include->units;
  if (!wanted.is_given() || entry.is_of_grid) return {};
  const auto refuse = [&](const std::string& why) {
    report(findings, wanted.where, quoted(entry.name.value) + ": units=" + quoted(wanted.value) + ": " + why);
    return std::nullopt;
  };
  if (chain.back().manipulation->holds == RecordHolds::time)
    return refuse("it is a time, in the units of others");
  const auto has = std::ranges::find(attributes, "units", &Attribute::name);
  if (has == attributes.end()) {
    if (draft.shapes.is_imagined) return {};  // the model may say them
    return refuse("it has no units that could be converted; give its field or diagnostic units");
  }
  const std::string before = std::get<std::string>(has->value);
  try {
    const UnitChange change = change_of_units(before, wanted.value);
    const bool is_difference = units_metadata == "temperature: difference";
    const UnitOrigin origin = is_difference ? UnitOrigin::dropped : origin_of(chain);
    // A difference in space, or a spread, has no origin either, and only its author knows what it is.
    if (change.offset != 0 && entry.diagnostic && units_metadata.empty() && origin == UnitOrigin::kept) {
      return refuse("the units have another origin than " + quoted(before) +
                    ": say units_metadata=\"temperature: on_scale\" of the diagnostic, or \"temperature: "
                    "difference\" where it is one");
    }
    if (change.offset != 0 && origin == UnitOrigin::lost) {
      return refuse("the units have another origin than " + quoted(before) +
                    ", which is lost in what is made of values in time");
    }
    has->value = wanted.value;
    const double offset = origin == UnitOrigin::dropped ? 0 : change.offset;
    if (change.factor == 1 && offset == 0) return {};
    return ValueChange{change.factor, offset};
  } catch (const UsageError& error) {
    return refuse(error.what());
  }
}

void check_ranges(const Entry& entry, const std::vector<Attribute>& attributes, Findings& findings) {
  for (const char* const name : {"valid_min", "valid_max", "valid_range", "actual_range", "flag_values"}) {
    const bool is_there = std::ranges::find(attributes, name, &Attribute::name) != attributes.end();
    const bool is_of_include = std::ranges::any_of(
        entry.include->attributes, [&](const AttributeConfig& one) { return one.name.value == name; });
    if (is_there && !is_of_include) {
      report(findings, entry.include->units.where,
             quoted(entry.name.value) + ": its " + name +
                 " is in the units that it had: give the include an " + "<attribute name=" + quoted(name) +
                 "> in " + quoted(entry.include->units.value));
    }
  }
}

}  // namespace pileus::planning
