#include "server/progress_line.h"

#include <cstdio>

namespace pileus {

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
  return text;
}

}  // namespace pileus
