// Adding many values at once: blocks and columns of them go through the loops of SumKernel.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <type_traits>

#include "math/block_fit.h"
#include "math/exact_sum.h"
#include "math/sum_kernel.h"

namespace pileus {
namespace {

constexpr std::size_t kSmallBlock = 16;  // below that the loops do not pay
constexpr std::int64_t kLowHalf = 0xFFFFFFFF;

/// A few values say roughly how large all are; what is larger is seen afterwards.
template <class T>
detail::BlockFit guess(const T* values, std::size_t count, std::ptrdiff_t stride) {
  constexpr int kMargin = 3;
  double largest = 0;
  for (const std::size_t place : {std::size_t{0}, count / 2, count - 1}) {
    const double value = std::fabs(static_cast<double>(values[static_cast<std::ptrdiff_t>(place) * stride]));
    if (value > largest && value < detail::kLargestForBlocks / 16) largest = value;
  }
  detail::BlockFit fit = detail::BlockFit::of(largest, largest);
  fit.exponent += kMargin;
  fit.folds = 1;
  return fit;
}

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
  for (const double part : parts) add_finite(std::bit_cast<std::uint64_t>(part));
  return true;
}

template <class T>
void ExactSum::add_values(std::span<const T> values) {
  if (values.size() < kSmallBlock) {
    for (const T value : values) add(static_cast<double>(value));
    return;
  }
  detail::BlockFit fit = guess(values.data(), values.size(), 1);
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

/// Over blocks of rows. Each column has a unit of its own; the number of folds is that of the strip.
template <class T>
void ExactSum::add_full_strip(std::span<ExactSum* const, kStrip> sums, const T* values, std::size_t rows,
                              std::ptrdiff_t stride) {
  const auto run = detail::sum_kernel().loops<T>().sum_columns;
  std::array<int, kStrip> exponents;
  for (std::size_t c = 0; c < kStrip; ++c) exponents[c] = guess(values + c, rows, stride).exponent;
  int folds = 1;
  for (std::size_t done = 0; done < rows;) {
    const std::size_t count = std::min(rows - done, detail::kBlockRows);
    const T* const block = values + static_cast<std::ptrdiff_t>(done) * stride;
    done += count;
    std::array<bool, kStrip> is_added{};
    int most_needed = 1;
    for (int attempt = 0; attempt < 2; ++attempt) {
      detail::ColumnBases bases;
      for (int fold = 0; fold < folds; ++fold) {
        for (std::size_t c = 0; c < kStrip; ++c)
          bases.of_fold[fold][c] = detail::BlockFit{exponents[c], folds}.base(fold);
      }
      detail::ColumnSums result;
      run(block, count, stride, bases, folds, result);
      bool is_worth_another = false;
      const int used = folds;
      for (std::size_t c = 0; c < kStrip; ++c) {
        if (is_added[c]) continue;
        const double largest = result.largest[c];
        const double below_smallest = result.below_smallest[c];
        if (!(largest < detail::kLargestForBlocks)) continue;
        const auto needed = detail::BlockFit::of(largest, below_smallest);
        if (needed.folds > detail::kMostColumnFolds) continue;
        most_needed = std::max(most_needed, needed.folds);
        if (!detail::BlockFit{exponents[c], used}.takes(largest, below_smallest)) {
          exponents[c] = needed.exponent;
          folds = std::max(folds, needed.folds);
          is_worth_another = true;
          continue;
        }
        bool is_finite = true;
        for (int fold = 0; fold <= used; ++fold)
          is_finite = is_finite && std::isfinite(result.parts[fold][c]);
        if (!is_finite) continue;
        is_added[c] = true;
        for (int fold = 0; fold <= used; ++fold)
          sums[c]->add_finite(std::bit_cast<std::uint64_t>(result.parts[fold][c]));
      }
      if (!is_worth_another) break;
    }
    folds = std::min(folds, most_needed);
    for (std::size_t c = 0; c < kStrip; ++c) {
      if (!is_added[c]) sums[c]->add_strided(block + c, count, stride);
    }
  }
}

template <class T>
void ExactSum::add_columns(std::span<ExactSum* const> sums, const T* values, std::size_t rows,
                           std::ptrdiff_t stride) {
  constexpr std::size_t kFewRows = 8;
  constexpr std::size_t kFewColumns = 4;
  if (rows < kFewRows) {
    for (std::size_t r = 0; r < rows; ++r, values += stride) {
      for (std::size_t c = 0; c < sums.size(); ++c) sums[c]->add(std::span<const T>(values + c, 1));
    }
    return;
  }
  constexpr bool has_loops = std::is_floating_point_v<T> || std::is_same_v<T, std::int32_t>;
  if constexpr (has_loops) {
    while (sums.size() >= kStrip) {
      add_full_strip(sums.first<kStrip>(), values, rows, stride);
      sums = sums.subspan(kStrip);
      values += kStrip;
    }
    if (sums.size() > kFewColumns) return add_padded_strip(sums, values, rows, stride);
  }
  for (std::size_t c = 0; c < sums.size(); ++c) sums[c]->add_strided(values + c, rows, stride);
}

/// Zeros beside the columns make a whole strip of them.
template <class T>
void ExactSum::add_padded_strip(std::span<ExactSum* const> sums, const T* values, std::size_t rows,
                                std::ptrdiff_t stride) {
  ExactSum unused;
  std::array<ExactSum*, kStrip> padded_sums;
  padded_sums.fill(&unused);
  std::ranges::copy(sums, padded_sums.begin());
  std::array<T, kStrip * detail::kBlockRows> padded{};
  for (std::size_t done = 0; done < rows; done += detail::kBlockRows) {
    const std::size_t count = std::min(rows - done, detail::kBlockRows);
    for (std::size_t r = 0; r < count; ++r) {
      std::copy_n(values + static_cast<std::ptrdiff_t>(done + r) * stride, sums.size(), &padded[r * kStrip]);
    }
    add_full_strip(std::span<ExactSum* const, kStrip>(padded_sums), padded.data(), count,
                   static_cast<std::ptrdiff_t>(kStrip));
  }
}

#define PILEUS_SUMS_OF(T)                                                     \
  template void ExactSum::add_strided(const T*, std::size_t, std::ptrdiff_t); \
  template void ExactSum::add_columns(std::span<ExactSum* const>, const T*, std::size_t, std::ptrdiff_t);
PILEUS_SUMS_OF(double)
PILEUS_SUMS_OF(float)
PILEUS_SUMS_OF(std::int8_t)
PILEUS_SUMS_OF(std::int32_t)
PILEUS_SUMS_OF(std::int64_t)
#undef PILEUS_SUMS_OF

}  // namespace pileus
