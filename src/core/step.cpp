#include "core/step.h"

#include <cmath>

namespace pileus {

std::int64_t Boundaries::last_at_or_before(double time, double step_length) const {
  const double reach = time + kBoundaryTolerance * step_length;
  auto k = static_cast<std::int64_t>(std::floor(reach / period_));
  while (at(k + 1) <= reach) ++k;
  while (at(k) > reach) --k;
  return k;
}

std::int64_t Boundaries::first_at_or_after(double time, double step_length) const {
  const double reach = time - kBoundaryTolerance * step_length;
  auto k = static_cast<std::int64_t>(std::ceil(reach / period_));
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
