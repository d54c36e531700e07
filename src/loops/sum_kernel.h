#pragma once

// The fast inner loops of ExactSum, one set for each instruction set, and which of them this process uses.
// Used by ExactSum, the self-test, tests and benchmarks. All sets give the same sums, for they are exact.

#include <cstddef>
#include <cstdint>
#include <span>

namespace pileus::detail {

inline constexpr std::size_t kBlock = 2048;      // values of one call of sum_block
inline constexpr std::size_t kBlockRows = 256;   // rows of one call of sum_columns
inline constexpr std::size_t kStrip = 16;        // columns of one call of sum_columns
inline constexpr std::size_t kPieceBlock = 512;  // pairs of one call of multiply_pieces
inline constexpr int kFewestPieces = 3, kMostPieces = 4;
inline constexpr int kMostFolds = 4;
inline constexpr int kMostColumnFolds = 2;
/// What a fold leaves of values below 2^e is at most 2^(e - kFoldBits).
inline constexpr int kFoldBits = 43;

/// How values are cut into multiples of fixed units, so that plain additions of the parts are exact.
///
/// A fold adds x to a sum s that starts at b = 1.5 · 2^(e+10), where |x| < 2^e. A lane takes at most
/// 2^8 values, so s stays inside [2^(e+10), 2^(e+11)], always a multiple of u = 2^(e-42): what it took of x,
/// q = (s + x) - s, is exact, and so is the rest x - q, at most u / 2. The next fold takes the rest. The
/// sum over all lanes of s - b is at most 2^(e+11) = 2^53 u: exact too. After the last fold the rests are
/// added plainly, exact as long as all of them together are at most 2^53 of the lowest unit of any x: the
/// largest and the smallest |x| say whether that is so.
/// Sources: Rump, Ogita, Oishi 2008, Accurate floating-point summation part I, lemma 3.2; Demmel, Nguyen
/// 2015, Parallel reproducible summation, algorithm 6 (the sum is its own splitting constant).
struct BlockSum {
  double parts[kMostFolds + 1];  ///< what each fold took, then the rests; NaN after a NaN
  double largest;                ///< |x|; a NaN may hide
  double below_smallest;         ///< the next double below the smallest |x| that is not 0; +Inf without one
};

/// The same for columns side by side, each with bases of its own.
struct ColumnSums {
  double parts[kMostColumnFolds + 1][kStrip];
  double largest[kStrip];
  double below_smallest[kStrip];
};
struct ColumnBases {
  double of_fold[kMostColumnFolds][kStrip];
};

/// The loops over values of one type.
template <class T>
struct SumLoops {
  /// One base for each fold. REQUIRES: at most kBlock values; 1, 2 or 4 folds.
  void (*sum_block)(const T* values, std::size_t count, const double* bases, int folds, BlockSum& result);
  /// Value r of column c is values[r · stride + c], c < kStrip.
  /// REQUIRES: at most kBlockRows rows; 1 or 2 folds.
  void (*sum_columns)(const T* values, std::size_t rows, std::ptrdiff_t stride, const ColumnBases& bases,
                      int folds, ColumnSums& result);
};

/// How values below 2^e are cut into pieces, so that plain sums of the products of pieces are exact.
///
/// Piece 0 is x rounded to a multiple of 2^(e - 21), each further one what is left rounded to one of 2^-22
/// times that, and the last is all that is left. So each is at most 2^21 of its units, 2^(e - 21 - 22 i); the
/// last one too where the unit of the values is at least 2^(e - 22 n + 1) for n pieces. At most four products
/// x_i y_j have i + j = k, each at most 2^42 of their common unit: all of them, of up to 2^9 pairs of values,
/// are at most 2^53 of it together, and exact in any order.
struct PieceSums {
  double of_x[kMostPieces - 1];             ///< the last two pieces together; NaN after a NaN, as all
  double of_y[kMostPieces - 1];             ///< only of pairs
  double of_products[2 * kMostPieces - 1];  ///< element k: of those with i + j = k
};
struct PieceColumns {
  double of_x[kMostPieces - 1][kStrip];
  double of_products[2 * kMostPieces - 1][kStrip];
};
/// Magnitudes of values, as BlockSum has them.
struct MagnitudeRange {
  double largest, below_smallest;
};

/// What multiply_block says of a block.
inline constexpr unsigned kSomeInexact = 1;  ///< of some pair, product + error may not be what they give
inline constexpr unsigned kSomeErrors = 2;   ///< some error is not 0
/// Products from 2^-960 to 2^990 are cut into two doubles; what is smaller may lose bits, what is larger may
/// overflow on the way.
inline constexpr double kSmallestProduct = 0x1p-960;
inline constexpr double kLargestProduct = 0x1p990;

/// For one instruction set; fields convert to double without loss.
struct SumKernel {
  const char* name;
  /// products[i] + errors[i] = x[i] · y[i] without rounding, where the result has no kSomeInexact. It may
  /// set that bit for a product outside the range above that is not 0, and for x or y above it.
  /// REQUIRES: at most kBlock pairs.
  /// Sources: Dekker 1971, A floating-point technique for extending the available precision; Ogita, Rump,
  /// Oishi 2005, Accurate sum and dot product, algorithms 3.3 and 3.5.
  unsigned (*multiply_block)(const double* x, const double* y, std::size_t count, double* products,
                             double* errors);
  MagnitudeRange (*magnitudes)(const double* values, std::size_t count);
  /// Of column c, c < kStrip, into largest[c] and below_smallest[c].
  void (*column_magnitudes)(const double* values, std::size_t rows, std::ptrdiff_t stride, double* largest,
                            double* below_smallest);
  /// Sums of pieces and of their products. A cut is 1.5 · 2^(e + 31). `y`: null for the squares of x.
  /// REQUIRES: at most kPieceBlock pairs; kFewestPieces to kMostPieces pieces; see PieceSums.
  void (*multiply_pieces)(const double* x, const double* y, std::size_t count, double cut_of_x,
                          double cut_of_y, int pieces, PieceSums& result);
  /// Of squares; value r of column c is values[r · stride + c]. `cuts`: of kStrip columns.
  /// REQUIRES: at most kPieceBlock rows.
  void (*square_columns)(const double* values, std::size_t rows, std::ptrdiff_t stride, const double* cuts,
                         int pieces, PieceColumns& result);
  SumLoops<double> of_doubles;
  SumLoops<float> of_floats;
  SumLoops<std::int32_t> of_integers;

  template <class T>
  const SumLoops<T>& loops() const;
};

template <>
inline const SumLoops<double>& SumKernel::loops() const {
  return of_doubles;
}
template <>
inline const SumLoops<float>& SumKernel::loops() const {
  return of_floats;
}
template <>
inline const SumLoops<std::int32_t>& SumKernel::loops() const {
  return of_integers;
}

/// All that were built, the portable one first, the fastest last.
std::span<const SumKernel* const> sum_kernels();
/// Whether this processor, and the system on it, can run it.
bool is_usable(const SumKernel& kernel);

/// The one in use: the last that is usable, or the one that the environment variable PILEUS_SUM_KERNEL names
/// (for measurements; a name that is unknown or not usable here counts for nothing).
const SumKernel& sum_kernel();
/// Its place in sum_kernels(): other loops have their sets in the same order.
std::size_t sum_kernel_number();
/// For tests and benchmarks: what all sums of the process use from now on. REQUIRES: usable.
void use_sum_kernel(const SumKernel& kernel);

}  // namespace pileus::detail
