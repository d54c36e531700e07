#include "math/exact_sum_block.h"

#include <bit>
#include <cmath>
#include <cstdint>

namespace pileus::detail {

template <class T>
double largest_magnitude(std::span<const T> values) {
  double lanes[kLanes] = {};
  for (std::size_t i = 0; i < values.size(); i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const double magnitude = std::fabs(static_cast<double>(values[i + lane]));
      lanes[lane] = magnitude > lanes[lane] ? magnitude : lanes[lane];
    }
  }
  double largest = 0;
  for (const double lane : lanes) largest = lane > largest ? lane : largest;
  return largest;
}

template <class T>
BlockSums sum_block(std::span<const T> values, Splitting splitting) {
  double first[kLanes] = {};
  double second[kLanes] = {};
  std::uint64_t rest[kLanes] = {};
  for (std::size_t i = 0; i < values.size(); i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      double x = static_cast<double>(values[i + lane]);
      const double high = (splitting.first + x) - splitting.first;
      x -= high;
      first[lane] += high;
      const double low = (splitting.second + x) - splitting.second;
      x -= low;
      second[lane] += low;
      rest[lane] |= std::bit_cast<std::uint64_t>(x);
    }
  }
  BlockSums sums;
  std::uint64_t any_rest = 0;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    sums.lanes[lane] = first[lane];
    sums.lanes[kLanes + lane] = second[lane];
    any_rest |= rest[lane];
  }
  sums.has_rest = any_rest << 1 != 0;  // without the sign, which −0 has too
  return sums;
}

template <class T>
void rest_of_block(std::span<const T> values, Splitting splitting, double* rest) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    double x = static_cast<double>(values[i]);
    x -= (splitting.first + x) - splitting.first;
    x -= (splitting.second + x) - splitting.second;
    rest[i] = x;
  }
}

template double largest_magnitude<double>(std::span<const double>);
template double largest_magnitude<float>(std::span<const float>);
template BlockSums sum_block<double>(std::span<const double>, Splitting);
template BlockSums sum_block<float>(std::span<const float>, Splitting);
template void rest_of_block<double>(std::span<const double>, Splitting, double*);
template void rest_of_block<float>(std::span<const float>, Splitting, double*);

}  // namespace pileus::detail
