#include "client/step_checks.h"

#include <cmath>
#include <cstdio>

#include "core/error.h"

namespace pileus {
namespace {

constexpr double kLatest = 1e15;  // s; 30 million years, and doubles still tell 0.125 s apart

/// As short as it is exact enough for a message: "98.2".
std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", value);
  return text;
}

void require_bounds(const std::string& what, const Step& step) {
  if (step.index < 0) throw UsageError(what + ": the index must not be negative");
  if (step.index > kLastStep)
    throw UsageError(what + ": the index is at most 2^62, so that what is counted behind it has numbers too");
  if (!(std::abs(step.time) <= kLatest))
    throw UsageError(what + " is at " + number(step.time) +
                     " s; give seconds of model time, finite and at most 1e15");
  if (!(step.length >= 0 && step.length <= kLatest))
    throw UsageError(what + " has a length of " + number(step.length) + " s; it must be positive and finite");
}

void require_later(const std::string& what, const Step& step, const Step& before) {
  const std::string earlier = "step " + std::to_string(before.index) + " at " + number(before.time) + " s";
  if (step.index <= before.index)
    throw UsageError(what + " comes after " + earlier + "; the index must increase");
  if (step.time <= before.time)
    throw UsageError(what + " at " + number(step.time) + " s comes after " + earlier +
                     "; the time must increase");
}

}  // namespace

void require_step(Call call, const Step& step, const Step* before,
                  const std::optional<std::int64_t>& continued) {
  const std::string what = std::string(c_name(call)) + ": step " + std::to_string(step.index);
  require_bounds(what, step);
  if (continued && step.index <= *continued)
    throw UsageError(what + " is in the checkpoint of step " + std::to_string(*continued) +
                     ", after which this run continues (pileus_continue); begin with a later one");
  if (before == nullptr) return;
  if (step.is_initial())
    throw UsageError(what + " has a length of 0 s, which the first step of a run alone may have: it is the " +
                     "state at the start" + (continued ? ", and this run continues another" : ""));
  require_later(what, step, *before);
}

std::string strange_times(const Step& step, const Step* before) {
  const std::string what = "step " + std::to_string(step.index);
  const double begin = step.time - step.length;
  const double tolerance_s = 1e-3 * step.length;  // models add up their times
  if (before == nullptr) {
    if (begin >= -tolerance_s || step.time < 0) return "";
    return what + " begins at " + number(begin) + " s; is its time the time at its END?";
  }
  if (step.index != before->index + 1 || std::abs(begin - before->time) <= tolerance_s) return "";
  return what + " at " + number(step.time) + " s has a length of " + number(step.length) + " s, but " +
         number(step.time - before->time) + " s have passed since step " + std::to_string(before->index);
}

}  // namespace pileus
