#include "math/exact_sum_block.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace pileus::detail {
namespace {

// GCC's and Clang's vector extension at the width of the target's registers. With GCC 12, loops over an array
// of lanes stayed scalar, and wider rows than the target has went through memory.
#if defined(__AVX512F__)
constexpr std::size_t kWidth = 8;
#elif defined(__AVX__)
constexpr std::size_t kWidth = 4;
#else
constexpr std::size_t kWidth = 2;
#endif
constexpr std::size_t kRows = kLanes / kWidth;

template <class T>
using Row __attribute__((vector_size(kWidth * sizeof(T)))) = T;

template <class T>
inline Row<double> load(const T* values) {
  Row<T> row;
  std::memcpy(&row, values, sizeof row);
  return __builtin_convertvector(row, Row<double>);
}

/// Takes out of x what is a multiple of the splitting constant's unit, and returns it.
inline Row<double> split(Row<double>& x, double splitting) {
  const Row<double> part = (splitting + x) - splitting;
  x -= part;
  return part;
}

}  // namespace

template <class T>
double largest_magnitude(std::span<const T> values) {
  Row<double> largest_of[kRows] = {};
  for (std::size_t i = 0; i < values.size(); i += kLanes) {
    for (std::size_t row = 0; row < kRows; ++row) {
      const auto bits = std::bit_cast<Row<std::uint64_t>>(load(values.data() + i + row * kWidth));
      const auto magnitude = std::bit_cast<Row<double>>(bits << 1 >> 1);
      largest_of[row] = magnitude > largest_of[row] ? magnitude : largest_of[row];
    }
  }
  double largest = 0;
  for (const Row<double>& row : largest_of) {
    for (std::size_t lane = 0; lane < kWidth; ++lane) largest = row[lane] > largest ? row[lane] : largest;
  }
  return largest;
}

template <class T>
BlockSums sum_block(std::span<const T> values, Splitting splitting) {
  Row<double> first[kRows] = {};
  Row<double> second[kRows] = {};
  Row<std::uint64_t> rest = {};
  for (std::size_t i = 0; i < values.size(); i += kLanes) {
    for (std::size_t row = 0; row < kRows; ++row) {
      Row<double> x = load(values.data() + i + row * kWidth);
      first[row] += split(x, splitting.first);
      second[row] += split(x, splitting.second);
      rest |= std::bit_cast<Row<std::uint64_t>>(x);
    }
  }
  BlockSums sums;
  std::memcpy(sums.lanes.data(), first, sizeof first);
  std::memcpy(sums.lanes.data() + kLanes, second, sizeof second);
  for (std::size_t lane = 0; lane < kWidth; ++lane) {
    sums.has_rest = sums.has_rest || rest[lane] << 1 != 0;  // without the sign, which −0 has too
  }
  return sums;
}

template <class T>
void rest_of_block(std::span<const T> values, Splitting splitting, double* rest) {
  for (std::size_t i = 0; i < values.size(); i += kWidth) {
    Row<double> x = load(values.data() + i);
    split(x, splitting.first);
    split(x, splitting.second);
    std::memcpy(rest + i, &x, sizeof x);
  }
}

template double largest_magnitude<double>(std::span<const double>);
template double largest_magnitude<float>(std::span<const float>);
template BlockSums sum_block<double>(std::span<const double>, Splitting);
template BlockSums sum_block<float>(std::span<const float>, Splitting);
template void rest_of_block<double>(std::span<const double>, Splitting, double*);
template void rest_of_block<float>(std::span<const float>, Splitting, double*);

}  // namespace pileus::detail
