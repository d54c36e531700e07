// No "#pragma once": the loops of SumKernel for the instruction set that the including file is compiled for.
// That file defines PILEUS_SUM_WIDTH, the doubles of a register. Nothing here may call an inline function of
// another header: the linker might take its copy, compiled for this instruction set, for the whole program.
// It must never be compiled with fast-math or with contraction.

#include "loops/sum_kernel.h"

namespace pileus::detail {
namespace {

constexpr std::size_t kWidth = PILEUS_SUM_WIDTH;
constexpr std::size_t kRows = kWidth == 2 ? 4 : 2;  // registers side by side, so that additions overlap
constexpr std::size_t kLanes = kRows * kWidth;
constexpr std::size_t kColumnRows = 2;
// How far ahead memory is asked for: the processor's own guess stops at pages and loses strides.
constexpr std::size_t kLine = 64;  // bytes
constexpr std::size_t kAhead = 512;
constexpr std::ptrdiff_t kRowsAhead = 16;
static_assert(kBlock / kLanes <= 256 && kBlockRows <= 256, "a lane takes at most 2^8 values");

template <class T>
using Row __attribute__((vector_size(kWidth * sizeof(T)))) = T;

template <class T>
inline Row<double> load(const T* values) {
  Row<T> row;
  __builtin_memcpy(&row, values, sizeof row);
  if constexpr (sizeof(T) == sizeof(double)) {
    return row;
  } else {
    return __builtin_convertvector(row, Row<double>);
  }
}

// Magnitudes have one order as doubles and as unsigned numbers; AVX-512 has one instruction for the latter,
// AVX2 for the former. A NaN is left out as a double, and is the largest as a number: either way the sum of
// its block is none.
inline Row<double> largest_of(Row<std::uint64_t> x, Row<double> y) {
#if PILEUS_SUM_WIDTH == 8
  return (Row<double>)_mm512_max_epu64((__m512i)x, (__m512i)y);
#elif PILEUS_SUM_WIDTH == 4
  return (Row<double>)_mm256_max_pd((__m256d)x, (__m256d)y);
#else
  return (Row<double>)x > y ? (Row<double>)x : y;
#endif
}
inline Row<double> smallest_of(Row<std::uint64_t> x, Row<double> y) {
#if PILEUS_SUM_WIDTH == 8
  return (Row<double>)_mm512_min_epu64((__m512i)x, (__m512i)y);
#elif PILEUS_SUM_WIDTH == 4
  return (Row<double>)_mm256_min_pd((__m256d)x, (__m256d)y);
#else
  return (Row<double>)x < y ? (Row<double>)x : y;
#endif
}

/// A whole register from memory, with 0 for its first lanes, which have been added.
template <class T>
inline Row<double> load_without_first(const T* values, std::size_t skipped) {
  Row<std::uint64_t> lane;
  for (std::size_t k = 0; k < kWidth; ++k) lane[k] = k;
  return (Row<double>)((Row<std::uint64_t>)load(values) & (Row<std::uint64_t>)(lane >= skipped));
}

/// Joins all lanes, halves by halves.
template <std::size_t N, class Join>
inline double joined(const double* lanes, Join join) {
  if constexpr (N == 1) {
    return lanes[0];
  } else {
    double halves[N / 2];
    for (std::size_t k = 0; k < N / 2; ++k) halves[k] = join(lanes[k], lanes[k + N / 2]);
    return joined<N / 2>(halves, join);
  }
}

template <class Join>
inline double joined(Row<double> row, Join join) {
  double lanes[kWidth];
  __builtin_memcpy(lanes, &row, sizeof row);
  return joined<kWidth>(lanes, join);
}

inline double total_of(Row<double> row) {
  return joined(row, [](double a, double b) { return a + b; });
}

/// The running state of one register of lanes.
template <int kFolds>
struct Lanes {
  Row<double> sums[kFolds];
  Row<double> rests;
  Row<double> largest;
  Row<double> below_smallest;

  inline void start(const Row<double>* bases) {
    for (int fold = 0; fold < kFolds; ++fold) sums[fold] = bases[fold];
    rests = Row<double>{};
    largest = Row<double>{};
    below_smallest = Row<double>{} + __builtin_inf();
  }

