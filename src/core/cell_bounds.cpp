#include "core/cell_bounds.h"

#include <algorithm>
#include <functional>

namespace pileus {

bool is_strictly_monotonic(const std::vector<double>& numbers) {
  const auto is_unordered = [&](auto before) {
    return std::adjacent_find(numbers.begin(), numbers.end(),
                              [&](double a, double b) { return !before(a, b); }) != numbers.end();
  };
  return !is_unordered(std::less<>()) || !is_unordered(std::greater<>());
}

std::vector<double> cells_between(const std::vector<double>& coordinates) {
  std::vector<double> ends = {coordinates[0] - (coordinates[1] - coordinates[0]) / 2};
  for (std::size_t i = 1; i < coordinates.size(); ++i) {
    ends.push_back(coordinates[i - 1] + (coordinates[i] - coordinates[i - 1]) / 2);
  }
  const std::size_t last = coordinates.size() - 1;
  ends.push_back(coordinates[last] + (coordinates[last] - coordinates[last - 1]) / 2);
  std::vector<double> bounds;
  for (std::size_t i = 0; i <= last; ++i) {
    bounds.push_back(ends[i]);
    bounds.push_back(ends[i + 1]);
  }
  return bounds;
}

}  // namespace pileus
