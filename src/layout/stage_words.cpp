#include "layout/stage_words.h"

#include <cmath>
#include <cstdlib>

#include "layout/draft.h"
#include "layout/metadata.h"

namespace pileus::planning {
namespace {

/// "1 day", "3 hour", "10 s", "1 month": a number and a unit of UDUNITS.
std::string interval(const Frequency& period) {
  if (period.months > 0) return std::to_string(period.months) + " month";
  constexpr std::pair<double, const char*> kUnits[] = {{86400, "day"}, {3600, "hour"}, {60, "minute"}};
  for (const auto& [seconds, unit] : kUnits) {
    const double count = period.seconds / seconds;
    if (count >= 1 && count == std::floor(count) && count < 1e9)
      return std::to_string(static_cast<std::int64_t>(count)) + " " + unit;
  }
  return text(period);
}

/// Whether boundaries in months are multiples of a time. Calendars repeat after 400 years.
bool are_multiples(const Boundaries& months, double period_s) {
  const std::int64_t each = months.frequency().months;
  for (std::int64_t k = 0; k * each <= 4800; ++k) {
    const double count = months.at(k) / period_s;
    if (std::abs(count - std::round(count)) > 1e-6) return false;
  }
  return true;
}

}  // namespace

std::string units_in_time(std::string units, const std::vector<Stage>& stages, Manipulation last) {
  for (const Stage& stage : stages)
    if (stage.manipulation->units != nullptr) units = stage.manipulation->units(units);
  return last->units != nullptr ? last->units(units) : units;
}

std::string methods_in_time(const std::vector<Stage>& stages, Manipulation last) {
  std::string methods;
  for (const Stage& stage : stages) {
    methods += kTimePlace;
    methods += stage.manipulation->cell_method;
    if (&stage != &stages.front()) methods += " (interval: " + interval((&stage - 1)->period) + ")";
    methods += " ";
  }
  methods += std::string(kTimePlace) + last->cell_method;
  return stages.empty() ? methods : methods + " (interval: " + interval(stages.back().period) + ")";
}

std::string months_problem(const FileIncludeConfig& include, const PlannedTime& time) {
  if (!time.has_epoch || !include.output_frequency) return "";
  for (std::size_t s = 0; s < include.stages.size(); ++s) {
    const StageConfig& stage = include.stages[s];
    const bool is_last = s + 1 == include.stages.size();
    const Duration& whole = is_last ? *include.output_frequency : include.stages[s + 1].period;
    if (stage.period.months > 0 || whole.months == 0) continue;
    if (are_multiples(Boundaries(frequency_of(whole, time)), stage.period.seconds)) continue;
    return quoted(stage.name) + " over " + text(Frequency(stage.period.seconds)) +
           " does not end where each month ends: its periods are multiples from model time 0, " +
           text(time.epoch) +
           ", and months end at 00:00; periods such as \"1 d\" do from an epoch at 00:00 on";
  }
  return "";
}

}  // namespace pileus::planning
