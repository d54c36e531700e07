#include "regrid/halo_runs.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace pileus {
namespace {

/// Indices of one dimension that both boxes have: the first within each, and how many.
struct Overlap {
  Index from = 0, to = 0, count = 0;
};

std::vector<Overlap> overlaps(const IndexSet::Range& box, const IndexSet::Range& wide, Index size) {
  std::vector<Overlap> found;
  for (const Index shift : {-size, Index{0}, size}) {
    const Index first = std::max(box.first + shift, wide.first);
    const Index end = std::min(box.end() + shift, wide.end());
    if (first < end) found.push_back({first - shift - box.first, first - wide.first, end - first});
  }
  return found;
}

/// Puts runs that follow each other on both sides into one.
void add_run(HaloRuns& runs, Index from, Index to, Index count) {
  runs.count += count;
  const bool goes_on = !runs.from.empty() && runs.from.back().end() == from && runs.to.back().end() == to;
  if (goes_on) {
    runs.from.back().count += count;
    runs.to.back().count += count;
    return;
  }
  runs.from.push_back({from, count});
  runs.to.push_back({to, count});
}

/// The part of both boxes that one overlap in each dimension gives, row by row.
void add_box(const std::vector<Overlap>& part, const Region& box, const Region& wide, HaloRuns& runs) {
  Extents at(part.size(), 0);
  for (bool is_through = false; !is_through;) {
    Index from = 0, to = 0, from_stride = 1, to_stride = 1;
    for (std::size_t d = 0; d < part.size(); ++d) {
      from += (part[d].from + at[d]) * from_stride;
      to += (part[d].to + at[d]) * to_stride;
      from_stride *= box.count[d];
      to_stride *= wide.count[d];
    }
    add_run(runs, from, to, part.front().count);
    std::size_t d = 1;
    for (; d < part.size() && ++at[d] == part[d].count; ++d) at[d] = 0;
    is_through = d >= part.size();
  }
}

}  // namespace

Region wide_box(const Region& box, const std::vector<Halo>& halos, const Extents& sizes) {
  std::vector<int> axes(sizes.size());
  std::iota(axes.begin(), axes.end(), 0);
  return with_halo(box, axes, halos, sizes);
}

HaloRuns halo_runs(const Region& box, const Region& wide, const Extents& sizes) {
  HaloRuns runs;
  if (box.size() == 0 || wide.size() == 0) return runs;
  std::vector<std::vector<Overlap>> parts = {{}};  // one overlap for each dimension so far
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    std::vector<std::vector<Overlap>> longer;
    for (const Overlap& one :
         overlaps({box.start[d], box.count[d]}, {wide.start[d], wide.count[d]}, sizes[d])) {
      for (const std::vector<Overlap>& part : parts) {
        longer.push_back(part);
        longer.back().push_back(one);
      }
    }
    parts = std::move(longer);
  }
  for (const std::vector<Overlap>& part : parts) add_box(part, box, wide, runs);
  return runs;
}

}  // namespace pileus
