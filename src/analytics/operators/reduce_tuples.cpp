#include "analytics/operators/reduce_tuples.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>

#include "analytics/operators/binned_reduction.h"
#include "analytics/operators/tuples.h"
#include "core/missing.h"

namespace pileus {
namespace {

using namespace detail;

/// Rows that have a weight each, on their way into a Partial for each column.
class WeightedRows {
 public:
  /// `rows`: how many may come.
  WeightedRows(std::vector<Partial*> partials, Index rows)
      : partials_(std::move(partials)),
        most_(std::min(kGathered / partials_.size(), static_cast<std::size_t>(rows))),
        values_(most_ * partials_.size()),
        weights_(values_.size()),
        of_rows_(most_) {}

  /// `row`: as many values as columns. What has no weight does not count, whatever it is.
  void add(const double* row, double weight) {
    if (weight == 0) return;
    std::copy_n(row, partials_.size(), values_.begin() + begin());
    std::fill_n(weights_.begin() + begin(), partials_.size(), weight);
    of_rows_[rows_] = weight;
    if (++rows_ == most_) move_on();
  }

  void finish() {
    move_on();
    for (Partial* const partial : partials_) partial->add_weights(count_, sum_);
  }

 private:
  static constexpr std::size_t kGathered = 8192;
  std::ptrdiff_t begin() const { return static_cast<std::ptrdiff_t>(rows_ * partials_.size()); }
  void move_on() {
    const std::size_t size = rows_ * partials_.size();
    Partial::add_weighted_rows(partials_, std::span(values_).first(size), std::span(weights_).first(size));
    sum_.add(std::span<const double>(of_rows_).first(rows_));
    count_ += static_cast<std::int64_t>(rows_);
    rows_ = 0;
  }

  std::vector<Partial*> partials_;
  std::size_t most_, rows_ = 0;
  std::vector<double> values_, weights_, of_rows_;
  ExactSum sum_;
  std::int64_t count_ = 0;
};

class TupleReduction {
 public:
  /// `operands`: the array and what is laid against it.
  TupleReduction(std::span<Partial> partials, std::span<const Operand> operands, Reduction reduction)
      : partials_(partials),
        operands_(operands),
        reduction_(reduction),
        has_weights_(declaration_of(reduction).is_weighted) {}

  void add(std::span<const Axis> axes) {
    std::vector<Axis> kept, reduced;
    const bool has_columns = !axes.empty() && !axes[0].is_reduced();
    const Axis one{1, 1, {1, 1}, 0};
    const Axis& fastest = axes.empty() ? one : axes[0];
    for (const Axis& axis : axes.subspan(axes.empty() ? 0 : 1))
      (axis.is_reduced() ? reduced : kept).push_back(axis);
    for_each_position(kept, [&](const Place& place) {
      if (!has_columns) {
        add_rows(place, fastest, reduced);
      } else if (are_weighted_rows(fastest)) {
        add_weighted_rows(place, fastest, reduced);
      } else {
        add_columns(place, fastest, reduced);
      }
    });
  }

 private:
  /// Whether these are sums or means of doubles that are all there, with one weight for each row.
  bool are_weighted_rows(const Axis& row) const {
    return is_weighted_sum() && row.stride == 1 && row.other_strides[0] == 0;
  }

  /// Of doubles that are all there.
  bool is_weighted_sum() const {
    const bool is_sum = reduction_ == Reduction::weighted_sum || reduction_ == Reduction::weighted_mean;
    const auto is_plain = [](const Operand& one) {
      return one.array->type == ElementType::float64 && !one.missing;
    };
    return is_sum && std::ranges::all_of(operands_, is_plain);
  }

  void add_weighted_rows(const Place& at, const Axis& row, std::span<const Axis> reduced) {
    constexpr Index kMostColumns = 64;
    Index row_count = 1;
    for (const Axis& axis : reduced) row_count *= axis.extent;
    for (Index first = 0; first < row.extent; first += kMostColumns) {
      const Index columns = std::min(row.extent - first, kMostColumns);
      std::vector<Partial*> partials;
      for (Index c = 0; c < columns; ++c) {
        const Index target = at.of_result + (first + c) * row.result_stride;
        partials.push_back(&partials_[static_cast<std::size_t>(target)]);
      }
      WeightedRows rows(std::move(partials), row_count);
      for_each_position(reduced, [&](const Place& place) {
        const Index weight_at = operands_[1].offset + at.of_others[0] + place.of_others[0];
        const double weight = operands_[1].array->as<double>()[static_cast<std::size_t>(weight_at)];
        const Index start = at.of_array + place.of_array + first;
        rows.add(operands_[0].array->as<double>().subspan(static_cast<std::size_t>(start)).data(), weight);
      });
      rows.finish();
    }
  }

  /// Calls put(operand, i, value) for `count` elements of a row, from `first` on, of every operand.
  template <class Put>
  void read_row(const Place& at, const Place& place, const Axis& row, Index first, Index count,
                const Put& put) {
    for (std::size_t o = 0; o < operands_.size(); ++o) {
      const Index stride = o == 0 ? row.stride : row.other_strides[o - 1];
      const Index start = o == 0 ? at.of_array + place.of_array
                                 : operands_[o].offset + at.of_others[o - 1] + place.of_others[o - 1];
      read(*operands_[o].array, start + first * stride, stride, count,
           [&](Index i, auto value) { put(o, static_cast<std::size_t>(i), value); });
    }
  }

