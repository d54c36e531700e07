// Adding to many sums at once: strips of columns side by side go through the loops of SumKernel.

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <vector>

#include "loops/sum_kernel.h"
#include "math/block_fit.h"
#include "math/exact_sum.h"

namespace pileus {
namespace {

using detail::BlockFit;
using detail::kBlockRows;
using detail::kStrip;

/// Up to kStrip sums. Each has an exponent of its own, the number of folds is that of the strip.
template <class T>
class Strip {
 public:
  /// `values`: of the first row.
  Strip(std::span<ExactSum* const> sums, const T* values, std::size_t rows, std::ptrdiff_t stride)
      : sums_(sums) {
    for (std::size_t c = 0; c < sums.size(); ++c)
      exponents_[c] = BlockFit::guess(values + c, rows, stride).exponent;
  }

  /// REQUIRES: at most kBlockRows rows.
  void add(const T* values, std::size_t rows, std::ptrdiff_t stride) {
    if (sums_.size() == kStrip) return add_strip(values, rows, stride);
    // Zeros beside the columns make a whole strip of them.
    std::array<T, kStrip * kBlockRows> padded{};
    for (std::size_t r = 0; r < rows; ++r)
      std::copy_n(values + static_cast<std::ptrdiff_t>(r) * stride, sums_.size(), &padded[r * kStrip]);
    add_strip(padded.data(), rows, static_cast<std::ptrdiff_t>(kStrip));
  }

 private:
  void add_strip(const T* values, std::size_t rows, std::ptrdiff_t stride) {
    std::array<bool, kStrip> is_added{};
    int most_needed = 1;
    while (add_those_that_fit(values, rows, stride, is_added, most_needed)) {
    }
    folds_ = std::min(folds_, most_needed);
    for (std::size_t c = 0; c < sums_.size(); ++c) {
      if (!is_added[c]) sums_[c]->add_strided(values + c, rows, stride);
    }
  }

  /// Returns true if another exponent or number of folds, which it has set, will take more of them.
  bool add_those_that_fit(const T* values, std::size_t rows, std::ptrdiff_t stride,
                          std::array<bool, kStrip>& is_added, int& most_needed) {
    const int folds = folds_;
    detail::ColumnBases bases{};
    for (int fold = 0; fold < folds; ++fold) {
      for (std::size_t c = 0; c < kStrip; ++c)
        bases.of_fold[fold][c] = BlockFit{exponents_[c], folds}.base(fold);
    }
    detail::ColumnSums result;
    detail::sum_kernel().loops<T>().sum_columns(values, rows, stride, bases, folds, result);
    bool is_worth_another = false;
    for (std::size_t c = 0; c < sums_.size(); ++c) {
      if (is_added[c] || !(result.largest[c] < detail::kLargestForBlocks)) continue;
      const auto needed = BlockFit::of(result.largest[c], result.below_smallest[c]);
      if (needed.folds > detail::kMostColumnFolds) continue;
      most_needed = std::max(most_needed, needed.folds);
      if (BlockFit{exponents_[c], folds}.takes(result.largest[c], result.below_smallest[c])) {
        is_added[c] = add_parts(*sums_[c], result, c, folds);
      } else {
        exponents_[c] = needed.exponent;
        folds_ = std::max(folds_, needed.folds);
        is_worth_another = true;
      }
    }
    return is_worth_another;
  }

  static bool add_parts(ExactSum& sum, const detail::ColumnSums& result, std::size_t column, int folds) {
    for (int fold = 0; fold <= folds; ++fold) {
      if (!std::isfinite(result.parts[fold][column])) return false;
    }
    for (int fold = 0; fold <= folds; ++fold) sum.add(result.parts[fold][column]);
    return true;
  }

  std::span<ExactSum* const> sums_;
  std::array<int, kStrip> exponents_{};
  int folds_ = 1;
};

}  // namespace

template <class T>
void ExactSum::add_columns(std::span<ExactSum* const> sums, const T* values, std::size_t rows,
                           std::ptrdiff_t stride) {
  constexpr std::size_t kFewRows = 8;
  constexpr std::size_t kFewColumns = 4;
  constexpr bool has_loops = std::is_floating_point_v<T> || std::is_same_v<T, std::int32_t>;
  if (rows < kFewRows) {
    for (std::size_t r = 0; r < rows; ++r, values += stride) {
      for (std::size_t c = 0; c < sums.size(); ++c) sums[c]->add(std::span<const T>(values + c, 1));
    }
    return;
  }
  std::size_t in_strips = 0;
  if constexpr (has_loops) {
    std::vector<Strip<T>> strips;
    while (sums.size() - in_strips > kFewColumns) {
      const std::size_t columns = std::min(sums.size() - in_strips, kStrip);
      strips.emplace_back(sums.subspan(in_strips, columns), values + in_strips, rows, stride);
      in_strips += columns;
    }
    // Blocks of rows outside, so that memory is read in its order.
    for (std::size_t done = 0; done < rows; done += kBlockRows) {
      const std::size_t count = std::min(rows - done, kBlockRows);
      const T* const block = values + static_cast<std::ptrdiff_t>(done) * stride;
      for (std::size_t i = 0; i < strips.size(); ++i) strips[i].add(block + i * kStrip, count, stride);
    }
  }
  for (std::size_t c = in_strips; c < sums.size(); ++c) sums[c]->add_strided(values + c, rows, stride);
}

#define PILEUS_SUMS_OF(T) \
  template void ExactSum::add_columns(std::span<ExactSum* const>, const T*, std::size_t, std::ptrdiff_t);
PILEUS_SUMS_OF(double)
PILEUS_SUMS_OF(float)
PILEUS_SUMS_OF(std::int8_t)
PILEUS_SUMS_OF(std::int32_t)
PILEUS_SUMS_OF(std::int64_t)
#undef PILEUS_SUMS_OF

}  // namespace pileus
