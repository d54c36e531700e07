#pragma once

// Smallest values with the rules of this project: −0 < +0, and any NaN makes the result NaN.
// Used by Partial; the largest value is the negative of the smallest of the negatives.
// It must never depend on the order of the values.

#include <cstddef>
#include <span>

namespace pileus::detail {

enum class Sign : bool { as_is, negated };

/// The smaller of two values.
double smaller(double a, double b);

/// The smallest of `values`, or of their negatives; +Inf where there is none.
template <class T>
double smallest(std::span<const T> values, Sign sign);
template <class T>
double smallest_strided(const T* values, std::size_t count, std::ptrdiff_t stride_elements, Sign sign);
/// smallest[c] becomes the smaller of itself and of values[c + r · stride], or of their negatives, r < rows.
template <class T>
void add_to_smallest(std::span<double> smallest, const T* values, std::size_t rows,
                     std::ptrdiff_t stride_elements, Sign sign);

}  // namespace pileus::detail
