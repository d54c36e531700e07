#pragma once
// What the operators along columns give, the slow and obvious way: one column, one place.

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/missing.h"
#include "functions/elementary.h"

namespace pileus::operators::oracle {

/// A column of values at places; nothing: a missing one.
struct Column {
  std::vector<std::optional<double>> values, places;
};

inline double line(double x, double x0, double y0, double x1, double y1) {
  if (x0 > x1) return line(x, x1, y1, x0, y0);
  return (y1 - y0) / (x1 - x0) * (x - x0) + y0;
}

/// The value at a place, kMissing where there is none.
inline double value_at(const Column& column, double place, const std::string& method,
                       const std::string& outside) {
  const auto scaled = [&](double x) { return method == "log" ? logarithm(x) : x; };
  const auto is_usable = [&](std::size_t i) {
    const auto& at = column.places[i];
    return at && !std::isnan(*at) && (method != "log" || *at > 0);
  };
  const auto value = [&](std::size_t i) { return column.values[i].value_or(kMissing); };
  const auto on_line = [&](std::size_t a, std::size_t b) {
    if (!column.values[a] || !column.values[b]) return kMissing;
    return line(scaled(place), scaled(*column.places[a]), value(a), scaled(*column.places[b]), value(b));
  };
  std::vector<std::size_t> usable;
  for (std::size_t i = 0; i < column.places.size(); ++i) {
    if (!is_usable(i)) continue;
    usable.push_back(i);
    const double here = *column.places[i];
    if (here == place) return value(i);
    if (i + 1 == column.places.size() || !is_usable(i + 1)) continue;
    const double next = *column.places[i + 1];
    if (!((here < place && place < next) || (here > place && place > next))) continue;
    if (method != "nearest") return on_line(i, i + 1);
    const std::size_t low = here < next ? i : i + 1, high = here < next ? i + 1 : i;
    return value(place - *column.places[low] <= *column.places[high] - place ? low : high);
  }
  if (outside == "missing" || usable.empty()) return kMissing;
  const double first = *column.places[usable.front()], last = *column.places[usable.back()];
  if ((first < place && place < last) || (first > place && place > last)) return kMissing;
  const bool is_first = std::abs(place - first) <= std::abs(place - last);
  const std::size_t end = is_first ? usable.front() : usable.back();
  if (outside == "nearest") return value(end);
  if (usable.size() < 2) return kMissing;
  const std::size_t next = is_first ? usable[1] : usable[usable.size() - 2];
  return *column.places[end] == *column.places[next] ? kMissing : on_line(end, next);
}

}  // namespace pileus::operators::oracle
