// No "#pragma once": that part of sum_kernel_body.h which multiplies values in pieces. Nothing else includes
// it.

namespace pileus::detail {
namespace {

/// sum + a * b, which has no rounding here, so that it is the same in one step or two.
inline Row<double> with_product(Row<double> sum, Row<double> a, Row<double> b) {
#if PILEUS_SUM_WIDTH == 8
  return (Row<double>)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)sum);
#elif PILEUS_SUM_WIDTH == 4
  return (Row<double>)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)sum);
#else
  return sum + a * b;
#endif
}

template <int kPieces>
struct Pieces {
  Row<double> piece[kPieces];
  Row<double> last_two;

  inline Pieces(Row<double> x, const Row<double>* cuts) {
    for (int i = 0; i + 1 < kPieces; ++i) {
      if (i + 2 == kPieces) last_two = x;
      piece[i] = (x + cuts[i]) - cuts[i];
      x -= piece[i];
    }
    piece[kPieces - 1] = x;
  }

  static inline void cut(Row<double> first, Row<double>* cuts) {
    for (int i = 0; i + 1 < kPieces; ++i, first *= 0x1p-22) cuts[i] = first;
  }

  inline void add_to(Row<double>* sums) const {
    for (int i = 0; i + 2 < kPieces; ++i) sums[i] += piece[i];
    sums[kPieces - 2] += last_two;
  }
};

/// Σ x_i y_j by i + j.
template <int kPieces>
struct PairProducts {
  static constexpr int kOrders = 2 * kPieces - 1;
  Row<double> sums[kOrders] = {};

  inline void add(const Pieces<kPieces>& x, const Pieces<kPieces>& y) {
    for (int i = 0; i < kPieces; ++i) {
      for (int j = 0; j < kPieces; ++j) sums[i + j] = with_product(sums[i + j], x.piece[i], y.piece[j]);
    }
  }
  inline Row<double> of_order(int order) const { return sums[order]; }
};

/// Σ x_i x_j by i and j >= i, so that nothing is doubled on the way.
template <int kPieces>
struct SquareProducts {
  static constexpr int kOrders = 2 * kPieces - 1;
  Row<double> sums[kPieces][kPieces] = {};

  inline void add(const Pieces<kPieces>& x) {
    for (int i = 0; i < kPieces; ++i) {
      for (int j = i; j < kPieces; ++j) sums[i][j] = with_product(sums[i][j], x.piece[i], x.piece[j]);
    }
  }
  inline Row<double> of_order(int order) const {
    Row<double> sum{};
    for (int i = 0; i < kPieces; ++i) {
      const int j = order - i;
      if (j >= i && j < kPieces) sum += j == i ? sums[i][j] : sums[i][j] + sums[i][j];
    }
    return sum;
  }
};

/// Calls add(row of x, row of y) for all; zeros, which change nothing, fill the last one.
template <class Add>
inline void for_each_row(const double* x, const double* y, std::size_t count, Add add) {
  std::size_t i = 0;
  for (; count - i >= kWidth; i += kWidth) {
    add(load(x + i), load(y + i));
  }
  if (i == count) return;
  double padded_x[kWidth] = {}, padded_y[kWidth] = {};
  for (std::size_t k = 0; i + k < count; ++k) padded_x[k] = x[i + k], padded_y[k] = y[i + k];
  add(load(padded_x), load(padded_y));
}

template <int kPieces>
inline void multiply_in(const double* x, const double* y, std::size_t count, double cut_of_x, double cut_of_y,
                        PieceSums& result) {
  Row<double> cuts_x[kPieces - 1], cuts_y[kPieces - 1];
  Pieces<kPieces>::cut(Row<double>{} + cut_of_x, cuts_x);
  Pieces<kPieces>::cut(Row<double>{} + cut_of_y, cuts_y);
  Row<double> of_x[kPieces - 1] = {}, of_y[kPieces - 1] = {};
  PairProducts<kPieces> products;
  for_each_row(x, y, count, [&](Row<double> one, Row<double> other) {
    const Pieces<kPieces> pieces(one, cuts_x), others(other, cuts_y);
    pieces.add_to(of_x);
    others.add_to(of_y);
    products.add(pieces, others);
  });
  for (int i = 0; i + 1 < kPieces; ++i)
    result.of_x[i] = total_of(of_x[i]), result.of_y[i] = total_of(of_y[i]);
  for (int k = 0; k < products.kOrders; ++k) result.of_products[k] = total_of(products.of_order(k));
}