  /// Rows of tuples that all go to one Partial.
  void add_rows(const Place& at, const Axis& row, std::span<const Axis> reduced) {
    constexpr std::size_t kGathered = 2048;
    Partial& partial = partials_[static_cast<std::size_t>(at.of_result)];
    if (rows_.empty()) rows_.emplace_back(kGathered, operands_, has_weights_);
    Tuples& tuples = rows_.front();
    for_each_position(reduced, [&](const Place& place) {
      if (add_as_it_lies(partial, at, row, place)) return;
      for (Index done = 0; done < row.extent;) {
        const Index count = std::min(row.extent - done, static_cast<Index>(tuples.left()));
        const std::size_t to = tuples.count();
        read_row(at, place, row, done, count, [&](std::size_t operand, std::size_t i, auto value) {
          put_into(tuples[operand], to + i, value);
        });
        tuples.grow(static_cast<std::size_t>(count));
        if (tuples.is_full()) tuples.move_to(partial);
        done += count;
      }
    });
    tuples.move_to(partial);
  }

  /// A long row of weighted doubles that are all there and have weights: false, and nothing is added, of
  /// others.
  bool add_as_it_lies(Partial& partial, const Place& at, const Axis& row, const Place& place) const {
    constexpr Index kLong = 64;
    if (!is_weighted_sum() || row.extent < kLong || row.stride != 1 || row.other_strides[0] != 1)
      return false;
    const auto of = [&](std::size_t operand, Index first) {
      return operands_[operand].array->as<double>().subspan(static_cast<std::size_t>(first),
                                                            static_cast<std::size_t>(row.extent));
    };
    const auto weights = of(1, operands_[1].offset + at.of_others[0] + place.of_others[0]);
    if (std::ranges::find(weights, 0.0) != weights.end()) return false;
    partial.add_weighted({of(0, at.of_array + place.of_array)}, {}, weights);
    return true;
  }

  /// Rows across which each element goes to a Partial of its own.
  void add_columns(const Place& at, const Axis& row, std::span<const Axis> reduced) {
    constexpr std::size_t kGathered = 128;
    while (columns_.size() < kColumns) columns_.emplace_back(kGathered, operands_, has_weights_);
    for (Index first = 0; first < row.extent; first += static_cast<Index>(kColumns)) {
      const Index count = std::min(row.extent - first, static_cast<Index>(kColumns));
      const auto empty_columns = [&] {
        for (Index c = 0; c < count; ++c) {
          const Index target = at.of_result + (first + c) * row.result_stride;
          columns_[static_cast<std::size_t>(c)].move_to(partials_[static_cast<std::size_t>(target)]);
        }
      };
      for_each_position(reduced, [&](const Place& place) {
        const std::size_t to = columns_.front().count();
        read_row(at, place, row, first, count, [&](std::size_t operand, std::size_t c, auto value) {
          put_into(columns_[c][operand], to, value);
        });
        for (Index c = 0; c < count; ++c) columns_[static_cast<std::size_t>(c)].grow(1);
        if (columns_.front().is_full()) empty_columns();
      });
      empty_columns();
    }
  }

  std::span<Partial> partials_;
  std::span<const Operand> operands_;
  Reduction reduction_;
  bool has_weights_;
  std::vector<Tuples> rows_, columns_;
};

std::optional<double> stored(std::optional<double> missing, ElementType type) {
  return missing ? std::optional(as_stored(*missing, type)) : std::nullopt;
}

}  // namespace

PartialArray reduce_tuples(const Array& array, std::span<const AlignedInput> others,
                           const TupleAction& action, const std::vector<int>& reduced_axes,
                           const ReducedShape& shape, std::optional<double> missing) {
  const auto result_size = static_cast<std::size_t>(Region{{}, shape.extents}.size());
  std::vector<Partial> partials(result_size, Partial(action.reduction));
  const auto result = [&] {
    return PartialArray{shape.extents, std::make_shared<Partials>(action.reduction, partials)};
  };
  if (array.size() == 0) return result();
  Extents strides(array.extents.size());
  Index stride = 1, base = 0;
  for (std::size_t d = 0, kept = 0; d < strides.size(); ++d) {
    if (std::ranges::count(reduced_axes, static_cast<int>(d)) > 0) continue;
    strides[d] = stride;
    base += shape.start[kept] * stride;
    stride *= shape.extents[kept++];
  }
  std::vector<Operand> operands = {{&array, 0, stored(missing, array.type)}};
  for (const AlignedInput& other : others)
    operands.push_back({&other.array, other.offset, stored(other.missing, other.array.type)});
  const std::span<Partial> made = std::span<Partial>(partials).subspan(static_cast<std::size_t>(base));
  const std::vector<Axis> axes = merged_axes(array.extents, others, strides);
  if (action.edges) {
    BinnedReduction(made, operands, declaration_of(action.reduction).is_weighted, action.edges,
                    static_cast<std::size_t>(stride))
        .add(axes);
  } else {
    TupleReduction(made, operands, action.reduction).add(axes);
  }
  return result();
}

}  // namespace pileus
