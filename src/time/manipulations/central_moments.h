#pragma once
// Σ w (x - m)ⁿ / Σ w, with m the weighted mean, from the weighted means of x or of its deviations from
// anything, and of their powers. For exact fractions and for sums in two doubles.

#include <limits>

namespace pileus {

/// Of samples that are not finite, and what is divided by the second moment of equal ones.
inline constexpr double kNoMoment = std::numeric_limits<double>::quiet_NaN();

template <class Number>
Number second_moment(const Number& mean, const Number& squares) {
  return squares - mean * mean;
}

template <class Number>
Number third_moment(const Number& mean, const Number& squares, const Number& cubes) {
  return cubes - 3 * (mean * squares) + 2 * (mean * mean * mean);
}

template <class Number>
Number fourth_moment(const Number& mean, const Number& squares, const Number& cubes, const Number& fourths) {
  const Number square = mean * mean;
  return fourths - 4 * (mean * cubes) + 6 * (square * squares) - 3 * (square * square);
}

}  // namespace pileus
