#pragma once
// The plain ways to sum that exact sums are measured against, each in the file whose flags it needs.

#include <cstddef>

namespace pileus::bench {

/// Sums of each level of `columns` columns; level z of column c is values[c · levels + z] (z fastest) or
/// values[z · columns + c] (z slowest).
using LevelSums = void(const double* values, std::size_t columns, std::size_t levels, double* sums);

double naive_sum(const double* values, std::size_t count);
double naive_variance(const double* values, std::size_t count);
LevelSums naive_levels_fastest, naive_levels_slowest, naive_variances_fastest, naive_variances_slowest;

/// The loop as -O3 -ffast-math makes it.
double fast_math_sum(const double* values, std::size_t count);
double fast_math_variance(const double* values, std::size_t count);
LevelSums fast_math_levels_fastest, fast_math_levels_slowest;
LevelSums fast_math_variances_fastest, fast_math_variances_slowest;

/// Reads everything as fast as this processor can, and hardly computes.
double read_all(const double* values, std::size_t count);

}  // namespace pileus::bench
