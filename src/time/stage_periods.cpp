#include "time/stage_periods.h"

#include <cmath>

namespace pileus {
namespace {

/// How many of the parts a whole one has, where both count from one boundary; 0: boundaries are to be found.
std::int64_t ratio(const Boundaries& of_whole, const Boundaries& of_part) {
  const Frequency &whole = of_whole.frequency(), &part = of_part.frequency();
  if (part.from_month != whole.from_month || of_part.at(0) != of_whole.at(0)) return 0;
  if (part.months > 0) return whole.months / part.months;
  return whole.months > 0 ? 0 : std::llround(whole.seconds / part.seconds);
}

std::int64_t floor_of_quotient(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

}  // namespace

StagePeriods::StagePeriods(const Schedule& schedule) {
  for (const Stage& stage : schedule.stages) stages_.emplace_back(stage.period);
  const bool is_each_sample = schedule.manipulation->record_of == RecordOf::each_sample;
  stages_.emplace_back(is_each_sample ? Frequency(1) : schedule.output_frequency);
  for (const Boundaries& stage : stages_) ratios_.push_back(ratio(stage, first()));
}

std::int64_t StagePeriods::passed(std::size_t stage, std::int64_t k) const {
  if (stage == 0) return k;
  if (ratios_[stage] > 0) return floor_of_quotient(k, ratios_[stage]);
  return stages_[stage].last_at_or_before(first().at(k), first().rounded_length());
}

}  // namespace pileus
