#include "analytics/operators/binned_reduction.h"

#include <algorithm>
#include <utility>

namespace pileus::detail {
namespace {

constexpr std::size_t kRow = 2048;                         // values that are read at once
constexpr std::size_t kMostGathered = 64;                  // tuples of one bin and column
constexpr std::size_t kMostValues = std::size_t{1} << 20;  // of all bins and columns

}  // namespace

/// As few as a part needs, as they are made for each part anew.
void BinnedReduction::make_places(bool has_columns) {
  const std::size_t bins = bins_.count();
  if (has_columns) most_columns_ = std::clamp<std::size_t>(4096 / bins, 1, kColumns);
  const std::size_t places = bins * most_columns_;
  const auto elements = static_cast<std::size_t>(operands_.front().array->size());
  const std::size_t gathered =
      std::clamp<std::size_t>(std::min(kMostValues, elements) / places, 1, kMostGathered);
  row_.assign(operands_.size(), Column(std::min(kRow, elements)));
  found_.resize(std::min(kRow, elements));
  const bool is_count = partials_.front().reduction() == Reduction::count && operands_.size() == 2;
  if (is_count)
    counts_.emplace(bins, most_columns_);
  else
    gathered_.assign(places, Tuples(gathered, operands_.first(operands_.size() - 1), has_weights_));
}

void BinnedReduction::add(std::span<const Axis> axes) {
  std::vector<Axis> kept, reduced;
  const Axis one{1, 1, {1, 1, 1}, 0};
  const Axis& fastest = axes.empty() ? one : axes[0];
  for (const Axis& axis : axes.subspan(axes.empty() ? 0 : 1))
    (axis.is_reduced() ? reduced : kept).push_back(axis);
  make_places(!fastest.is_reduced());
  for_each_position(kept, [&](const Place& place) {
    if (fastest.is_reduced()) return add_rows(place, fastest, 0, 0, reduced);
    const auto step = static_cast<Index>(most_columns_);
    for (Index first = 0; first < fastest.extent; first += step)
      add_rows(place, fastest, first, std::min(fastest.extent - first, step), reduced);
  });
}

/// Rows of which all goes to one Partial of each bin, or from `first` on a column to a Partial of its own.
void BinnedReduction::add_rows(const Place& at, const Axis& row, Index first, Index columns,
                               std::span<const Axis> reduced) {
  const Index end = columns > 0 ? first + columns : row.extent;
  for_each_position(reduced, [&](const Place& place) {
    for (Index done = first; done < end; done += static_cast<Index>(kRow)) {
      const Index count = std::min(end - done, static_cast<Index>(kRow));
      for (std::size_t o = 0; o < operands_.size(); ++o) {
        if (counts_ && o == 0 && !operands_[o].missing) continue;  // values count alike
        const Index stride = o == 0 ? row.stride : row.other_strides[o - 1];
        const Index start = o == 0 ? at.of_array + place.of_array
                                   : operands_[o].offset + at.of_others[o - 1] + place.of_others[o - 1];
        read_row(o, start + done * stride, stride, count);
      }
      counts_ ? count_in(count, columns) : sort_in(count, columns, at, row, first);
    }
  });
  const auto put = [&](std::size_t bin, std::size_t column, std::span<const double> ones) {
    partial(at, row, first + static_cast<Index>(column), bin).add(ones);
  };
  if (counts_) counts_->take(put);
  for (const std::size_t place : touched_) {
    const auto column = static_cast<Index>(place % most_columns_);
    gathered_[place].move_to(partial(at, row, first + column, place / most_columns_));
  }
  touched_.clear();
}

/// Of what bins are by, their numbers alone.
void BinnedReduction::read_row(std::size_t o, Index start, Index stride, Index count) {
  const Operand& operand = operands_[o];
  const auto size = static_cast<std::size_t>(count);
  Column& to = row_[o];
  const bool is_by = o + 1 == operands_.size();
  if (is_by && operand.array->type == ElementType::float64 && stride == 1) {
    const auto values = operand.array->as<double>().subspan(static_cast<std::size_t>(start), size);
    return bins_.find(values, found_, operand.missing);
  }
  read(*operand.array, start, stride, count,
       [&](Index i, auto value) { put_into(to, static_cast<std::size_t>(i), value); });
  if (!is_by) return;
  for (std::size_t i = 0; to.has_lower && i < size; ++i) to.upper[i] = to.rounded(i);
  bins_.find(std::span<const double>(to.upper).first(size), found_, operand.missing);
}

void BinnedReduction::sort_in(Index count, Index columns, const Place& at, const Axis& row, Index first) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const std::size_t bin = std::size_t{found_[i]} - 1;
    if (bin >= bins_.count()) continue;
    const std::size_t column = columns > 0 ? i : 0;
    const std::size_t place = bin * most_columns_ + column;
    Tuples& tuples = gathered_[place];
    if (tuples.count() == 0) touched_.push_back(place);
    tuples.take(row_, i);
    if (tuples.is_full()) tuples.move_to(partial(at, row, first + static_cast<Index>(column), bin));
  }
}

/// Without the values, which count alike.
void BinnedReduction::count_in(Index count, Index columns) {
  const auto bins = std::span(found_).first(static_cast<std::size_t>(count));
  for (std::size_t i = 0; operands_[0].missing && i < bins.size(); ++i)
    if (row_[0].rounded(i) == *operands_[0].missing) bins[i] = 0;
  columns > 0 ? counts_->add_columns(bins) : counts_->add(bins);
}

Partial& BinnedReduction::partial(const Place& at, const Axis& row, Index column, std::size_t bin) const {
  const Index target = at.of_result + (row.is_reduced() ? 0 : column * row.result_stride);
  return partials_[static_cast<std::size_t>(target) + bin * bin_stride_];
}

}  // namespace pileus::detail