  inline void add(Row<double> x) {
    const Row<std::uint64_t> magnitude = (Row<std::uint64_t>)x & (~std::uint64_t{0} >> 1);
    const Row<std::uint64_t> below = magnitude - 1;  // of 0: a NaN, and the largest number
    largest = largest_of(magnitude, largest);
    below_smallest = smallest_of(below, below_smallest);
    for (int fold = 0; fold < kFolds; ++fold) {
      const Row<double> sum = sums[fold] + x;
      x -= sum - sums[fold];
      sums[fold] = sum;
    }
    rests += x;
  }
};

/// Values from `done` on, fewer than kLanes.
template <int kFolds, class T>
inline void add_rest(const T* values, std::size_t done, std::size_t count, Lanes<kFolds>* lanes) {
  std::size_t row = 0;
  for (; count - done >= kWidth; done += kWidth) lanes[row++].add(load(values + done));
  if (done == count) return;
  if (count >= kWidth)
    return lanes[row].add(load_without_first(values + count - kWidth, kWidth - (count - done)));
  T padded[kWidth] = {};  // zeros change nothing
  for (std::size_t i = 0; i < count; ++i) padded[i] = values[i];
  lanes[row].add(load(padded));
}

template <int kFolds, class T>
inline void sum_block_folds(const T* values, std::size_t count, const double* bases, BlockSum& result) {
  Row<double> starts[kFolds];
  for (int fold = 0; fold < kFolds; ++fold) starts[fold] = Row<double>{} + bases[fold];
  Lanes<kFolds> lanes[kRows];
  for (std::size_t row = 0; row < kRows; ++row) lanes[row].start(starts);

  const std::size_t in_lanes = count - count % kLanes;
  for (std::size_t i = 0; i < in_lanes; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; lane += kLine / sizeof(T))
      __builtin_prefetch(values + i + kAhead + lane);
    for (std::size_t row = 0; row < kRows; ++row) lanes[row].add(load(values + i + row * kWidth));
  }
  add_rest(values, in_lanes, count, lanes);

  for (int fold = 0; fold <= kFolds; ++fold) {
    Row<double> part{};
    for (std::size_t row = 0; row < kRows; ++row)
      part += fold < kFolds ? lanes[row].sums[fold] - starts[fold] : lanes[row].rests;
    result.parts[fold] = total_of(part);
  }
  for (std::size_t row = 1; row < kRows; ++row) {
    lanes[0].largest = largest_of((Row<std::uint64_t>)lanes[row].largest, lanes[0].largest);
    lanes[0].below_smallest =
        smallest_of((Row<std::uint64_t>)lanes[row].below_smallest, lanes[0].below_smallest);
  }
  result.largest = joined(lanes[0].largest, [](double a, double b) { return b > a ? b : a; });
  result.below_smallest = joined(lanes[0].below_smallest, [](double a, double b) { return b < a ? b : a; });
}

template <class T>
void sum_block(const T* values, std::size_t count, const double* bases, int folds, BlockSum& result) {
  if (folds == 1) return sum_block_folds<1>(values, count, bases, result);
  if (folds == 2) return sum_block_folds<2>(values, count, bases, result);
  sum_block_folds<4>(values, count, bases, result);
}

inline void store(double* to, Row<double> row) { __builtin_memcpy(to, &row, sizeof row); }

template <int kFolds, class T>
inline void sum_columns_folds(const T* values, std::size_t rows, std::ptrdiff_t stride,
                              const ColumnBases& bases, ColumnSums& result) {
  for (std::size_t column = 0; column < kStrip; column += kColumnRows * kWidth) {
    Row<double> starts[kColumnRows][kFolds];
    Lanes<kFolds> lanes[kColumnRows];
    for (std::size_t row = 0; row < kColumnRows; ++row) {
      for (int fold = 0; fold < kFolds; ++fold) {
        starts[row][fold] = load(bases.of_fold[fold] + column + row * kWidth);
      }
      lanes[row].start(starts[row]);
    }
    const T* from = values + column;
    for (std::size_t i = 0; i < rows; ++i, from += stride) {
      // What follows these rows is asked for evenly meanwhile, into the second cache.
      if (column == 0) {
        const T* const next = from + static_cast<std::ptrdiff_t>(rows) * stride;
        for (std::size_t c = 0; c < kStrip; c += kLine / sizeof(T)) __builtin_prefetch(next + c, 0, 2);
        __builtin_prefetch(next + kStrip - 1, 0, 2);
      }
      for (std::size_t row = 0; row < kColumnRows; ++row) lanes[row].add(load(from + row * kWidth));
    }
    for (std::size_t row = 0; row < kColumnRows; ++row) {
      const std::size_t at = column + row * kWidth;
      for (int fold = 0; fold < kFolds; ++fold) {
        store(result.parts[fold] + at, lanes[row].sums[fold] - starts[row][fold]);
      }
      store(result.parts[kFolds] + at, lanes[row].rests);
      store(result.largest + at, lanes[row].largest);
      store(result.below_smallest + at, lanes[row].below_smallest);
    }
  }
}

template <class T>
void sum_columns(const T* values, std::size_t rows, std::ptrdiff_t stride, const ColumnBases& bases,
                 int folds, ColumnSums& result) {
  if (folds == 1) return sum_columns_folds<1>(values, rows, stride, bases, result);
  sum_columns_folds<2>(values, rows, stride, bases, result);
}

struct Multiplied {
  Row<std::int64_t> inexact{};
  Row<std::uint64_t> error_bits{};

