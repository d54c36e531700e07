#pragma once

// The inner loops of a sweep: ranges, exact sums and products of columns that pass tile by tile, one set of
// loops for each instruction set. Used by the sweeps of analytics. All sets give the same bits.

#include <cstddef>

namespace pileus::detail {

/// What is known of the values of a column, each an array of its own in the state of SweepLoops::add_ranges.
enum class ColumnRange : unsigned char {
  least,           ///< +Inf without a value; a NaN may hide, and zeros count alike
  most,            ///< likewise, from -Inf
  largest,         ///< magnitude; a NaN may hide
  below_smallest,  ///< the next double below the smallest magnitude that is not 0; +Inf without one
  some_signs,      ///< has its sign bit set where some value has
  all_signs,       ///< has its sign bit set where all values have
  nans             ///< 0 where no value is NaN
};
inline constexpr std::size_t kColumnRanges = 7;

/// A row of columns side by side; the next row follows at once.
struct SweepTile {
  std::size_t rows = 0;
  std::size_t columns = 0;
};

inline constexpr int kMostSweepFolds = 3;

struct SweepLoops {
  const char* name;
  /// Range k of column c is state[k * stride + c].
  void (*start_ranges)(double* state, std::size_t stride, std::size_t columns);
  void (*add_ranges)(const double* values, SweepTile tile, double* state, std::size_t stride);
  /// The same of largest, below_smallest and nans alone.
  void (*add_magnitudes)(const double* values, SweepTile tile, double* state, std::size_t stride);
  /// Adds each a[i], or a[i] * b[i] where b is given, to its column, and leaves it in `kept` where that is
  /// given. Fold f of column c is state[f * stride + c] and started at a base; state[folds * stride + c] is
  /// the plain sum of what the folds leave. How exact that is: SumKernel's BlockSum, and ValueRange::fit.
  /// REQUIRES: folds from 0, which adds nothing, to kMostSweepFolds; `kept` overlaps a and b not at all or
  /// element by element.
  void (*add_sums)(const double* a, const double* b, double* kept, SweepTile tile, int folds, double* state,
                   std::size_t stride);
  void (*widen)(const float* floats, double* doubles, std::size_t count);
  /// Adds the products of the pieces of a[i] and b[i], or of a[i] and itself where b is null, to their
  /// column, and the pieces too, in the order of PieceSums: of_products, of_x, then of_y where b is given.
  /// Sum k of column c is state[k * stride + c]; the first cut of a is cuts[c], that of b cuts[stride + c].
  /// REQUIRES: a sum takes at most kPieceBlock rows; kFewestPieces to kMostPieces pieces; see PieceSums.
  void (*add_products)(const double* a, const double* b, SweepTile tile, const double* cuts, int pieces,
                       double* state, std::size_t stride);
};

/// The set whose name is that of sum_kernel().
const SweepLoops& sweep_loops();

}  // namespace pileus::detail
