#include "math/exact_moments.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "loops/sum_kernel.h"
#include "loops/value_ranges.h"

namespace pileus::detail {
namespace {

bool are_finite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

/// Returns false, with nothing added, where the sums are not finite.
bool add_column(const MomentSums& sums, const PieceColumns& added, std::size_t column, int pieces) {
  for (int i = 0; i + 1 < pieces; ++i) {
    if (!std::isfinite(added.of_x[i][column])) return false;
  }
  for (int i = 0; i + 1 < pieces; ++i) sums.x->add(added.of_x[i][column]);
  std::array<double, 2 * kMostPieces - 1> products;
  const auto count = static_cast<std::size_t>(2 * pieces - 1);
  for (std::size_t k = 0; k < count; ++k) products[k] = added.of_products[k][column];
  sums.products->add_sums(std::span(products).first(count));
  return true;
}

}  // namespace

bool add_moments(std::span<const double> x, std::span<const double> y, const MomentSums& sums) {
  const SumKernel& kernel = sum_kernel();
  const MagnitudeRange of_x = kernel.magnitudes(x.data(), x.size());
  const MagnitudeRange of_y = y.empty() ? of_x : kernel.magnitudes(y.data(), y.size());
  const ValueRange range_of_x = ValueRange::of(of_x.largest, of_x.below_smallest);
  const ValueRange range_of_y = ValueRange::of(of_y.largest, of_y.below_smallest);
  const int pieces = std::max(pieces_for(range_of_x), pieces_for(range_of_y));
  if (pieces > kMostPieces) return false;
  PieceSums added;
  kernel.multiply_pieces(x.data(), y.empty() ? nullptr : y.data(), x.size(), cut_for(range_of_x),
                         cut_for(range_of_y), pieces, added);
  const auto count = static_cast<std::size_t>(pieces);
  const auto x_sums = std::span<const double>(added.of_x).first(count - 1);
  const auto y_sums = std::span<const double>(added.of_y).first(y.empty() ? 0 : count - 1);
  if (!are_finite(x_sums) || !are_finite(y_sums)) return false;
  for (const double sum : x_sums) sums.x->add(sum);
  for (const double sum : y_sums) sums.y->add(sum);
  sums.products->add_sums(std::span<const double>(added.of_products).first(2 * count - 1));
  return true;
}

unsigned add_square_columns(std::span<const MomentSums> sums, const double* values, std::size_t rows,
                            std::ptrdiff_t stride) {
  const SumKernel& kernel = sum_kernel();
  std::array<double, kStrip> largest, below_smallest, cuts;
  kernel.column_magnitudes(values, rows, stride, largest.data(), below_smallest.data());
  unsigned left = 0;
  int pieces = kFewestPieces;
  for (std::size_t c = 0; c < kStrip; ++c) {
    const bool is_wanted = sums[c].x != nullptr;
    const ValueRange range = is_wanted ? ValueRange::of(largest[c], below_smallest[c]) : ValueRange::zero();
    const int needed = pieces_for(range);
    const bool fits = needed <= kMostPieces;
    if (!fits) left |= 1U << c;
    if (fits) pieces = std::max(pieces, needed);
    cuts[c] = cut_for(fits ? range : ValueRange::zero());
  }
  PieceColumns added;
  kernel.square_columns(values, rows, stride, cuts.data(), pieces, added);
  for (std::size_t c = 0; c < kStrip; ++c) {
    const bool is_left = (left >> c & 1) != 0;
    if (sums[c].x != nullptr && !is_left && !add_column(sums[c], added, c, pieces)) left |= 1U << c;
  }
  return left;
}

}  // namespace pileus::detail
