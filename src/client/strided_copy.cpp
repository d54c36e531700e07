#include "client/strided_copy.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "client/element_loops.h"

namespace pileus {
namespace {

/// Edge of the squares in which a transposed array is read, so that each cache line is used up while it is in
/// the cache.
constexpr Index kTile = 16;

/// The loops over the same elements with as few dimensions as possible. The first is dense in the
/// destination.
struct Loops {
  int rank = 0;
  std::array<Index, kMaxRank> counts{1, 1, 1, 1, 1, 1};
  std::array<Index, kMaxRank> from_strides{};  ///< bytes
  std::array<Index, kMaxRank> to_strides{1};   ///< elements
  bool is_transposed = false;  ///< in the source, neighbours in the second dimension are nearer than in the
                               ///< first
};

/// Leaves out dimensions of one element, and joins dimensions that follow each other without a gap.
Loops merge_loops(const StridedArray& from) {
  Loops loops;
  const Index element = static_cast<Index>(size_bytes(from.type));
  Index before = 1;
  for (std::size_t d = 0; d < from.counts.size(); ++d) {
    const Index count = from.counts[d];
    const Index stride = from.byte_strides.empty() ? element * before : from.byte_strides[d];
    const int last = loops.rank - 1;
    if (count == 1) continue;
    if (last >= 0 && stride == loops.from_strides[last] * loops.counts[last]) {
      loops.counts[last] *= count;
    } else {
      loops.counts[loops.rank] = count;
      loops.from_strides[loops.rank] = stride;
      loops.to_strides[loops.rank] = before;
      ++loops.rank;
    }
    before *= count;
  }
  return loops;
}

/// Makes the dimension with the nearest neighbours in the source the second, if they are nearer than the
/// first's.
void find_transposition(Loops& loops) {
  int nearest = 0;
  for (int d = 1; d < loops.rank; ++d)
    if (std::abs(loops.from_strides[d]) < std::abs(loops.from_strides[nearest])) nearest = d;
  if (nearest == 0) return;
  std::swap(loops.counts[1], loops.counts[nearest]);
  std::swap(loops.from_strides[1], loops.from_strides[nearest]);
  std::swap(loops.to_strides[1], loops.to_strides[nearest]);
  loops.is_transposed = true;
}

/// Calls row(first byte, first element in the destination, count) for each row of one plane.
template <class Row>
void for_each_row_of_plane(const Loops& loops, const std::byte* from, Index to, Row& row) {
  const Index edge_0 = loops.is_transposed ? kTile : loops.counts[0];
  const Index edge_1 = loops.is_transposed ? kTile : loops.counts[1];
  for (Index j = 0; j < loops.counts[1]; j += edge_1) {
    const Index end_1 = std::min(j + edge_1, loops.counts[1]);
    for (Index i = 0; i < loops.counts[0]; i += edge_0) {
      const Index count = std::min(edge_0, loops.counts[0] - i);
      for (Index k = j; k < end_1; ++k)
        row(from + i * loops.from_strides[0] + k * loops.from_strides[1], to + i + k * loops.to_strides[1],
            count);
    }
  }
}

/// Does the same for all planes. REQUIRES: no count is 0.
template <class Row>
void for_each_row(const Loops& loops, const std::byte* from, Row row) {
  std::array<Index, kMaxRank> at{};
  Index to = 0;
  for (;;) {
    for_each_row_of_plane(loops, from, to, row);
    int d = 2;
    for (; d < loops.rank; ++d) {
      from += loops.from_strides[d];
      to += loops.to_strides[d];
      if (++at[d] < loops.counts[d]) break;
      from -= loops.from_strides[d] * loops.counts[d];
      to -= loops.to_strides[d] * loops.counts[d];
      at[d] = 0;
    }
    if (d >= loops.rank) return;
  }
}

template <class From, class To>
void convert(const Loops& loops, const std::byte* from, std::byte* to) {
  constexpr Index kToSize = sizeof(To);
  const Index stride = loops.rank > 0 ? loops.from_strides[0] : static_cast<Index>(sizeof(From));
  for_each_row(loops, from, [&](const std::byte* row, Index first, Index count) {
    copy_row<From, To>(row, stride, to + first * kToSize, count);
  });
}

}  // namespace

bool is_dense(const StridedArray& array) {
  const Loops loops = merge_loops(array);
  return loops.rank == 0 ||
         (loops.rank == 1 && loops.from_strides[0] == static_cast<Index>(size_bytes(array.type)));
}

bool can_convert(ElementType from, ElementType to) {
  switch (to) {
    case ElementType::float64:
    case ElementType::float32: return is_number(from);
    case ElementType::int64: return can_convert(from, ElementType::int32) || from == ElementType::int64;
    case ElementType::int32: return from == ElementType::int32 || from == ElementType::boolean;
    case ElementType::boolean:
    case ElementType::character: return from == to;
  }
  return false;
}

void copy_strided(const StridedArray& from, ElementType to_type, std::byte* to) {
  for (const Index count : from.counts)
    if (count == 0) return;
  Loops loops = merge_loops(from);
  find_transposition(loops);
  with_element_types(from.type, to_type,
                     [&]<class From, class To>() { convert<From, To>(loops, from.first, to); });
}

}  // namespace pileus
