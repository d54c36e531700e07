// No "#pragma once": the loops of SweepLoops for the instruction set that the including file is compiled for.
// That file defines PILEUS_SWEEP_WIDTH, the doubles of a register. Nothing here may call an inline function
// of another header: the linker might take its copy, compiled for this instruction set, for the whole
// program. It must never be compiled with fast-math or with contraction.

#include <cstdint>

#include "loops/sum_kernel.h"
#include "loops/sweep_loops.h"

namespace pileus::detail {
namespace {

constexpr std::size_t kSweepWidth = PILEUS_SWEEP_WIDTH;
// Registers side by side, so that additions overlap: at least a line of the cache together.
constexpr std::size_t kSweepSide = kSweepWidth == 2 ? 4 : 2;
// Doubles. A sweep comes back to a field with its next tile only after those of all others, so the processor
// does not guess it.
constexpr std::size_t kSweepAhead = 1024;
constexpr std::uint64_t kMagnitudeBits = ~std::uint64_t{0} >> 1;

template <class T, std::size_t N>
using Lane __attribute__((vector_size(N * sizeof(T)))) = T;

template <std::size_t N>
inline __attribute__((always_inline)) Lane<double, N> lanes_at(const double* from) {
  Lane<double, N> lanes;
  __builtin_memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

template <class V>
inline __attribute__((always_inline)) void put_lanes(double* to, V lanes) {
  __builtin_memcpy(to, &lanes, sizeof lanes);
}

/// Passes over kSide registers of columns, all rows of them.
template <int kFolds, bool kMultiplies, bool kKeeps, std::size_t N, std::size_t kSide>
inline __attribute__((always_inline)) void sum_strip(const double* a, const double* b, double* kept,
                                                     SweepTile tile, double* state, std::size_t stride) {
  using Lanes = Lane<double, N>;
  Lanes sums[kFolds + 1][kSide];
  for (int fold = 0; fold <= kFolds; ++fold) {
    for (std::size_t k = 0; k < kSide; ++k)
      sums[fold][k] = lanes_at<N>(state + static_cast<std::size_t>(fold) * stride + k * N);
  }
  for (std::size_t row = 0; row < tile.rows; ++row) {
    for (std::size_t k = 0; k < kSide; ++k) {
      const std::size_t at = row * tile.columns + k * N;
      Lanes x = lanes_at<N>(a + at);
      if constexpr (kMultiplies) x = x * lanes_at<N>(b + at);
      if constexpr (kKeeps) put_lanes(kept + at, x);
      for (int fold = 0; fold < kFolds; ++fold) {
        const Lanes sum = sums[fold][k] + x;
        x = x - (sum - sums[fold][k]);
        sums[fold][k] = sum;
      }
      sums[kFolds][k] = sums[kFolds][k] + x;
    }
  }
  for (int fold = 0; fold <= kFolds; ++fold) {
    for (std::size_t k = 0; k < kSide; ++k)
      put_lanes(state + static_cast<std::size_t>(fold) * stride + k * N, sums[fold][k]);
  }
}

/// Those columns from `first` on that fill such strips; returns the first that is left.
template <int kFolds, bool kMultiplies, bool kKeeps, std::size_t N, std::size_t kSide>
inline std::size_t sum_strips(std::size_t first, const double* a, const double* b, double* kept,
                              SweepTile tile, double* state, std::size_t stride) {
  std::size_t c = first;
  for (; c + N * kSide <= tile.columns; c += N * kSide) {
    sum_strip<kFolds, kMultiplies, kKeeps, N, kSide>(a + c, kMultiplies ? b + c : b, kKeeps ? kept + c : kept,
                                                     tile, state + c, stride);
  }
  return c;
}

template <int kFolds, bool kMultiplies, bool kKeeps>
void sum_tile(const double* a, const double* b, double* kept, SweepTile tile, double* state,
              std::size_t stride) {
  std::size_t c =
      sum_strips<kFolds, kMultiplies, kKeeps, kSweepWidth, kSweepSide>(0, a, b, kept, tile, state, stride);
  c = sum_strips<kFolds, kMultiplies, kKeeps, kSweepWidth, 1>(c, a, b, kept, tile, state, stride);
  c = sum_strips<kFolds, kMultiplies, kKeeps, kSweepWidth / 2, 1>(c, a, b, kept, tile, state, stride);
  sum_strips<kFolds, kMultiplies, kKeeps, 1, 1>(c, a, b, kept, tile, state, stride);
}

template <int kFolds>
void sum_folds(const double* a, const double* b, double* kept, SweepTile tile, double* state,
               std::size_t stride) {
  if (b != nullptr && kept != nullptr) return sum_tile<kFolds, true, true>(a, b, kept, tile, state, stride);
  if (b != nullptr) return sum_tile<kFolds, true, false>(a, b, kept, tile, state, stride);
  if (kept != nullptr) return sum_tile<kFolds, false, true>(a, b, kept, tile, state, stride);
  sum_tile<kFolds, false, false>(a, b, kept, tile, state, stride);
}

void multiply_tile(const double* a, const double* b, double* kept, std::size_t count) {
#ifndef __clang__
#pragma GCC ivdep
#endif
  for (std::size_t i = 0; i < count; ++i) kept[i] = a[i] * b[i];
}

void add_sums(const double* a, const double* b, double* kept, SweepTile tile, int folds, double* state,
              std::size_t stride) {
  switch (folds) {
    case 0: return multiply_tile(a, b, kept, tile.rows * tile.columns);
    case 1: return sum_folds<1>(a, b, kept, tile, state, stride);
    case 2: return sum_folds<2>(a, b, kept, tile, state, stride);
    default: return sum_folds<kMostSweepFolds>(a, b, kept, tile, state, stride);
  }
}

template <std::size_t N>
struct RangeLanes {
  using Lanes = Lane<double, N>;
  using Bits = Lane<std::uint64_t, N>;
  Lanes least, most, largest, below_smallest;
  Bits some_signs, all_signs, nans;

  inline __attribute__((always_inline)) void add(Lanes x) {
    const Bits bits = (Bits)x, magnitude = bits & kMagnitudeBits;
    const Lanes size = (Lanes)magnitude,
                below = (Lanes)(magnitude - 1);  // of 0: a NaN, which no other is below
    least = x < least ? x : least;
    most = x > most ? x : most;
    largest = size > largest ? size : largest;
    below_smallest = below < below_smallest ? below : below_smallest;
    some_signs |= bits;
    all_signs &= bits;
    nans |= (Bits)(x != x);
  }
};

template <std::size_t N>
inline __attribute__((always_inline)) void range_strip(const double* values, SweepTile tile, double* state,
                                                       std::size_t stride) {
  using Bits = Lane<std::uint64_t, N>;
  RangeLanes<N> lanes;
  lanes.least = lanes_at<N>(state);
  lanes.most = lanes_at<N>(state + stride);
  lanes.largest = lanes_at<N>(state + 2 * stride);
  lanes.below_smallest = lanes_at<N>(state + 3 * stride);
  lanes.some_signs = (Bits)lanes_at<N>(state + 4 * stride);
  lanes.all_signs = (Bits)lanes_at<N>(state + 5 * stride);
  lanes.nans = (Bits)lanes_at<N>(state + 6 * stride);
  for (std::size_t row = 0; row < tile.rows; ++row) {
    __builtin_prefetch(values + row * tile.columns + kSweepAhead);
    lanes.add(lanes_at<N>(values + row * tile.columns));
  }
  put_lanes(state, lanes.least);
  put_lanes(state + stride, lanes.most);
  put_lanes(state + 2 * stride, lanes.largest);
  put_lanes(state + 3 * stride, lanes.below_smallest);
  put_lanes(state + 4 * stride, lanes.some_signs);
  put_lanes(state + 5 * stride, lanes.all_signs);
  put_lanes(state + 6 * stride, lanes.nans);
}

void add_ranges(const double* values, SweepTile tile, double* state, std::size_t stride) {
  std::size_t c = 0;
  for (; c + kSweepWidth <= tile.columns; c += kSweepWidth)
    range_strip<kSweepWidth>(values + c, tile, state + c, stride);
  for (; c + kSweepWidth / 2 <= tile.columns; c += kSweepWidth / 2)
    range_strip<kSweepWidth / 2>(values + c, tile, state + c, stride);
  for (; c < tile.columns; ++c) range_strip<1>(values + c, tile, state + c, stride);
}

/// Those of the ranges from which folds and pieces follow, in half the time.
template <std::size_t N>
struct MagnitudeLanes {
  using Lanes = Lane<double, N>;
  using Bits = Lane<std::uint64_t, N>;
  Lanes largest, below_smallest;
  Bits nans;

  inline __attribute__((always_inline)) void add(Lanes x) {
    const Bits magnitude = (Bits)x & kMagnitudeBits;
    const Lanes size = (Lanes)magnitude, below = (Lanes)(magnitude - 1);
    nans |= (Bits)(x != x);
    largest = size > largest ? size : largest;
    below_smallest = below < below_smallest ? below : below_smallest;
  }
};

template <std::size_t N, std::size_t kSide>
inline __attribute__((always_inline)) void magnitude_strip(const double* values, SweepTile tile,
                                                           double* state, std::size_t stride) {
  using Bits = Lane<std::uint64_t, N>;
  MagnitudeLanes<N> lanes[kSide];
  for (std::size_t k = 0; k < kSide; ++k) {
    lanes[k].largest = lanes_at<N>(state + 2 * stride + k * N);
    lanes[k].below_smallest = lanes_at<N>(state + 3 * stride + k * N);
    lanes[k].nans = (Bits)lanes_at<N>(state + 6 * stride + k * N);
  }
  for (std::size_t row = 0; row < tile.rows; ++row) {
    for (std::size_t k = 0; k < kSide; ++k) {
      const double* const from = values + row * tile.columns + k * N;
      __builtin_prefetch(from + kSweepAhead);
      lanes[k].add(lanes_at<N>(from));
    }
  }
  for (std::size_t k = 0; k < kSide; ++k) {
    put_lanes(state + 2 * stride + k * N, lanes[k].largest);
    put_lanes(state + 3 * stride + k * N, lanes[k].below_smallest);
    put_lanes(state + 6 * stride + k * N, lanes[k].nans);
  }
}

template <std::size_t N, std::size_t kSide>
inline std::size_t magnitude_strips(std::size_t first, const double* values, SweepTile tile, double* state,
                                    std::size_t stride) {
  std::size_t c = first;
  for (; c + N * kSide <= tile.columns; c += N * kSide)
    magnitude_strip<N, kSide>(values + c, tile, state + c, stride);
  return c;
}

void add_magnitudes(const double* values, SweepTile tile, double* state, std::size_t stride) {
  std::size_t c = magnitude_strips<kSweepWidth, kSweepSide>(0, values, tile, state, stride);
  c = magnitude_strips<kSweepWidth, 1>(c, values, tile, state, stride);
  c = magnitude_strips<kSweepWidth / 2, 1>(c, values, tile, state, stride);
  magnitude_strips<1, 1>(c, values, tile, state, stride);
}

void start_ranges(double* state, std::size_t stride, std::size_t columns) {
  const std::uint64_t all = ~std::uint64_t{0};
  for (std::size_t c = 0; c < columns; ++c) {
    state[c] = __builtin_inf();
    state[stride + c] = -__builtin_inf();
    state[2 * stride + c] = 0;
    state[3 * stride + c] = __builtin_inf();
    state[4 * stride + c] = 0;
    __builtin_memcpy(state + 5 * stride + c, &all, sizeof all);
    state[6 * stride + c] = 0;
  }
}

void widen(const float* floats, double* doubles, std::size_t count) {
  std::size_t i = 0;
  for (; i + kSweepWidth <= count; i += kSweepWidth) {
    Lane<float, kSweepWidth> lanes;
    __builtin_prefetch(floats + i + kSweepAhead);
    __builtin_memcpy(&lanes, floats + i, sizeof lanes);
    put_lanes(doubles + i, __builtin_convertvector(lanes, Lane<double, kSweepWidth>));
  }
  for (; i < count; ++i) doubles[i] = static_cast<double>(floats[i]);
}

}  // namespace
}  // namespace pileus::detail

#include "loops/sweep_pieces_body.h"

#define PILEUS_DEFINE_SWEEP_LOOPS(variable, name)                                             \
  namespace pileus::detail {                                                                  \
  extern constinit const SweepLoops variable;                                                 \
  constinit const SweepLoops variable = {name,     start_ranges, add_ranges,  add_magnitudes, \
                                         add_sums, widen,        add_products};               \
  }
