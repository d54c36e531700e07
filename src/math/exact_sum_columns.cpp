// Adding to many sums at once: strips of columns side by side go through the loops of SumKernel.

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <vector>

#include "loops/double_double.h"
#include "loops/sum_kernel.h"
#include "math/block_fit.h"
#include "math/exact_sum.h"

namespace pileus {
namespace {

using detail::BlockFit;
using detail::kBlockRows;
using detail::kStrip;

/// The columns of kStrip sums. Each has an exponent of its own, the number of folds is that of the strip. The
/// sums of blocks are held in two doubles a column, as long as these are enough.
template <class T>
class Strip {
 public:
  /// A strip of which the last sums.size() columns are used. `values` begin with its first row.
  Strip(std::span<ExactSum* const> sums, const T* values, std::size_t rows, std::ptrdiff_t stride)
      : sums_(sums), left_(kStrip - sums.size()), values_(values), stride_(stride) {
    for (std::size_t c = 0; c < kStrip; ++c)
      exponents_[c] = BlockFit::guess(values + c, rows, stride).exponent;
    choose_bases();
  }

  /// REQUIRES: at most kBlockRows rows.
  void add(std::size_t first_row, std::size_t rows) {
    const T* const values = values_ + static_cast<std::ptrdiff_t>(first_row) * stride_;
    detail::sum_kernel().loops<T>().sum_columns(values, rows, stride_, bases_, folds_, result_);
    if (!do_all_fit() || !add_to_two()) add_one_by_one(values, rows);
  }

  void end() {
    for (std::size_t c = left_; c < kStrip; ++c) {
      sum(c).add(high_[c]);
      sum(c).add(low_[c]);
    }
    high_ = low_ = {};
  }

 private:
  ExactSum& sum(std::size_t column) { return *sums_[column - left_]; }

  void choose_bases() {
    for (std::size_t c = 0; c < kStrip; ++c) {
      const BlockFit fit{exponents_[c], folds_};
      for (int fold = 0; fold < folds_; ++fold) bases_.of_fold[fold][c] = fit.base(fold);
      limits_[c] = fit.limit();
      least_[c] = fit.least();
    }
  }

  bool do_all_fit() const {
    bool do_fit = true;
    for (std::size_t c = 0; c < kStrip; ++c)
      do_fit &= (result_.largest[c] < limits_[c]) & (result_.below_smallest[c] >= least_[c]);
    return do_fit;
  }

  /// Returns false, with nothing added, where two doubles do not hold all.
  bool add_to_two() {
    std::array<double, kStrip> high = high_, low = low_;
    bool is_all = true;
    for (int fold = 0; fold <= folds_; ++fold) {
      for (std::size_t c = 0; c < kStrip; ++c) {
        const WithError sum = two_sum(high[c], result_.parts[fold][c]), rest = two_sum(low[c], sum.error);
        is_all &= rest.error == 0;  // which a NaN is not, nor what overflowed
        high[c] = sum.high;
        low[c] = rest.high;
      }
    }
    if (!is_all) return false;
    high_ = high;
    low_ = low;
    return true;
  }

  void add_one_by_one(const T* values, std::size_t rows) {
    std::array<bool, kStrip> is_added{};
    int most_needed = 1;
    while (add_those_that_fit(is_added, most_needed)) {
      choose_bases();
      detail::sum_kernel().loops<T>().sum_columns(values, rows, stride_, bases_, folds_, result_);
    }
    if (most_needed < folds_) {
      folds_ = most_needed;
      choose_bases();
    }
    for (std::size_t c = left_; c < kStrip; ++c) {
      if (!is_added[c]) sum(c).add_strided(values + c, rows, stride_);
    }
  }

  /// Returns true if another exponent or number of folds, which it has set, will take more of them.
  bool add_those_that_fit(std::array<bool, kStrip>& is_added, int& most_needed) {
    const int folds = folds_;
    bool is_worth_another = false;
    for (std::size_t c = left_; c < kStrip; ++c) {
      if (is_added[c] || !(result_.largest[c] < detail::kLargestForBlocks)) continue;
      const auto needed = BlockFit::of(result_.largest[c], result_.below_smallest[c]);
      if (needed.folds > detail::kMostColumnFolds) continue;
      most_needed = std::max(most_needed, needed.folds);
      if (BlockFit{exponents_[c], folds}.takes(result_.largest[c], result_.below_smallest[c])) {
        is_added[c] = add_parts(sum(c), result_, c, folds);
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
  std::size_t left_;  ///< columns before those of the sums, which are computed and left
  const T* values_;
  std::ptrdiff_t stride_;
  std::array<int, kStrip> exponents_{};
  int folds_ = 1;
  detail::ColumnBases bases_{};
  std::array<double, kStrip> limits_, least_;  ///< between which all magnitudes fit
  std::array<double, kStrip> high_{}, low_{};
  detail::ColumnSums result_;
};

/// Fewer columns than a strip has, with zeros beside them.
template <class T>
void add_narrow(std::span<ExactSum* const> sums, const T* values, std::size_t rows, std::ptrdiff_t stride) {
  std::array<T, kStrip * kBlockRows> padded{};
  const std::size_t left = kStrip - sums.size();
  for (std::size_t done = 0; done < rows; done += kBlockRows) {
    const std::size_t count = std::min(rows - done, kBlockRows);
    for (std::size_t r = 0; r < count; ++r, values += stride)
      std::copy_n(values, sums.size(), &padded[r * kStrip + left]);
    Strip<T> strip(sums, padded.data(), count, static_cast<std::ptrdiff_t>(kStrip));
    strip.add(0, count);
    strip.end();
  }
}

/// REQUIRES: at least kStrip columns. The last strip begins among those of the one before.
template <class T>
void add_strips(std::span<ExactSum* const> sums, const T* values, std::size_t rows, std::ptrdiff_t stride) {
  // Blocks of so many bytes fit into the second cache, with what follows them.
  constexpr std::size_t kBlockBytes = 65536, kFewestRows = 32;
  const std::size_t block_rows = std::clamp(kBlockBytes / (sums.size() * sizeof(T)), kFewestRows, kBlockRows);
  std::vector<Strip<T>> strips;
  strips.reserve((sums.size() + kStrip - 1) / kStrip);
  for (std::size_t next = 0; next < sums.size(); next += kStrip) {
    const std::size_t first = std::min(next, sums.size() - kStrip);
    strips.emplace_back(sums.subspan(next, first + kStrip - next), values + first, rows, stride);
  }
  // Blocks of rows outside, so that memory is read in its order.
  for (std::size_t done = 0; done < rows; done += block_rows) {
    for (Strip<T>& strip : strips) strip.add(done, std::min(rows - done, block_rows));
  }
  for (Strip<T>& strip : strips) strip.end();
}

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
  if constexpr (has_loops) {
    if (sums.size() >= kStrip) return add_strips(sums, values, rows, stride);
    if (sums.size() > kFewColumns) return add_narrow(sums, values, rows, stride);
  }
  for (std::size_t c = 0; c < sums.size(); ++c) sums[c]->add_strided(values + c, rows, stride);
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
