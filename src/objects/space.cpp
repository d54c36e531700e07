#include "objects/space.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace pileus::objects {
namespace {

/// Calls `visit` with each combination of indices below `counts`, the first the fastest.
template <class Visit>
void for_each(const std::vector<Index>& counts, Visit visit) {
  if (std::ranges::any_of(counts, [](Index count) { return count < 1; })) return;
  std::vector<Index> at(counts.size(), 0);
  while (true) {
    visit(at);
    std::size_t d = 0;
    while (d < at.size() && ++at[d] == counts[d]) at[d++] = 0;
    if (d == at.size()) return;
  }
}

std::vector<Index> strides_of(const operators::Region& part) {
  std::vector<Index> strides;
  Index stride = 1;
  for (const Index count : part.count) {
    strides.push_back(stride);
    stride *= count;
  }
  return strides;
}

/// The first element of what an element hangs together with, and shorter ways to it for the next time.
Index first_of(std::vector<Index>& parents, Index element) {
  auto at = static_cast<std::size_t>(element);
  while (parents[at] != static_cast<Index>(at)) {
    parents[at] = parents[static_cast<std::size_t>(parents[at])];
    at = static_cast<std::size_t>(parents[at]);
  }
  return static_cast<Index>(at);
}

void join(std::vector<Index>& parents, Index a, Index b) {
  const Index first = first_of(parents, a), other = first_of(parents, b);
  parents[static_cast<std::size_t>(std::max(first, other))] = std::min(first, other);
}

}  // namespace

Space::Space(std::vector<Axis> axes, bool has_corners) : axes_(std::move(axes)) {
  for (const Axis& axis : axes_) {
    stride_.push_back(size_);
    size_ *= axis.size;
  }
  for_each(std::vector<Index>(axes_.size(), 3), [&](const std::vector<Index>& at) {
    Step step;
    Index moves = 0, last = 0;
    for (std::size_t d = 0; d < at.size(); ++d) {
      const auto along = static_cast<int>(at[d]) - 1;
      step.along.push_back(along);
      step.offset += along * stride_[d];
      moves += std::abs(along);
      if (along != 0) last = along;
    }
    if (last > 0 && (has_corners || moves == 1)) steps_.push_back(std::move(step));
  });
}

std::vector<Index> Space::offsets(const operators::Region& part) const {
  const std::vector<Index> strides = strides_of(part);
  std::vector<Index> counts, offsets;
  for (const Axis& axis : axes_) counts.push_back(axis.size);
  for_each(counts, [&](const std::vector<Index>& at) {
    Index offset = 0;
    for (std::size_t d = 0; d < at.size(); ++d) offset += at[d] * strides[axes_[d].at];
    offsets.push_back(offset);
  });
  return offsets;
}

std::vector<Index> Space::begins(const operators::Region& part) const {
  const std::vector<Index> strides = strides_of(part);
  std::vector<Index> counts = part.count, begins;
  for (const Axis& axis : axes_) counts[axis.at] = std::min<Index>(counts[axis.at], 1);
  for_each(counts, [&](const std::vector<Index>& at) {
    Index begin = 0;
    for (std::size_t d = 0; d < at.size(); ++d) begin += at[d] * strides[d];
    begins.push_back(begin);
  });
  return begins;
}

Index Space::neighbour(const std::vector<Index>& at, Index element, const Step& step) const {
  Index found = element + step.offset;
  for (std::size_t d = 0; d < axes_.size(); ++d) {
    const Index there = at[d] + step.along[d];
    if (there >= 0 && there < axes_[d].size) continue;
    if (!axes_[d].is_periodic) return -1;
    found += (there < 0 ? axes_[d].size : -axes_[d].size) * stride_[d];
  }
  return found;
}

std::vector<Index> Space::firsts(const std::vector<std::uint8_t>& is_inside) const {
  std::vector<Index> parents(is_inside.size());
  for (std::size_t i = 0; i < parents.size(); ++i) parents[i] = static_cast<Index>(i);
  std::vector<Index> counts;
  for (const Axis& axis : axes_) counts.push_back(axis.size);
  Index element = 0;
  for_each(counts, [&](const std::vector<Index>& at) {
    const Index here = element++;
    if (is_inside[static_cast<std::size_t>(here)] == 0) return;
    for (const Step& step : steps_) {
      const Index there = neighbour(at, here, step);
      if (there >= 0 && is_inside[static_cast<std::size_t>(there)] != 0) join(parents, here, there);
    }
  });
  // An element's parent comes before it, and has its first one by then.
  for (std::size_t i = 0; i < parents.size(); ++i)
    parents[i] = is_inside[i] == 0 ? -1 : parents[static_cast<std::size_t>(parents[i])];
  return parents;
}

}  // namespace pileus::objects
