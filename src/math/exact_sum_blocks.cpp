// Adding many values at once: blocks of them go through the loops of SumKernel.

#include <algorithm>
#include <array>
#include <cmath>

#include "loops/sum_kernel.h"
#include "math/block_fit.h"
#include "math/exact_sum.h"

namespace pileus {
namespace {

constexpr std::size_t kSmallBlock = 16;  // below that the loops do not pay
constexpr std::int64_t kLowHalf = 0xFFFFFFFF;

}  // namespace

/// Returns false, with nothing added, where the values are too large, too different or not finite.
template <class T>
bool ExactSum::add_block(std::span<const T> block, detail::BlockFit& fit) {
  const auto run = detail::sum_kernel().loops<T>().sum_block;
  const auto sum_with = [&](const detail::BlockFit& chosen) {
    double bases[detail::kMostFolds];
    for (int fold = 0; fold < chosen.folds; ++fold) bases[fold] = chosen.base(fold);
    detail::BlockSum sum;
    run(block.data(), block.size(), bases, chosen.folds, sum);
    return sum;
  };
  detail::BlockSum sum = sum_with(fit);
  if (!(sum.largest < detail::kLargestForBlocks)) return false;
  const auto needed = detail::BlockFit::of(sum.largest, sum.below_smallest);
  if (needed.folds > detail::kMostFolds) return false;
  if (!fit.takes(sum.largest, sum.below_smallest)) {
    fit = needed;
    sum = sum_with(fit);
  }
  const std::span<const double> parts(sum.parts, static_cast<std::size_t>(fit.folds) + 1);
  if (needed.folds < fit.folds) fit = needed;
  if (!std::ranges::all_of(parts, [](double part) { return std::isfinite(part); })) return false;
  for (const double part : parts) add_finite(part);
  return true;
}

template <class T>
void ExactSum::add_values(std::span<const T> values) {
  if (values.size() < kSmallBlock) {
    for (const T value : values) add(static_cast<double>(value));
    return;
  }
  auto fit = detail::BlockFit::guess(values.data(), values.size(), 1);
  while (!values.empty()) {
    const std::span<const T> block = values.first(std::min(values.size(), detail::kBlock));
    values = values.subspan(block.size());
    if (add_block(block, fit)) continue;
    for (const T value : block) add(static_cast<double>(value));
  }
}

template <class T>
void ExactSum::add_strided(const T* values, std::size_t count, std::ptrdiff_t stride_elements) {
  if (stride_elements == 1) return add(std::span<const T>(values, count));
  std::array<T, detail::kBlock> block;
  for (std::size_t done = 0; done < count;) {
    const std::size_t size = std::min(count - done, block.size());
    for (std::size_t i = 0; i < size; ++i) {
      block[i] = values[static_cast<std::ptrdiff_t>(done + i) * stride_elements];
    }
    add(std::span<const T>(block.data(), size));
    done += size;
  }
}

void ExactSum::add(std::span<const double> values) { add_values(values); }
void ExactSum::add(std::span<const float> values) { add_values(values); }
void ExactSum::add(std::span<const std::int32_t> values) { add_values(values); }

void ExactSum::add(std::span<const std::int64_t> values) {
  std::array<double, detail::kBlock> upper;
  std::array<double, detail::kBlock> lower;
  while (!values.empty()) {
    const auto block = values.first(std::min(values.size(), detail::kBlock));
    values = values.subspan(block.size());
    std::ranges::transform(block, upper.begin(),
                           [](std::int64_t value) { return static_cast<double>(value >> 32) * 0x1p32; });
    std::ranges::transform(block, lower.begin(),
                           [](std::int64_t value) { return static_cast<double>(value & kLowHalf); });
    add_values(std::span<const double>(upper.data(), block.size()));
    add_values(std::span<const double>(lower.data(), block.size()));
  }
}

void ExactSum::add(std::span<const std::int8_t> values) {
  std::int64_t sum = 0;
  for (const std::int8_t value : values) sum += value;
  add_integer(sum);
}

#define PILEUS_SUMS_OF(T) template void ExactSum::add_strided(const T*, std::size_t, std::ptrdiff_t);
PILEUS_SUMS_OF(double)
PILEUS_SUMS_OF(float)
PILEUS_SUMS_OF(std::int8_t)
PILEUS_SUMS_OF(std::int32_t)
PILEUS_SUMS_OF(std::int64_t)
#undef PILEUS_SUMS_OF

}  // namespace pileus
