#include "report/chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace pileus {
namespace {

constexpr std::array<std::string_view, 9> kBlocks = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::array<std::string_view, 9> kLetters = {" ", ".", ":", "-", "=", "+", "*", "%", "#"};

/// The sum at a time, as if it grew evenly within each point.
double at(std::span<const TimelinePoint> points, double TimelinePoint::*value, double time_s) {
  const auto after = std::ranges::lower_bound(points, time_s, {}, &TimelinePoint::end_s);
  if (after == points.end()) return points.back().*value;
  const TimelinePoint before = after == points.begin() ? TimelinePoint{} : *(after - 1);
  const double length_s = after->end_s - before.end_s;
  const double share = length_s > 0 ? (time_s - before.end_s) / length_s : 1;
  return before.*value + share * (*after.*value - before.*value);
}

}  // namespace

std::vector<double> most_over_time(std::span<const TimelinePoint> points, double TimelinePoint::*value,
                                   std::size_t width) {
  std::vector<double> most(width, 0);
  if (points.empty() || points.back().end_s <= 0) return most;
  const double per_s = static_cast<double>(width) / points.back().end_s;
  double begin_s = 0;
  for (const TimelinePoint& point : points) {
    const auto first = std::min(static_cast<std::size_t>(begin_s * per_s), width - 1);
    const auto end = std::min(static_cast<std::size_t>(std::ceil(point.end_s * per_s - 1e-9)), width);
    for (std::size_t i = first; i < std::max(end, first + 1); ++i) most[i] = std::max(most[i], point.*value);
    begin_s = point.end_s;
  }
  return most;
}

std::vector<double> growth_over_time(std::span<const TimelinePoint> points, double TimelinePoint::*value,
                                     std::size_t width) {
  std::vector<double> growth(width, 0);
  if (points.empty() || points.back().end_s <= 0) return growth;
  const double length_s = points.back().end_s / static_cast<double>(width);
  for (std::size_t i = 0; i < width; ++i) {
    const double begin_s = length_s * static_cast<double>(i);
    growth[i] =
        std::max(0.0, (at(points, value, begin_s + length_s) - at(points, value, begin_s)) / length_s);
  }
  return growth;
}

std::string sparkline(std::span<const double> values, double top, bool is_ascii) {
  const auto& marks = is_ascii ? kLetters : kBlocks;
  std::string line;
  for (const double value : values) {
    const double height = top > 0 ? std::clamp(value / top, 0.0, 1.0) : 0;
    // What is there at all is seen.
    const double level = height > 0 ? std::max(1.0, std::round(height * (marks.size() - 1))) : 0;
    line += marks[static_cast<std::size_t>(level)];
  }
  return line;
}

}  // namespace pileus
