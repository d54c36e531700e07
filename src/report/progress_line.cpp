#include "report/progress_line.h"

#include <cmath>
#include <cstdio>

namespace pileus {
namespace {

/// In the two largest units that say it.
std::string duration_in_words(double seconds) {
  const double minutes = std::round(seconds / 60), hours = std::floor(minutes / 60);
  char text[40];
  if (seconds < 99.5)
    std::snprintf(text, sizeof text, "%.0f s", seconds);
  else if (minutes < 100)
    std::snprintf(text, sizeof text, "%.0f min", minutes);
  else
    std::snprintf(text, sizeof text, "%.0f h %.0f min", hours, minutes - 60 * hours);
  return text;
}

}  // namespace

std::optional<std::string> ProgressLine::at(const Step& step, Clock::time_point now) {
  if (period_s_ <= 0) return std::nullopt;
  const double passed_s = last_ ? std::chrono::duration<double>(now - *last_).count() : 0;
  if (last_ && passed_s < period_s_) return std::nullopt;
  const bool is_first = !last_;
  const double model_s = step.time - last_model_time_s_;
  last_ = now;
  last_model_time_s_ = step.time;
  if (is_first) return std::nullopt;
  char text[160];
  std::snprintf(text, sizeof text, "model time %.10g s, step %lld; %.4g s of model time a second", step.time,
                static_cast<long long>(step.index), model_s / passed_s);
  const double left_s = (end_s_ - step.time) * passed_s / model_s;
  const bool is_left = end_s_ > step.time && model_s > 0 && left_s < 1e9;
  return text + (is_left ? "; " + duration_in_words(left_s) + " left" : std::string());
}

}  // namespace pileus
