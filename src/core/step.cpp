#include "core/step.h"

#include <algorithm>
#include <cmath>

#include "core/shortest.h"

namespace pileus {
namespace {

/// Beyond so many seconds, thirty million years, calendars are not asked for boundaries.
constexpr double kFarthestMonth = 1e15;

/// The month of boundary 0.
Date first_month(const Frequency& every) {
  const Date month = {every.epoch.year, every.epoch.month};
  if (every.from_month == 0) return month;
  const std::int64_t period = std::min<std::int64_t>(every.months, 12);
  const std::int64_t since = (every.epoch.month - every.from_month + 12) % period;
  return months_later(every.calendar, month, -since);
}

}  // namespace

std::string text(const Frequency& frequency) {
  if (!frequency.is_given()) return "never";
  if (frequency.months > 0) {
    return text(Months{frequency.months, frequency.from_month}) +
           (frequency.from_month > 0 ? ", after " : " from ") + text(frequency.epoch) + " (" +
           std::string(name(frequency.calendar)) + ")";
  }
  return shortest(frequency.seconds) + " s";
}

Boundaries::Boundaries(const Frequency& frequency)
    : frequency_(frequency),
      period_s_(frequency.months > 0
                    ? static_cast<double>(frequency.months) * mean_month_s(frequency.calendar)
                    : frequency.seconds),
      first_month_(first_month(frequency)) {}

double Boundaries::at(std::int64_t k) const {
  if (frequency_.months == 0) return static_cast<double>(k) * period_s_;
  const Date month = months_later(frequency_.calendar, first_month_, k * frequency_.months);
  return static_cast<double>(seconds_between(frequency_.calendar, frequency_.epoch, month));
}

double Boundaries::within_reach(double time) const {
  return frequency_.months == 0 ? time : std::clamp(time, -kFarthestMonth, kFarthestMonth);
}

double Boundaries::guess(double time) const {
  return frequency_.months == 0 ? time / period_s_ : (time - at(0)) / period_s_;
}

std::int64_t Boundaries::last_at_or_before(double time, double step_length) const {
  const double reach = within_reach(time + kBoundaryTolerance * step_length);
  auto k = static_cast<std::int64_t>(std::floor(guess(reach)));
  while (at(k + 1) <= reach) ++k;
  while (at(k) > reach) --k;
  return k;
}

std::int64_t Boundaries::first_at_or_after(double time, double step_length) const {
  const double reach = within_reach(time - kBoundaryTolerance * step_length);
  auto k = static_cast<std::int64_t>(std::ceil(guess(reach)));
  while (at(k - 1) >= reach) --k;
  while (at(k) < reach) ++k;
  return k;
}

double Boundaries::snapped(double time, double step_length) const {
  const double below = at(last_at_or_before(time, step_length));
  const double above = at(first_at_or_after(time, step_length));
  return below == above ? below : time;
}

}  // namespace pileus
