#include "report/timeline.h"

#include <algorithm>

namespace pileus {

TimelinePoint together(const TimelinePoint& earlier, const TimelinePoint& later) {
  TimelinePoint both;
  for (const TimelineColumn& column : kTimelineColumns) {
    const double a = earlier.*column.value, b = later.*column.value;
    both.*column.value = column.is_most ? std::max(a, b) : b;
  }
  return both;
}

void thin(std::vector<TimelinePoint>& points, std::size_t most) {
  while (points.size() > most) {
    const std::size_t pairs = points.size() / 2;
    for (std::size_t i = 0; i < pairs; ++i) points[i] = together(points[2 * i], points[2 * i + 1]);
    if (points.size() % 2 == 1) points[pairs] = points.back();
    points.resize((points.size() + 1) / 2);
  }
}

Timeline::Timeline(std::size_t most_points, double interval_s)
    : most_points_(most_points), interval_s_(interval_s), next_s_(interval_s) {
  points_.reserve(most_points_);
}

void Timeline::add(const TimelinePoint& point) {
  if (!points_.empty() && point.end_s <= points_.back().end_s) {
    const double end_s = points_.back().end_s;
    points_.back() = together(points_.back(), point);
    points_.back().end_s = end_s;
    return;
  }
  if (points_.size() == most_points_) {
    thin(points_, most_points_ - 1);
    interval_s_ *= 2;
  }
  points_.push_back(point);
  next_s_ = point.end_s + interval_s_;
}

}  // namespace pileus
