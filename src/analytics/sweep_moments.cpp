#include "analytics/sweep_moments.h"

#include <algorithm>
#include <array>
#include <utility>

#include "loops/double_double.h"

namespace pileus {
namespace {

constexpr std::size_t kMostSums = 2 * detail::kMostPieces - 1 + 2 * (detail::kMostPieces - 1);

}  // namespace

SweepMoments::SweepMoments(const SweepShape& shape, bool is_square)
    : shape_(shape),
      is_square_(is_square),
      holds_(as_size(shape.cells)),
      cell_cuts_(2 * as_size(shape.cells)),
      cuts_(2 * shape.columns()),
      running_(kMostSums * shape.columns()),
      totals_(kMostSums * as_size(shape.cells)),
      errors_(totals_.size()) {}

void SweepMoments::choose_pieces(std::span<const detail::ValueRange> left,
                                 std::span<const detail::ValueRange> right) {
  pieces_ = detail::kFewestPieces;
  const std::size_t cells = as_size(shape_.cells);
  for (std::size_t c = 0; c < cells; ++c) {
    const int pieces = std::max(detail::pieces_for(left[c]), detail::pieces_for(right[c]));
    holds_[c] = pieces <= detail::kMostPieces;
    if (holds_[c]) pieces_ = std::max(pieces_, pieces);
    const auto cut = [&](const detail::ValueRange& range) {
      return detail::cut_for(holds_[c] ? range : detail::ValueRange::zero());
    };
    cell_cuts_[c] = cut(left[c]);
    cell_cuts_[cells + c] = cut(right[c]);
  }
  std::ranges::fill(totals_, 0.0);
  std::ranges::fill(errors_, 0.0);
}

void SweepMoments::begin(const SweepShape::Band& band) {
  first_cell_ = as_size(band.first_cell);
  rows_ = 0;
  std::ranges::fill(running_, 0.0);
  if (shape_.are_cells_side_by_side) {
    cuts_ = cell_cuts_;
    return;
  }
  const auto columns = static_cast<std::ptrdiff_t>(shape_.columns());
  std::fill_n(cuts_.begin(), columns, cell_cuts_[first_cell_]);
  std::fill_n(cuts_.begin() + columns, columns, cell_cuts_[as_size(shape_.cells) + first_cell_]);
}

void SweepMoments::add(const double* a, const double* b, Index elements) {
  shape_.for_each_piece(
      elements, [&](std::size_t offset, detail::SweepTile tile) { add_rows(a + offset, b + offset, tile); });
}

void SweepMoments::add_rows(const double* a, const double* b, detail::SweepTile tile) {
  while (tile.rows > 0) {
    const std::size_t rows = std::min(tile.rows, detail::kPieceBlock - rows_);
    detail::sweep_loops().add_products(a, is_square_ ? nullptr : b, {rows, tile.columns}, cuts_.data(),
                                       pieces_, running_.data(), shape_.columns());
    rows_ += rows;
    tile.rows -= rows;
    a += rows * tile.columns;
    b += rows * tile.columns;
    if (rows_ == detail::kPieceBlock) fold();
  }
}

void SweepMoments::end() {
  if (rows_ > 0) fold();
}

/// A running sum is a multiple of a unit that the cell has, and at most 2^53 times that; so are the errors
/// of fewer than 2^26 additions together, whatever the cell has.
void SweepMoments::fold() {
  const std::size_t cells = as_size(shape_.cells), columns = shape_.columns();
  for (std::size_t sum = 0; sum < sum_count(); ++sum) {
    double* const running = &running_[sum * columns];
    double* const totals = &totals_[sum * cells + first_cell_];
    double* const errors = &errors_[sum * cells + first_cell_];
    for (std::size_t c = 0; c < columns; ++c) {
      const std::size_t target = shape_.are_cells_side_by_side ? c : 0;
      const WithError total = two_sum(totals[target], running[c]);
      totals[target] = total.high;
      errors[target] += total.error;
    }
    std::fill_n(running, columns, 0.0);
  }
  rows_ = 0;
}

ExactSum SweepMoments::operand_sum(std::size_t cell, std::size_t first_sum) const {
  ExactSum exact;
  for (std::size_t i = 0; i < sums_of_operand(); ++i) {
    const std::size_t at = (first_sum + i) * as_size(shape_.cells) + cell;
    exact.add(totals_[at]);
    exact.add(errors_[at]);
  }
  return exact;
}

Partial SweepMoments::of_cell(std::size_t cell, Reduction reduction, bool is_reversed) const {
  std::array<double, 2 * (2 * detail::kMostPieces - 1)> sums;
  for (std::size_t k = 0; k < sums_of_products(); ++k) {
    const std::size_t at = k * as_size(shape_.cells) + cell;
    sums[2 * k] = totals_[at];
    sums[2 * k + 1] = errors_[at];
  }
  ExactProducts products;
  products.add_sums(std::span(sums).first(2 * sums_of_products()));
  ExactSum left = operand_sum(cell, sums_of_products());
  ExactSum right = is_square_ ? left : operand_sum(cell, sums_of_products() + sums_of_operand());
  if (is_reversed) std::swap(left, right);
  return Partial::of_moments(reduction, shape_.length, left, right, products);
}

}  // namespace pileus
