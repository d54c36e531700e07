#pragma once
// What an operator makes of elements that lie on any model ranks: each point of its result is a sum over
// points of its input. Servers bring these together before they add them up (docs/decisions/072).

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/region.h"
#include "pileus/operator.hpp"

namespace pileus {

/// What a range of points of the result is made of: those of the input and their weights, by point. A point's
/// links rise, and each is there once.
struct LinkRows {
  std::vector<std::uint64_t> begin = {0};  ///< where the links of each point begin, and where the last end
  std::vector<Index> source;
  std::vector<double> weight;  ///< empty: no weights
  std::size_t rows() const { return begin.size() - 1; }
};

/// How a point is made of its links. Elements that stand for no value are left out of the first two.
enum class LinkSum : std::uint8_t {
  weighted,  ///< the sum of weight times element, in the order of the links
  mean,      ///< the sum of the elements, in their order, divided by their number
  copy       ///< the one element that there is
};

/// What becomes of a point of which some elements are missing; where all are, it is missing.
enum class LinkMissing : std::uint8_t {
  scaled,  ///< the weights of the others are scaled so that they add up to what all did
  missing
};

/// A dimension that a regridding brings.
struct RegridDimension {
  std::string name;
  Index size = 0;
  std::vector<double> coordinates = {}, bounds = {};  ///< empty, or one and two for each element
  std::string units = {}, standard_name = {}, axis = {};
};

struct Regridding {
  /// Positions of the input's dimensions over which its points are numbered, rising: the fastest first.
  std::vector<int> axes;
  /// The dimensions of the result's points, fastest first. They stand where the first of `axes` does. Empty:
  /// the result has the dimensions of the input.
  std::vector<RegridDimension> dimensions;
  /// Equal in two rules if the links of both are. What they need of a step then travels together.
  std::string links_name;
  /// The links of some points of the result. Empty: they stand in the file.
  std::function<LinkRows(Index first, Index count)> links = {};
  std::string file = {};
  LinkSum sum = LinkSum::weighted;
  LinkMissing missing = LinkMissing::scaled;
  bool has_holes = false;  ///< there may be points without links, which are missing

  /// Number of points of the result.
  Index target_size = 0, source_size = 0;  ///< of points
};

/// Where the slowest dimension of its points stands in the result.
inline std::size_t slowest_of_points(const Regridding& how) {
  return how.dimensions.empty() ? static_cast<std::size_t>(how.axes.back())
                                : static_cast<std::size_t>(how.axes.front()) + how.dimensions.size() - 1;
}

}  // namespace pileus
