// No "#pragma once": the part of sweep_loops_body.h, which alone includes it, that multiplies columns in
// pieces.

namespace pileus::detail {
namespace {

/// sum + a * b, which has no rounding here, so that it is the same in one step or two.
template <std::size_t N>
inline __attribute__((always_inline)) Lane<double, N> with_product(Lane<double, N> sum, Lane<double, N> a,
                                                                   Lane<double, N> b) {
#if PILEUS_SWEEP_WIDTH == 8
  if constexpr (N == 8) return (Lane<double, N>)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)sum);
#endif
#if PILEUS_SWEEP_WIDTH >= 4
  if constexpr (N == 4) return (Lane<double, N>)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)sum);
#endif
  return sum + a * b;
}

/// A value of each column, cut as PieceSums says.
template <int kPieces, std::size_t N>
struct CutLanes {
  using Lanes = Lane<double, N>;
  Lanes piece[kPieces];
  Lanes last_two;

  inline __attribute__((always_inline)) CutLanes(Lanes x, const Lanes* cuts) {
    for (int i = 0; i + 1 < kPieces; ++i) {
      if (i + 2 == kPieces) last_two = x;
      piece[i] = (x + cuts[i]) - cuts[i];
      x = x - piece[i];
    }
    piece[kPieces - 1] = x;
  }

  inline __attribute__((always_inline)) void add_to(Lanes* sums) const {
    for (int i = 0; i + 2 < kPieces; ++i) sums[i] = sums[i] + piece[i];
    sums[kPieces - 2] = sums[kPieces - 2] + last_two;
  }
};

template <int kPieces, std::size_t N>
inline __attribute__((always_inline)) void start_cuts(const double* first, Lane<double, N>* cuts) {
  Lane<double, N> cut = lanes_at<N>(first);
  for (int i = 0; i + 1 < kPieces; ++i, cut = cut * 0x1p-22) cuts[i] = cut;
}

template <std::size_t N>
inline __attribute__((always_inline)) void add_to_state(double* state, Lane<double, N> sum) {
  put_lanes(state, lanes_at<N>(state) + sum);
}

/// Passes over N columns, all rows of them.
template <int kPieces, std::size_t N>
inline __attribute__((always_inline)) void square_strip(const double* a, SweepTile tile, const double* cuts,
                                                        double* state, std::size_t stride) {
  using Lanes = Lane<double, N>;
  Lanes cuts_a[kPieces - 1], of_a[kPieces - 1] = {}, products[kPieces][kPieces] = {};
  start_cuts<kPieces, N>(cuts, cuts_a);
  for (std::size_t row = 0; row < tile.rows; ++row) {
    const CutLanes<kPieces, N> x(lanes_at<N>(a + row * tile.columns), cuts_a);
    x.add_to(of_a);
    for (int i = 0; i < kPieces; ++i) {
      for (int j = i; j < kPieces; ++j)
        products[i][j] = with_product<N>(products[i][j], x.piece[i], x.piece[j]);
    }
  }
  for (int i = 0; i < kPieces; ++i) {
    for (int j = i; j < kPieces; ++j) {
      const Lanes sum = products[i][j];
      add_to_state<N>(state + static_cast<std::size_t>(i + j) * stride, j == i ? sum : sum + sum);
    }
  }
  for (int i = 0; i + 1 < kPieces; ++i)
    add_to_state<N>(state + static_cast<std::size_t>(2 * kPieces - 1 + i) * stride, of_a[i]);
}

template <int kPieces, std::size_t N>
inline __attribute__((always_inline)) void pair_strip(const double* a, const double* b, SweepTile tile,
                                                      const double* cuts, double* state, std::size_t stride) {
  using Lanes = Lane<double, N>;
  Lanes cuts_a[kPieces - 1], cuts_b[kPieces - 1];
  Lanes of_a[kPieces - 1] = {}, of_b[kPieces - 1] = {}, products[2 * kPieces - 1] = {};
  start_cuts<kPieces, N>(cuts, cuts_a);
  start_cuts<kPieces, N>(cuts + stride, cuts_b);
  for (std::size_t row = 0; row < tile.rows; ++row) {
    const CutLanes<kPieces, N> x(lanes_at<N>(a + row * tile.columns), cuts_a);
    const CutLanes<kPieces, N> y(lanes_at<N>(b + row * tile.columns), cuts_b);
    x.add_to(of_a);
    y.add_to(of_b);
    for (int i = 0; i < kPieces; ++i) {
      for (int j = 0; j < kPieces; ++j)
        products[i + j] = with_product<N>(products[i + j], x.piece[i], y.piece[j]);
    }
  }
  double* to = state;
  for (int k = 0; k < 2 * kPieces - 1; ++k, to += stride) add_to_state<N>(to, products[k]);
  for (int i = 0; i + 1 < kPieces; ++i, to += stride) add_to_state<N>(to, of_a[i]);
  for (int i = 0; i + 1 < kPieces; ++i, to += stride) add_to_state<N>(to, of_b[i]);
}

/// Those columns from `first` on that fill such strips; returns the first that is left.
template <int kPieces, std::size_t N>
inline std::size_t piece_strips(std::size_t first, const double* a, const double* b, SweepTile tile,
                                const double* cuts, double* state, std::size_t stride) {
  std::size_t c = first;
  for (; c + N <= tile.columns; c += N) {
    if (b == nullptr) {
      square_strip<kPieces, N>(a + c, tile, cuts + c, state + c, stride);
    } else {
      pair_strip<kPieces, N>(a + c, b + c, tile, cuts + c, state + c, stride);
    }
  }
  return c;
}

template <int kPieces>
void multiply_tile_in_pieces(const double* a, const double* b, SweepTile tile, const double* cuts,
                             double* state, std::size_t stride) {
  std::size_t c = piece_strips<kPieces, kSweepWidth>(0, a, b, tile, cuts, state, stride);
  c = piece_strips<kPieces, kSweepWidth / 2>(c, a, b, tile, cuts, state, stride);
  piece_strips<kPieces, 1>(c, a, b, tile, cuts, state, stride);
}

void add_products(const double* a, const double* b, SweepTile tile, const double* cuts, int pieces,
                  double* state, std::size_t stride) {
  pieces == kFewestPieces ? multiply_tile_in_pieces<kFewestPieces>(a, b, tile, cuts, state, stride)
                          : multiply_tile_in_pieces<kMostPieces>(a, b, tile, cuts, state, stride);
}

}  // namespace
}  // namespace pileus::detail
