#pragma once
// The loops that a programmer would write for the expressions of expressions.py: naive sums, or arrays of the
// expression, in one pass over memory. They are compiled twice, for any processor and for AVX2.

#include <cstddef>

namespace pileus::bench {

struct Fields {
  const double *w, *theta, *p;
};

/// Sums over the columns for each level; level z of column c is values[c · levels + z] (z fastest) or
/// values[z · columns + c] (z slowest).
using ExpressionSums = void(const Fields& fields, std::size_t columns, std::size_t levels, double* sums);

ExpressionSums product_fastest, product_slowest, ten_fastest, ten_slowest;
ExpressionSums product_fastest_avx2, product_slowest_avx2, ten_fastest_avx2, ten_slowest_avx2;

/// Arrays of the expression, as large as the fields.
using ExpressionArray = ExpressionSums;

ExpressionArray product_array, ten_array, product_array_avx2, ten_array_avx2;

}  // namespace pileus::bench
