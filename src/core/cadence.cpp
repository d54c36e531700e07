#include "core/cadence.h"

#include <cmath>
#include <limits>
#include <numeric>

namespace pileus {
namespace {

std::optional<std::int64_t> common_multiple(std::int64_t a, std::int64_t b) {
  const std::int64_t factor = b / std::gcd(a, b);
  if (a > std::numeric_limits<std::int64_t>::max() / factor) return {};
  return a * factor;
}

/// Of whole microseconds, the shortest time of a configuration.
std::optional<std::int64_t> microseconds(double seconds) {
  const double count = std::round(seconds * 1e6);
  const bool is_whole = std::abs(seconds * 1e6 - count) <= 1e-9 * count;
  if (!is_whole || count < 1 || count > 9e15) return {};
  return static_cast<std::int64_t>(count);
}

std::optional<Cadence> common_time(double a, double b) {
  if (a == b) return Cadence::of_time(a);
  const auto one = microseconds(a), other = microseconds(b);
  const auto both = one && other ? common_multiple(*one, *other) : std::nullopt;
  if (!both) return {};
  // The longer time itself where that is it, without rounding.
  if (*both == *one) return Cadence::of_time(a);
  if (*both == *other) return Cadence::of_time(b);
  return Cadence::of_time(static_cast<double>(*both) * 1e-6);
}

}  // namespace

bool Cadence::takes(const Step& step) const {
  if (is_final_only()) return false;
  if (step.is_initial()) return true;
  if (!is_in_time()) return step.done() % steps == 0;
  // What is near enough to a multiple is the same for all steps, so that each is taken once.
  const Boundaries boundaries(every);
  const double near = boundaries.period();
  return boundaries.last_at_or_before(step.time, near) >
         boundaries.last_at_or_before(step.time - step.length, near);
}

std::string text(const Cadence& cadence) {
  if (cadence.is_in_time()) return "the first step after each " + text(cadence.every);
  if (cadence.is_final_only()) return "no step";
  return cadence.steps == 1 ? "every step" : "every " + std::to_string(cadence.steps) + " steps";
}

std::optional<Cadence> common_cadence(const Cadence& a, const Cadence& b) {
  if (a.is_final_only() || b.is_final_only()) return Cadence(0);
  if (a.is_every_step()) return b;
  if (b.is_every_step()) return a;
  if (a.is_in_time() != b.is_in_time()) return {};
  if (a.is_in_time()) return common_time(a.every.seconds, b.every.seconds);
  const auto steps = common_multiple(a.steps, b.steps);
  return steps ? std::optional<Cadence>(*steps) : std::nullopt;
}

}  // namespace pileus
