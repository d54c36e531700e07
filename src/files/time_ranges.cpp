#include "files/time_ranges.h"

#include <cmath>

namespace pileus {

bool is_time_range(std::string_view key) {
  return key == "{years}" || key == "{months}" || key == "{days}" || key.starts_with("{minutes_");
}

std::string time_range(std::string_view key, const PlannedTime& time, double begin_s, double end_s) {
  const auto digits = key == "{years}" ? 4U : key == "{months}" ? 6U : key == "{days}" ? 8U : 12U;
  double first_s = begin_s, last_s = end_s - 1;
  if (digits == 12) {
    const double hours_s = 3600.0 * (key[key.size() - 3] - '0');
    const bool is_instant = key.find("each") != key.npos;
    first_s = begin_s + (is_instant ? hours_s : hours_s / 2);
    last_s = end_s - (is_instant ? 0 : hours_s / 2);
  }
  const auto text = [&](double at_s) {
    std::string date = compact_text(seconds_later(time.calendar, time.epoch, std::llround(at_s)));
    std::erase(date, 'T');
    return date.substr(0, digits);
  };
  return text(first_s) + "-" + text(last_s);
}

}  // namespace pileus
