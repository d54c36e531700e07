#include "client/strided_copy.h"

#include <array>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "math/fp_environment.h"

namespace pileus {
namespace {

/// The same elements in the same order with as few dimensions as possible. The first is the inner loop.
struct Loops {
  int rank = 0;
  std::array<Index, kMaxRank> counts{};
  std::array<Index, kMaxRank> strides{};  ///< bytes
};

/// Leaves out dimensions of one element and joins those whose neighbours are equally far apart.
Loops merge_loops(const StridedArray& from) {
  Loops loops;
  Index dense = static_cast<Index>(size_bytes(from.type));
  for (std::size_t d = 0; d < from.counts.size(); ++d) {
    const Index count = from.counts[d];
    const Index stride = from.byte_strides.empty() ? dense : from.byte_strides[d];
    dense *= count;
    if (count == 1) continue;
    const int last = loops.rank - 1;
    if (last >= 0 && stride == loops.strides[last] * loops.counts[last]) {
      loops.counts[last] *= count;
    } else {
      loops.counts[loops.rank] = count;
      loops.strides[loops.rank] = stride;
      ++loops.rank;
    }
  }
  return loops;
}

/// Calls row(first byte) for each inner row, in order. REQUIRES: no count is 0.
template <class Row>
void for_each_row(const Loops& loops, const std::byte* first, Row row) {
  std::array<Index, kMaxRank> at{};
  for (;;) {
    row(first);
    int d = 1;
    for (; d < loops.rank; ++d) {
      first += loops.strides[d];
      if (++at[d] < loops.counts[d]) break;
      first -= loops.strides[d] * loops.counts[d];
      at[d] = 0;
    }
    if (d >= loops.rank) return;
  }
}

template <class From, class To>
void convert_row(const std::byte* from, Index stride, std::byte* to, Index count) {
  for (Index i = 0; i < count; ++i) {
    From value;
    std::memcpy(&value, from + i * stride, sizeof value);
    const To converted = static_cast<To>(value);
    std::memcpy(to + i * static_cast<Index>(sizeof converted), &converted, sizeof converted);
  }
}

template <class From, class To>
void convert(const Loops& loops, const std::byte* from, std::byte* to) {
  constexpr Index kFromSize = sizeof(From);
  const Index count = loops.rank > 0 ? loops.counts[0] : 1;
  const Index stride = loops.rank > 0 ? loops.strides[0] : kFromSize;
  for_each_row(loops, from, [&](const std::byte* row) {
    if (stride == kFromSize)
      convert_row<From, To>(row, kFromSize, to, count);  // a constant stride: vectorised
    else
      convert_row<From, To>(row, stride, to, count);
    to += count * static_cast<Index>(sizeof(To));
  });
}

template <class Word>
void copy(const Loops& loops, const std::byte* from, std::byte* to) {
  constexpr Index kSize = sizeof(Word);
  const Index count = loops.rank > 0 ? loops.counts[0] : 1;
  const Index stride = loops.rank > 0 ? loops.strides[0] : kSize;
  for_each_row(loops, from, [&](const std::byte* row) {
    if (stride == kSize)
      std::memcpy(to, row, static_cast<std::size_t>(count * kSize));
    else
      convert_row<Word, Word>(row, stride, to, count);
    to += count * kSize;
  });
}

template <class From>
void convert_from(const Loops& loops, const std::byte* from, ElementType to_type, std::byte* to) {
  switch (to_type) {
    case ElementType::float64: return convert<From, double>(loops, from, to);
    case ElementType::float32: return convert<From, float>(loops, from, to);
    case ElementType::int64:
      if constexpr (std::is_integral_v<From>) return convert<From, std::int64_t>(loops, from, to);
      break;
    case ElementType::int32: break;
  }
  assert(!"can_convert was not asked");
}

}  // namespace

bool can_convert(ElementType from, ElementType to) {
  switch (to) {
    case ElementType::float64:
    case ElementType::float32: return true;
    case ElementType::int64: return from == ElementType::int32 || from == ElementType::int64;
    case ElementType::int32: return from == ElementType::int32;
  }
  return false;
}

void copy_strided(const StridedArray& from, ElementType to_type, std::byte* to) {
  for (const Index count : from.counts)
    if (count == 0) return;
  const Loops loops = merge_loops(from);
  if (from.type == to_type) {  // bits, whatever they mean: a signalling NaN stays one
    if (size_bytes(to_type) == 8) return copy<std::uint64_t>(loops, from.first, to);
    return copy<std::uint32_t>(loops, from.first, to);
  }
  const FloatingPointEnvironment exact;
  switch (from.type) {
    case ElementType::float64: return convert_from<double>(loops, from.first, to_type, to);
    case ElementType::float32: return convert_from<float>(loops, from.first, to_type, to);
    case ElementType::int32: return convert_from<std::int32_t>(loops, from.first, to_type, to);
    case ElementType::int64: return convert_from<std::int64_t>(loops, from.first, to_type, to);
  }
}

}  // namespace pileus
