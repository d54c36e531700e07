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
                                        const std::vector<Stage>& chain, std::vector<Attribute>& attributes,
                                        Findings& findings) {
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
    const UnitOrigin origin = origin_of(chain);
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

}  // namespace pileus::planning
