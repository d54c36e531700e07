#pragma once

// Sums of values and of their products in one pass. Used by Partial for second moments; what does not fit
// goes through ExactProducts. It must never round.

#include <cstddef>
#include <span>

#include "math/exact_products.h"
#include "math/exact_sum.h"

namespace pileus::detail {

/// The exact sums to which a block is added. `y`: null for squares.
struct MomentSums {
  ExactSum* x = nullptr;
  ExactSum* y = nullptr;
  ExactProducts* products = nullptr;
};

/// Adds x[i], y[i] and x[i] · y[i], with x for y where that is empty; returns false, with nothing added,
/// where the values are too large, too small, too different or not finite.
/// REQUIRES: at most kPieceBlock pairs.
bool add_moments(std::span<const double> x, std::span<const double> y, const MomentSums& sums);

/// The same of kStrip columns side by side: values[c + r · stride] and its square to sums[c], where that has
/// any. Returns a bit for each column of those that was not added.
/// REQUIRES: kStrip sums; at most kPieceBlock rows.
unsigned add_square_columns(std::span<const MomentSums> sums, const double* values, std::size_t rows,
                            std::ptrdiff_t stride);

}  // namespace pileus::detail
