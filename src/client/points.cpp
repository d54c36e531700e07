#include "client/points.h"

#include <algorithm>

#include "core/error.h"

namespace pileus {
namespace {

/// With shorter runs on average each element is kept by itself: a run costs about as much as so many
/// elements.
constexpr Index kShortRun = 6;

struct Point {
  Index index = 0;
  std::int32_t element = 0;
};

/// "element 37", "element 37 (5, 1)"
std::string text_of(std::int32_t element, const Extents& counts) {
  std::string text = "element " + std::to_string(element);
  if (counts.size() == 1) return text;
  Index left = element;
  for (std::size_t d = 0; d < counts.size(); ++d) {
    text += (d == 0 ? " (" : ", ") + std::to_string(left % counts[d]);
    left /= counts[d];
  }
  return text + ")";
}

std::vector<Point> points_of(const std::string& points, Index domain, const Extents& counts,
                             const Index* indices) {
  Index elements = 1;
  for (const Index count : counts) elements *= count;
  std::vector<Point> held;
  held.reserve(static_cast<std::size_t>(
      std::count_if(indices, indices + elements, [](Index index) { return index >= 0; })));
  for (Index i = 0; i < elements; ++i) {
    const auto element = static_cast<std::int32_t>(i);
    if (indices[i] >= domain)
      throw UsageError(points + ": " + text_of(element, counts) + " has the index " +
                       std::to_string(indices[i]) + "; there are " + std::to_string(domain) +
                       " points, numbered from 0");
    if (indices[i] >= 0) held.push_back({indices[i], element});
  }
  return held;
}

void sort(std::vector<Point>& held, const std::string& points, const Extents& counts) {
  const auto is_before = [](const Point& a, const Point& b) {
    return a.index != b.index ? a.index < b.index : a.element < b.element;
  };
  if (!std::is_sorted(held.begin(), held.end(), is_before)) std::sort(held.begin(), held.end(), is_before);
  const auto twice = std::adjacent_find(held.begin(), held.end(),
                                        [](const Point& a, const Point& b) { return a.index == b.index; });
  if (twice == held.end()) return;
  throw UsageError(points + ": " + text_of(twice[0].element, counts) + " and " +
                   text_of(twice[1].element, counts) + " of this rank both have the index " +
                   std::to_string(twice->index) +
                   "; give one of them, and a negative index for the other, as for a halo");
}

std::vector<LocalRun> runs_of(const std::vector<Point>& held) {
  std::vector<LocalRun> runs;
  for (const Point& point : held) {
    if (!runs.empty() && point.element == runs.back().first + runs.back().count) {
      ++runs.back().count;
    } else {
      runs.push_back({point.element, 1});
    }
  }
  return runs;
}

/// How many runs there are in single rows of the array. REQUIRES: some.
Index pieces_of(const std::vector<LocalRun>& runs, Index row) {
  Index pieces = 0;
  for (const LocalRun& run : runs) pieces += (run.first + run.count - 1) / row - run.first / row + 1;
  return pieces;
}

}  // namespace

HeldPoints hold_points(const std::string& points, Index domain, const Extents& counts, const Index* indices) {
  std::vector<Point> held = points_of(points, domain, counts, indices);
  sort(held, points, counts);
  HeldPoints out;
  out.counts = counts;
  out.size = static_cast<Index>(held.size());
  for (const Point& point : held) add_index(out.indices, point.index);
  if (held.empty()) return out;
  out.runs = runs_of(held);
  const Index row = counts.size() == 1 ? kMostLocalElements : counts[0];
  if (pieces_of(out.runs, row) * kShortRun > out.size) {
    std::vector<LocalRun>().swap(out.runs);  // an assignment of {} would keep the memory
    out.elements.reserve(held.size());
    for (const Point& point : held) out.elements.push_back(point.element);
  }
  return out;
}

}  // namespace pileus