template <int kPieces>
inline void square_in(const double* x, std::size_t count, double cut, PieceSums& result) {
  Row<double> cuts[kPieces - 1];
  Pieces<kPieces>::cut(Row<double>{} + cut, cuts);
  Row<double> of_x[kPieces - 1] = {};
  SquareProducts<kPieces> products;
  for_each_row(x, x, count, [&](Row<double> one, Row<double>) {
    const Pieces<kPieces> pieces(one, cuts);
    pieces.add_to(of_x);
    products.add(pieces);
  });
  for (int i = 0; i + 1 < kPieces; ++i) result.of_x[i] = total_of(of_x[i]);
  for (int k = 0; k < products.kOrders; ++k) result.of_products[k] = total_of(products.of_order(k));
}

void multiply_pieces(const double* x, const double* y, std::size_t count, double cut_of_x, double cut_of_y,
                     int pieces, PieceSums& result) {
  const bool are_few = pieces == kFewestPieces;
  if (y == nullptr) {
    return are_few ? square_in<kFewestPieces>(x, count, cut_of_x, result)
                   : square_in<kMostPieces>(x, count, cut_of_x, result);
  }
  are_few ? multiply_in<kFewestPieces>(x, y, count, cut_of_x, cut_of_y, result)
          : multiply_in<kMostPieces>(x, y, count, cut_of_x, cut_of_y, result);
}

template <int kPieces>
inline void square_columns_in(const double* values, std::size_t rows, std::ptrdiff_t stride,
                              const double* cuts, PieceColumns& result) {
  for (std::size_t column = 0; column < kStrip; column += kWidth) {
    Row<double> cuts_x[kPieces - 1];
    Pieces<kPieces>::cut(load(cuts + column), cuts_x);
    Row<double> of_x[kPieces - 1] = {};
    SquareProducts<kPieces> products;
    const double* from = values + column;
    for (std::size_t i = 0; i < rows; ++i, from += stride) {
      const Pieces<kPieces> pieces(load(from), cuts_x);
      pieces.add_to(of_x);
      products.add(pieces);
    }
    for (int i = 0; i + 1 < kPieces; ++i) store(result.of_x[i] + column, of_x[i]);
    for (int k = 0; k < products.kOrders; ++k) store(result.of_products[k] + column, products.of_order(k));
  }
}

void square_columns(const double* values, std::size_t rows, std::ptrdiff_t stride, const double* cuts,
                    int pieces, PieceColumns& result) {
  pieces == kFewestPieces ? square_columns_in<kFewestPieces>(values, rows, stride, cuts, result)
                          : square_columns_in<kMostPieces>(values, rows, stride, cuts, result);
}

struct Magnitudes {
  Row<double> largest{};
  Row<double> below_smallest = Row<double>{} + __builtin_inf();

  inline void add(Row<double> x) {
    const Row<std::uint64_t> magnitude = (Row<std::uint64_t>)x & (~std::uint64_t{0} >> 1);
    largest = largest_of(magnitude, largest);
    below_smallest = smallest_of(magnitude - 1, below_smallest);
  }
  inline void join(const Magnitudes& other) {
    largest = largest_of((Row<std::uint64_t>)other.largest, largest);
    below_smallest = smallest_of((Row<std::uint64_t>)other.below_smallest, below_smallest);
  }
};

MagnitudeRange magnitudes(const double* values, std::size_t count) {
  constexpr std::size_t kSide = 4;
  Magnitudes lanes[kSide];
  std::size_t i = 0;
  for (; count - i >= kSide * kWidth; i += kSide * kWidth) {
    for (std::size_t lane = 0; lane < kSide * kWidth; lane += kLine / sizeof(double))
      __builtin_prefetch(values + i + kAhead + lane);
    for (std::size_t k = 0; k < kSide; ++k) lanes[k].add(load(values + i + k * kWidth));
  }
  for_each_row(values + i, values + i, count - i, [&](Row<double> x, Row<double>) { lanes[0].add(x); });
  for (std::size_t k = 1; k < kSide; ++k) lanes[0].join(lanes[k]);
  return {joined(lanes[0].largest, [](double a, double b) { return b > a ? b : a; }),
          joined(lanes[0].below_smallest, [](double a, double b) { return b < a ? b : a; })};
}

void column_magnitudes(const double* values, std::size_t rows, std::ptrdiff_t stride, double* largest,
                       double* below_smallest) {
  for (std::size_t column = 0; column < kStrip; column += kWidth) {
    Magnitudes lanes;
    const double* from = values + column;
    for (std::size_t i = 0; i < rows; ++i, from += stride) {
      __builtin_prefetch(from + kRowsAhead * stride);
      lanes.add(load(from));
    }
    store(largest + column, lanes.largest);
    store(below_smallest + column, lanes.below_smallest);
  }
}

}  // namespace
}  // namespace pileus::detail
