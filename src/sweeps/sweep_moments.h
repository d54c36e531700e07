#pragma once
// Second moments in a sweep: in each cell the exact sums of two operands, or of one, and of their products,
// found in pieces while a tile is in the cache. Used by Sweep.

#include <cstddef>
#include <span>
#include <vector>

#include "loops/sum_kernel.h"
#include "loops/value_ranges.h"
#include "math/partial.h"
#include "sweeps/sweep_shape.h"

namespace pileus {

/// Those of one pair of operands, or of one operand with itself.
class SweepMoments {
 public:
  SweepMoments(const SweepShape& shape, bool is_square);

  /// Begins a band. `left` and `right`: the ranges of the operands by cell, used for the cells of the band.
  void begin(const SweepShape::Band& band, std::span<const detail::ValueRange> left,
             std::span<const detail::ValueRange> right);
  /// Whether the cell's sums are exact.
  bool holds(std::size_t cell) const { return pieces_[cell] <= detail::kMostPieces; }
  /// Takes elements of the band that follow those before. `b` counts for nothing where there is one operand.
  void add(const double* a, const double* b, Index elements);
  void end();

  /// REQUIRES: holds(cell), whose band has ended. `is_reversed`: the right operand is the first of each pair.
  Partial of_cell(std::size_t cell, Reduction reduction, bool is_reversed) const;

 private:
  void choose_pieces(std::span<const detail::ValueRange> left, std::span<const detail::ValueRange> right);
  void add_rows(const double* a, const double* b, detail::SweepTile tile);
  void fold();
  std::vector<double> sums_of_cell(std::size_t cell, std::size_t first, std::size_t count) const;

  SweepShape shape_;
  bool is_square_;
  std::vector<int> pieces_;  ///< by cell
  SweepShape::Band band_;
  int band_pieces_ = detail::kFewestPieces;
  std::vector<double> cuts_;             ///< of the band: by operand and column
  std::vector<double> running_;          ///< of the band: by sum and column, of the rows since the last fold
  std::size_t rows_ = 0;                 ///< since the last fold
  std::vector<double> totals_, errors_;  ///< by sum and cell; a sum is both together
};

}  // namespace pileus
