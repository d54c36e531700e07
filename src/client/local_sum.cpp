#include "client/local_sum.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/error.h"
#include "math/exact_sum.h"
#include "math/reduced_axes.h"

namespace pileus {
namespace {

template <class T>
void add_all(std::span<const ReducedAxis> axes, const T* values, ExactSum* sums) {
  if (axes.size() == 0) return sums->add(std::span<const T>(values, 1));
  const ReducedAxis& first = axes[0];
  if (axes.size() == 1 && first.is_reduced()) {
    return sums->add_strided(values, static_cast<std::size_t>(first.extent), first.stride);
  }
  const bool are_columns = axes.size() == 2 && !first.is_reduced() && first.stride == 1 &&
                           first.result_stride == 1 && axes[1].is_reduced();
  if (are_columns) {
    std::vector<ExactSum*> columns;
    for (Index c = 0; c < first.extent; ++c) columns.push_back(sums + c);
    return ExactSum::add_columns(std::span<ExactSum* const>(columns), values,
                                 static_cast<std::size_t>(axes[1].extent), axes[1].stride);
  }
  const ReducedAxis& last = axes.back();
  for (Index i = 0; i < last.extent; ++i) {
    add_all(axes.first(axes.size() - 1), values + i * last.stride, sums + i * last.result_stride);
  }
}

void add_all(ElementType type, std::span<const ReducedAxis> axes, const std::byte* first, ExactSum* sums) {
  switch (type) {
    case ElementType::float64: return add_all(axes, reinterpret_cast<const double*>(first), sums);
    case ElementType::float32: return add_all(axes, reinterpret_cast<const float*>(first), sums);
    case ElementType::int32: return add_all(axes, reinterpret_cast<const std::int32_t*>(first), sums);
    case ElementType::int64: return add_all(axes, reinterpret_cast<const std::int64_t*>(first), sums);
    case ElementType::boolean: return add_all(axes, reinterpret_cast<const std::int8_t*>(first), sums);
    case ElementType::character: return;
  }
}

/// The sum as doubles, each the nearest to what the earlier ones leave. Returns how many there are.
Index expand(ExactSum sum, std::span<double> parts) {
  std::ranges::fill(parts, 0.0);
  Index count = 0;
  while (!sum.is_zero()) {
    const double part = sum.round();
    if (static_cast<std::size_t>(count) < parts.size()) parts[static_cast<std::size_t>(count)] = part;
    ++count;
    if (!sum.is_finite() || part - part != 0) break;  // NaN or an infinity needs no other part
    sum.add(-part);
  }
  return count;
}

}  // namespace

void local_sum(const StridedArray& array, std::span<const bool> is_kept, Index parts, std::span<double> out) {
  if (array.type == ElementType::character) throw UsageError("pileus_local_sum: texts cannot be summed up");
  const auto size = static_cast<Index>(size_bytes(array.type));
  std::vector<ReducedAxis> axes;
  Index dense = 1, result_stride = 1;
  bool is_aligned = reinterpret_cast<std::uintptr_t>(array.first) % static_cast<std::uintptr_t>(size) == 0;
  for (std::size_t d = 0; d < array.counts.size(); ++d) {
    const Index bytes = array.byte_strides.empty() ? dense * size : array.byte_strides[d];
    is_aligned = is_aligned && bytes % size == 0;
    axes.push_back({array.counts[d], bytes / size, is_kept[d] ? result_stride : 0});
    dense *= array.counts[d];
    if (is_kept[d]) result_stride *= array.counts[d];
  }
  std::vector<ExactSum> sums(static_cast<std::size_t>(result_stride));
  std::vector<std::byte> copy;
  const std::byte* first = array.first;
  if (dense > 0 && (!is_aligned || array.type == ElementType::boolean)) {  // truth values become 0 and 1
    copy.resize(static_cast<std::size_t>(dense * size));
    copy_strided(array, array.type, copy.data());
    first = copy.data();
    Index stride = 1;
    for (ReducedAxis& axis : axes) {
      axis.stride = stride;
      stride *= axis.extent;
    }
  }
  if (dense > 0) add_all(array.type, merged(axes), first, sums.data());

  Index most = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const auto one = out.subspan(i * static_cast<std::size_t>(parts), static_cast<std::size_t>(parts));
    most = std::max(most, expand(sums[i], one));
  }
  if (most <= parts) return;
  throw UsageError("pileus_local_sum: the sum needs " + std::to_string(most) +
                   " parts and there is memory for " + std::to_string(parts) + "; " +
                   std::to_string(kMostSumParts) + " are always enough");
}

}  // namespace pileus
