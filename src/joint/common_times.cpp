#include "joint/common_times.h"

#include <algorithm>
#include <cmath>

namespace pileus {
namespace {

/// The first time at or after `from` that is not before `time_s`.
std::size_t next_not_before(const std::vector<double>& times, std::size_t from, double time_s) {
  while (from < times.size() && times[from] < time_s && !is_same_time(times[from], time_s)) ++from;
  return from;
}

}  // namespace

bool is_same_time(double a, double b) {
  constexpr double kRounding = 0x1p-50;
  return std::fabs(a - b) <= std::max(0.5e-6, kRounding * std::max(std::fabs(a), std::fabs(b)));
}

std::vector<CommonTime> common_times(std::span<const std::vector<double>> timelines) {
  std::vector<CommonTime> common;
  if (timelines.empty()) return common;
  std::vector<std::size_t> next(timelines.size(), 0);
  for (const double time_s : timelines.front()) {
    bool is_common = true;
    for (std::size_t i = 1; i < timelines.size(); ++i) {
      next[i] = next_not_before(timelines[i], next[i], time_s);
      is_common = is_common && next[i] < timelines[i].size() && is_same_time(timelines[i][next[i]], time_s);
    }
    if (is_common) common.push_back({time_s, next});
    ++next[0];
  }
  return common;
}

double first_length(std::span<const CommonTime> times) {
  if (times.empty() || times.front().time_s == 0) return 0;
  const double since_start = times.front().time_s > 0 ? times.front().time_s : HUGE_VAL;
  if (times.size() > 1) return std::min(times[1].time_s - times[0].time_s, since_start);
  return times.front().time_s > 0 ? since_start : 0;
}

}  // namespace pileus
