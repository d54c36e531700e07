#pragma once
// Points on their way from one place to another, which has them in other runs.

#include <algorithm>
#include <array>
#include <vector>

#include "regrid/copy_points.h"
#include "regrid/directory.h"

namespace pileus {

/// Goes through points that lie in runs on two sides, in the same order, some at a time.
class PointPairs {
 public:
  PointPairs(const std::vector<PlaceRun>& from, const std::vector<PlaceRun>& to) : from_(from), to_(to) {}

  /// The next points, at most kPointsAtOnce; none at the end.
  std::size_t next() {
    std::size_t size = 0;
    while (size < kPointsAtOnce && at_from_ < from_.size()) {
      const PlaceRun &source = from_[at_from_], &target = to_[at_to_];
      const Index left = std::min(source.count - in_from_, target.count - in_to_);
      const Index count = std::min(left, static_cast<Index>(kPointsAtOnce - size));
      for (Index i = 0; i < count; ++i, ++size) {
        from[size] = source.first + in_from_ + i;
        to[size] = target.first + in_to_ + i;
      }
      step(in_from_ += count, at_from_, source);
      step(in_to_ += count, at_to_, target);
    }
    return size;
  }

  std::array<Index, kPointsAtOnce> from, to;

 private:
  static void step(Index& within, std::size_t& at, const PlaceRun& run) {
    if (within < run.count) return;
    within = 0;
    ++at;
  }
  const std::vector<PlaceRun>&from_, &to_;
  std::size_t at_from_ = 0, at_to_ = 0;
  Index in_from_ = 0, in_to_ = 0;
};

}  // namespace pileus
