#pragma once
// Weights of a regridding, as a file holds them: each value on the target grid is a sum of values on the
// source grid, each times its weight. Points of both grids are numbered from 0, fastest dimension first.

#include <cstdint>
#include <string>
#include <vector>

#include "core/extents.h"

namespace pileus {

/// The links of a range of target points, one row for each.
struct WeightRows {
  std::vector<std::uint64_t> begin;  ///< of each row in `source` and `weight`; one more than there are rows
  std::vector<Index> source;         ///< rises within a row
  std::vector<double> weight;        ///< links that a file has twice are one, added in the order of the file
};

/// What a file of weights says of itself.
struct WeightsHead {
  std::vector<Index> source_dims, target_dims;  ///< fastest first; empty if the file does not say
  Index source_size = 0, target_size = 0;       ///< points; 0 if the file does not say
  std::uint64_t links = 0;                      ///< as the file has them, with those that it has twice
  std::string method, normalization;            ///< in the words of the file; "" if it has none
};

}  // namespace pileus
