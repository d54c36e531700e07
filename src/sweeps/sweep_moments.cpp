#include "sweeps/sweep_moments.h"

#include <algorithm>

#include "loops/double_double.h"

namespace pileus {
namespace {

std::size_t product_sums(int pieces) { return 2 * static_cast<std::size_t>(pieces) - 1; }
std::size_t operand_sums(int pieces) { return static_cast<std::size_t>(pieces) - 1; }
std::size_t all_sums(int pieces) { return product_sums(pieces) + 2 * operand_sums(pieces); }

}  // namespace

SweepMoments::SweepMoments(const SweepShape& shape, bool is_square)
    : shape_(shape),
      is_square_(is_square),
      pieces_(as_size(shape.cells)),
      cuts_(2 * shape.columns()),
      running_(all_sums(detail::kMostPieces) * shape.columns()),
      totals_(all_sums(detail::kMostPieces) * as_size(shape.cells)),
      errors_(totals_.size()) {}

void SweepMoments::begin(const SweepShape::Band& band, std::span<const detail::ValueRange> left,
                         std::span<const detail::ValueRange> right) {
  band_ = band;
  choose_pieces(left, right);
  const std::size_t columns = shape_.columns();
  for (std::size_t column = 0; column < columns; ++column) {
    const std::size_t cell = as_size(band.first_cell) + (shape_.are_cells_side_by_side ? column : 0);
    cuts_[column] = detail::cut_for(holds(cell) ? left[cell] : detail::ValueRange::zero());
    cuts_[columns + column] = detail::cut_for(holds(cell) ? right[cell] : detail::ValueRange::zero());
  }
  rows_ = 0;
  std::ranges::fill(running_, 0.0);
  for (std::size_t sum = 0; sum < all_sums(band_pieces_); ++sum) {
    const std::size_t first = sum * as_size(shape_.cells) + as_size(band.first_cell);
    std::fill_n(&totals_[first], band.cells, 0.0);
    std::fill_n(&errors_[first], band.cells, 0.0);
  }
}

/// All cells of a band have as many pieces, but those that no number of them holds.
void SweepMoments::choose_pieces(std::span<const detail::ValueRange> left,
                                 std::span<const detail::ValueRange> right) {
  const std::size_t begin = as_size(band_.first_cell), end = begin + as_size(band_.cells);
  band_pieces_ = detail::kFewestPieces;
  for (std::size_t c = begin; c < end; ++c) {
    pieces_[c] = std::max(detail::pieces_for(left[c]), detail::pieces_for(right[c]));
    if (holds(c)) band_pieces_ = std::max(band_pieces_, pieces_[c]);
  }
  for (std::size_t c = begin; c < end; ++c)
    if (holds(c)) pieces_[c] = band_pieces_;
}

void SweepMoments::add(const double* a, const double* b, Index elements) {
  shape_.for_each_piece(
      elements, [&](std::size_t offset, detail::SweepTile tile) { add_rows(a + offset, b + offset, tile); });
}

void SweepMoments::add_rows(const double* a, const double* b, detail::SweepTile tile) {
  while (tile.rows > 0) {
    const std::size_t rows = std::min(tile.rows, detail::kPieceBlock - rows_);
    detail::sweep_loops().add_products(a, is_square_ ? nullptr : b, {rows, tile.columns}, cuts_.data(),
                                       band_pieces_, running_.data(), shape_.columns());
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

/// A running sum is at most 2^53 units of its cell. A cell has at most 2^20 elements, so that the errors of
/// all its additions are exact together.
void SweepMoments::fold() {
  const std::size_t columns = shape_.columns();
  for (std::size_t sum = 0; sum < all_sums(band_pieces_); ++sum) {
    const std::size_t first = sum * as_size(shape_.cells) + as_size(band_.first_cell);
    double* const running = &running_[sum * columns];
    for (std::size_t c = 0; c < columns; ++c) {
      const std::size_t target = first + (shape_.are_cells_side_by_side ? c : 0);
      const WithError total = two_sum(totals_[target], running[c]);
      totals_[target] = total.high;
      errors_[target] += total.error;
    }
    std::fill_n(running, columns, 0.0);
  }
  rows_ = 0;
}

/// Doubles that are these sums together, without error.
std::vector<double> SweepMoments::sums_of_cell(std::size_t cell, std::size_t first, std::size_t count) const {
  std::vector<double> sums;
  for (std::size_t sum = first; sum < first + count; ++sum) {
    sums.push_back(totals_[sum * as_size(shape_.cells) + cell]);
    sums.push_back(errors_[sum * as_size(shape_.cells) + cell]);
  }
  return sums;
}

Partial SweepMoments::of_cell(std::size_t cell, Reduction reduction, bool is_reversed) const {
  const std::size_t of_products = product_sums(pieces_[cell]), of_operand = operand_sums(pieces_[cell]);
  ExactProducts products;
  products.add_sums(sums_of_cell(cell, 0, of_products));
  ExactSum left, right;
  left.add(sums_of_cell(cell, of_products, of_operand));
  if (!is_square_) right.add(sums_of_cell(cell, of_products + of_operand, of_operand));
  const ExactSum& other = is_square_ ? left : right;
  return is_reversed ? Partial::of_moments(reduction, shape_.length, other, left, products)
                     : Partial::of_moments(reduction, shape_.length, left, other, products);
}

}  // namespace pileus
