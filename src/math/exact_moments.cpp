#include "math/exact_moments.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "loops/sum_kernel.h"

namespace pileus::detail {
namespace {

// Then all pieces and products are far from overflow and from subnormals.
constexpr double kLargest = 0x1p480, kSmallest = 0x1p-440;

int exponent_of(double magnitude) {
  return static_cast<int>(std::bit_cast<std::uint64_t>(magnitude) >> 52 & 0x7FF) - 1022;
}

/// The number of pieces that values of these magnitudes need; more than kMostPieces where they cannot be cut
/// so.
int pieces_for(double largest, double below_smallest) {
  constexpr int kNone = kMostPieces + 1;
  if (largest == 0) return kFewestPieces;
  if (!(largest < kLargest) || !(below_smallest >= kSmallest)) return kNone;
  const int unit = exponent_of(below_smallest) - 53;
  const int bits = exponent_of(largest) - unit;
  if (bits <= 22 * kFewestPieces - 1) return kFewestPieces;
  return bits <= 22 * kMostPieces - 1 ? kMostPieces : kNone;
}

double cut_for(double largest) {
  const int power = largest == 0 ? 0 : exponent_of(largest) + 31;
  return std::bit_cast<double>(static_cast<std::uint64_t>(power + 1023) << 52 | std::uint64_t{1} << 51);
}

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
  const int pieces =
      std::max(pieces_for(of_x.largest, of_x.below_smallest), pieces_for(of_y.largest, of_y.below_smallest));
  if (pieces > kMostPieces) return false;
  PieceSums added;
  kernel.multiply_pieces(x.data(), y.empty() ? nullptr : y.data(), x.size(), cut_for(of_x.largest),
                         cut_for(of_y.largest), pieces, added);
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
    const int needed = sums[c].x != nullptr ? pieces_for(largest[c], below_smallest[c]) : kFewestPieces;
    const bool fits = needed <= kMostPieces;
    if (!fits) left |= 1U << c;
    if (fits) pieces = std::max(pieces, needed);
    cuts[c] = cut_for(fits && sums[c].x != nullptr ? largest[c] : 0);
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
