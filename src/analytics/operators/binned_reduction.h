#pragma once
// Reductions whose values go into bins, by another array.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "analytics/operators/tuples.h"
#include "distributions/bin_counts.h"
#include "distributions/bin_finder.h"

namespace pileus::detail {

class BinnedReduction {
 public:
  /// `operands`: the array, what is laid against it, and last what the bins are by. Bin b of what goes to
  /// partials[i] goes to partials[i + b · bin_stride].
  BinnedReduction(std::span<Partial> partials, std::span<const Operand> operands, bool has_weights,
                  std::shared_ptr<const std::vector<double>> edges, std::size_t bin_stride)
      : partials_(partials),
        operands_(operands),
        has_weights_(has_weights),
        bins_(std::move(edges)),
        bin_stride_(bin_stride) {}

  /// Axes as merged_axes makes them.
  void add(std::span<const Axis> axes);

 private:
  void make_places(bool has_columns);
  void add_rows(const Place& at, const Axis& row, Index first, Index columns, std::span<const Axis> reduced);
  void read_row(std::size_t o, Index start, Index stride, Index count);
  void sort_in(Index count, Index columns, const Place& at, const Axis& row, Index first);
  void count_in(Index count, Index columns);
  Partial& partial(const Place& at, const Axis& row, Index column, std::size_t bin) const;

  std::span<Partial> partials_;
  std::span<const Operand> operands_;
  bool has_weights_;
  distributions::BinFinder bins_;
  std::size_t bin_stride_;
  std::size_t most_columns_ = 1;      ///< that are filled side by side
  std::vector<Column> row_;           ///< by operand
  std::vector<std::uint32_t> found_;  ///< the bins of a row
  std::vector<Tuples> gathered_;      ///< by bin, and in it by column
  std::vector<std::size_t> touched_;
  std::optional<distributions::BinCounts> counts_;  ///< in their place, of what is only counted
};

}  // namespace pileus::detail
