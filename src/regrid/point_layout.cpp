#include "regrid/point_layout.h"

#include <algorithm>

#include "plan/held_regions.h"

namespace pileus {
namespace {

const std::vector<int>& axes_of(const Rule& rule) { return std::get<Regrid>(rule.action).how->axes; }

Region along_axes(const Region& region, const std::vector<int>& axes) {
  Region box;
  for (const int axis : axes) box.add(region.along(static_cast<std::size_t>(axis)));
  if (region.size() == 0) box.count[0] = 0;  // there may be points without elements
  return box;
}

bool is_axis(const std::vector<int>& axes, std::size_t d) {
  return std::ranges::find(axes, static_cast<int>(d)) != axes.end();
}

}  // namespace

PointBoxes point_boxes(const Plan& plan, const Rule& rule) {
  const ValueId input = rule.inputs.front();
  PointBoxes boxes;
  if (plan[input].spread == Spread::distributed) {
    for (const Region& region : regions_of_value(plan, input))
      boxes.push_back(along_axes(region, axes_of(rule)));
    return boxes;
  }
  Region whole;
  for (const Index extent : plan.extents(input)) whole.add(IndexSet(0, extent));
  boxes.assign(plan.layout.clients, along_axes(whole, axes_of(rule)));
  for (std::size_t client = 1; client < boxes.size(); ++client) boxes[client].count[0] = 0;
  return boxes;
}

Extents point_extents(const Plan& plan, const Rule& rule) {
  const Extents all = plan.extents(rule.inputs.front());
  Extents extents;
  for (const int axis : axes_of(rule)) extents.push_back(all[static_cast<std::size_t>(axis)]);
  return extents;
}

/// Two ranks never hold the same element.
bool has_holes(const Plan& plan, const Rule& rule) {
  const ValueId input = rule.inputs.front();
  if (plan[input].spread != Spread::distributed) return false;
  Index held = 0;
  for (const Region& region : regions_of_value(plan, input)) held += region.size();
  return held < Region{{}, plan.extents(input)}.size();
}

IndexRanges points_in(const IndexRanges& points, const Region& box, const Extents& extents) {
  IndexRanges found;
  if (points.empty()) return found;
  for (const Stretch& stretch : contiguous_stretches(box, extents)) {
    const IndexRanges parts = within(points, stretch.global_offset, stretch.global_offset + stretch.length);
    found.insert(found.end(), parts.begin(), parts.end());
  }
  return found;
}

Index number_within(Index point, const Region& box, const Extents& extents) {
  Index number = 0, stride = 1;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    number += (point % extents[d] - box.start[d]) * stride;
    point /= extents[d];
    stride *= box.count[d];
  }
  return number;
}

bool is_run_of(const IndexSet::Range& range, const Region& box, const Extents& extents) {
  const auto lies_within = [&](Index point) {
    bool lies = true;
    for (std::size_t d = 0; d < extents.size(); ++d) {
      lies = lies && box.along(d).contains(point % extents[d]);
      point /= extents[d];
    }
    return lies && point == 0;
  };
  if (box.size() == 0 || range.count < 1 || !lies_within(range.first) || !lies_within(range.end() - 1))
    return false;
  return number_within(range.end() - 1, box, extents) - number_within(range.first, box, extents) ==
         range.count - 1;
}

PointOffsets::PointOffsets(const Extents& extents, const std::vector<int>& axes) : others_{0} {
  Index stride = 1;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    if (is_axis(axes, d)) {
      const bool is_next = extents_.empty() || strides_.back() * extents_.back() == stride;
      if (extents_.empty()) stride_ = stride;
      if (!is_next) stride_ = 0;
      extents_.push_back(extents[d]);
      strides_.push_back(stride);
      points_ *= extents[d];
    } else {
      const std::vector<Index> before = std::move(others_);
      others_.clear();
      for (Index i = 0; i < extents[d]; ++i)
        for (const Index one : before) others_.push_back(one + i * stride);
    }
    stride *= extents[d];
  }
}

Index PointOffsets::of_point(Index point) const {
  if (stride_ > 0) return point * stride_;
  Index offset = 0;
  for (std::size_t d = 0; d < extents_.size(); ++d) {
    offset += point % extents_[d] * strides_[d];
    point /= extents_[d];
  }
  return offset;
}

std::vector<Index> places_of_others(const Region& held, const Extents& extents,
                                    const std::vector<int>& axes) {
  std::vector<Index> places = {0};
  Index stride = 1;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    if (is_axis(axes, d)) continue;
    const std::vector<Index> before = std::move(places);
    places.clear();
    for (Index i = 0; i < held.count[d]; ++i)
      for (const Index one : before) places.push_back(one + (held.start[d] + i) * stride);
    stride *= extents[d];
  }
  return places;
}

}  // namespace pileus
