#pragma once
// Second moments in a sweep: in each cell the exact sums of two operands, or of one, and of their products, in
// pieces while a tile is in the cache. Used by Sweep.

#include <cstddef>
#include <span>
#include <vector>

#include "analytics/sweep_shape.h"
#include "loops/sum_kernel.h"
#include "loops/value_ranges.h"
#include "math/partial.h"

namespace pileus {

/// Of one pair of operands, or of one and itself.
class SweepMoments {
 public:
  SweepMoments(const SweepShape& shape, bool is_square);

  /// For one step, from the ranges of the operands by cell.
  void choose_pieces(std::span<const detail::ValueRange> left, std::span<const detail::ValueRange> right);
  /// Whether the cell's sums are exact.
  bool holds(std::size_t cell) const { return holds_[cell]; }

  void begin(const SweepShape::Band& band);
  /// Elements of the band that follow those before. `b`: counts for nothing of a square.
  void add(const double* a, const double* b, Index elements);
  void end();

  /// REQUIRES: holds(cell), and every band has been passed. `is_reversed`: the right operand is the first of
  /// the pairs.
  Partial of_cell(std::size_t cell, Reduction reduction, bool is_reversed) const;

 private:
  std::size_t sums_of_operand() const { return static_cast<std::size_t>(pieces_) - 1; }
  std::size_t sums_of_products() const { return 2 * static_cast<std::size_t>(pieces_) - 1; }
  std::size_t sum_count() const { return sums_of_products() + (is_square_ ? 1 : 2) * sums_of_operand(); }
  void add_rows(const double* a, const double* b, detail::SweepTile tile);
  void fold();
  ExactSum operand_sum(std::size_t cell, std::size_t first_sum) const;

  SweepShape shape_;
  bool is_square_;
  int pieces_ = detail::kFewestPieces;
  std::vector<bool> holds_;              ///< by cell
  std::vector<double> cell_cuts_;        ///< by operand and cell
  std::vector<double> cuts_;             ///< of the band: by operand and column
  std::vector<double> running_;          ///< of the band: by sum and column, of the rows since the last fold
  std::size_t rows_ = 0;                 ///< since the last fold
  std::size_t first_cell_ = 0;           ///< of the band
  std::vector<double> totals_, errors_;  ///< by sum and cell; a sum is both
};

}  // namespace pileus
