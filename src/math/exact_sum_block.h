#pragma once

// The fast inner loop of ExactSum: splits the values of a block into multiples of two fixed units, so that
// plain floating-point additions of them are exact. Used by ExactSum only.
// It must never be compiled with fast-math or with contraction.

#include <array>
#include <cstddef>
#include <span>

namespace pileus::detail {

inline constexpr std::size_t kBlock = 2048;
inline constexpr std::size_t kLanes = 8;

/// The two splitting constants for a block in which |x| < 2^e: 2^(e + 8) and 2^(e − 37).
/// (σ + x) − σ is a multiple of 2^-53 σ and at most 2^e, and a lane adds 2048 / 8 = 2^8 of them: all its
/// partial sums are multiples of one unit below 2^53 units, so none is rounded. What remains of x is at most
/// 2^-53 σ. Source: Rump, Ogita, Oishi 2008, Accurate floating-point summation part I, lemma 3.2
/// (ExtractScalar).
struct Splitting {
  double first;
  double second;
};

struct BlockSums {
  std::array<double, 2 * kLanes> lanes{};  // NaN where the block holds a NaN
  bool has_rest = false;                   // some value needed more than the two units
};

/// The largest |x|; a NaN may hide and leave it unchanged.
template <class T>
double largest_magnitude(std::span<const T> values);

/// Sums of the parts of all values.
/// REQUIRES: the size is a multiple of kLanes, at most kBlock.
template <class T>
BlockSums sum_block(std::span<const T> values, Splitting splitting);

/// What sum_block left over of each value.
template <class T>
void rest_of_block(std::span<const T> values, Splitting splitting, double* rest);

}  // namespace pileus::detail