  inline void multiply(Row<double> x, Row<double> y, Row<double>& product, Row<double>& error) {
    product = x * y;
    Row<std::int64_t> is_exact = magnitude_of(product) >= kSmallestProduct;
    is_exact |= (product == 0) & ((x == 0) | (y == 0));
    is_exact &= magnitude_of(product) <= kLargestProduct;
#ifdef __FP_FAST_FMA
    for (std::size_t lane = 0; lane < kWidth; ++lane)
      error[lane] = __builtin_fma(x[lane], y[lane], -product[lane]);
#else
    is_exact &= (magnitude_of(x) <= kLargestProduct) & (magnitude_of(y) <= kLargestProduct);
    const Row<double> x_high = high_half(x), y_high = high_half(y);
    const Row<double> x_low = x - x_high, y_low = y - y_high;
    error = x_low * y_low - (((product - x_high * y_high) - x_low * y_high) - x_high * y_low);
#endif
    inexact |= ~is_exact;
    error_bits |= (Row<std::uint64_t>)magnitude_of(error);
  }

  static inline Row<double> magnitude_of(Row<double> x) {
    return (Row<double>)((Row<std::uint64_t>)x & (~std::uint64_t{0} >> 1));
  }
  /// The upper 26 bits.
  static inline Row<double> high_half(Row<double> x) {
    const Row<double> scaled = x * 134217729.0;  // 2^27 + 1
    return scaled - (scaled - x);
  }

  inline unsigned flags() const {
    unsigned flags = 0;
    for (std::size_t lane = 0; lane < kWidth; ++lane) {
      if (inexact[lane] != 0) flags |= kSomeInexact;
      if (error_bits[lane] != 0) flags |= kSomeErrors;
    }
    return flags;
  }
};

unsigned multiply_block(const double* x, const double* y, std::size_t count, double* products,
                        double* errors) {
  Multiplied multiplied;
  Row<double> product, error;
  const std::size_t in_rows = count - count % kWidth;
  for (std::size_t i = 0; i < in_rows; i += kWidth) {
    multiplied.multiply(load(x + i), load(y + i), product, error);
    store(products + i, product);
    store(errors + i, error);
  }
  if (in_rows < count) {
    double padded_x[kWidth] = {}, padded_y[kWidth] = {};  // 0 · 0 is exact
    for (std::size_t i = in_rows; i < count; ++i) {
      padded_x[i - in_rows] = x[i];
      padded_y[i - in_rows] = y[i];
    }
    multiplied.multiply(load(padded_x), load(padded_y), product, error);
    for (std::size_t i = in_rows; i < count; ++i) {
      products[i] = product[i - in_rows];
      errors[i] = error[i - in_rows];
    }
  }
  return multiplied.flags();
}

}  // namespace
}  // namespace pileus::detail

#include "loops/sum_pieces_body.h"

#define PILEUS_DEFINE_SUM_KERNEL(variable, name)                                              \
  namespace pileus::detail {                                                                  \
  extern constinit const SumKernel variable;                                                  \
  constinit const SumKernel variable{name,                                                    \
                                     &multiply_block,                                         \
                                     &magnitudes,                                             \
                                     &column_magnitudes,                                      \
                                     &multiply_pieces,                                        \
                                     &square_columns,                                         \
                                     {&sum_block<double>, &sum_columns<double>},              \
                                     {&sum_block<float>, &sum_columns<float>},                \
                                     {&sum_block<std::int32_t>, &sum_columns<std::int32_t>}}; \
  }
