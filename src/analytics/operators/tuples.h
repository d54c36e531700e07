#pragma once
// Rows of several arrays that lie against each other, on their way into Partials. Used by reduce_tuples.cpp
// and binned_reduction.cpp alone.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analytics/operators/arithmetic.h"
#include "math/partial.h"

namespace pileus::detail {

inline constexpr std::size_t kColumns = 16;  // whose tuples are gathered side by side
inline constexpr std::size_t kMostOthers =
    3;  // what an array is paired with, its weights, and what bins are by

/// A dimension, or several that lie one behind the other in everything. Strides: in elements.
struct Axis {
  Index extent;
  Index stride;
  std::array<Index, kMostOthers> other_strides;
  Index result_stride;  ///< 0 where it is reduced
  bool is_reduced() const { return result_stride == 0; }
  /// What lies behind all of this.
  bool goes_on_with(const Axis& next) const {
    const auto follows = [&](Index before, Index behind) { return extent * before == behind; };
    return is_reduced() == next.is_reduced() && follows(result_stride, next.result_stride) &&
           std::ranges::equal(other_strides, next.other_strides, follows);
  }
};

inline std::vector<Axis> merged_axes(const Extents& extents, std::span<const AlignedInput> others,
                                     const Extents& result_strides) {
  std::vector<Axis> axes;
  Index stride = 1;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    Axis axis{extents[d], stride, {}, result_strides[d]};
    for (std::size_t o = 0; o < others.size(); ++o) axis.other_strides[o] = others[o].strides[d];
    stride *= axis.extent;
    if (axis.extent == 1) continue;
    if (!axes.empty() && axes.back().goes_on_with(axis)) {
      axes.back().extent *= axis.extent;
    } else {
      axes.push_back(axis);
    }
  }
  return axes;
}

struct Place {
  Index of_array = 0, of_result = 0;
  std::array<Index, kMostOthers> of_others = {};
};

template <class Visit>
void for_each_position(std::span<const Axis> axes, const Visit& visit, Place place = {}) {
  if (axes.empty()) return visit(place);
  const Axis& axis = axes.back();
  for (Index i = 0; i < axis.extent; ++i) {
    for_each_position(axes.first(axes.size() - 1), visit, place);
    place.of_array += axis.stride;
    for (std::size_t o = 0; o < kMostOthers; ++o) place.of_others[o] += axis.other_strides[o];
    place.of_result += axis.result_stride;
  }
}

/// Values as doubles, and what a double cannot hold of a large integer.
struct Column {
  explicit Column(std::size_t capacity) : upper(capacity), lower(capacity) {}
  std::vector<double> upper, lower;
  bool has_lower = false;  ///< otherwise nobody looks at `lower`

  void put(std::size_t i, double value) { upper[i] = value; }
  void put(std::size_t i, std::int64_t value) {
    constexpr std::int64_t kExact = std::int64_t{1} << 53;
    const std::int64_t low = value >= -kExact && value <= kExact ? 0 : value & 0xFFFFFFFF;
    upper[i] = static_cast<double>(value - low), lower[i] = static_cast<double>(low);
    has_lower = true;
  }
  double rounded(std::size_t i) const { return has_lower ? upper[i] + lower[i] : upper[i]; }
  SplitValues first(std::size_t count) const {
    const auto end = lower.begin() + static_cast<std::ptrdiff_t>(count);
    const bool is_split =
        has_lower && std::any_of(lower.begin(), end, [](double value) { return value != 0; });
    return {std::span(upper).first(count), is_split ? std::span(lower).first(count) : std::span<double>()};
  }
};

/// Calls put(i, value) for `count` elements of the array.
template <class Put>
void read(const Array& array, Index first, Index stride, Index count, const Put& put) {
  const auto read_as = [&](auto values) {
    for (Index i = 0; i < count; ++i) put(i, values[static_cast<std::size_t>(first + i * stride)]);
  };
  switch (array.type) {
    case ElementType::float64: return read_as(array.as<double>());
    case ElementType::float32: return read_as(array.as<float>());
    case ElementType::int32: return read_as(array.as<std::int32_t>());
    case ElementType::int64: return read_as(array.as<std::int64_t>());
    case ElementType::boolean: return read_as(array.as<std::int8_t>());
    case ElementType::character: return;  // the Plan has no covariances of texts
  }
}

template <class T>
void put_into(Column& column, std::size_t i, T value) {
  if constexpr (std::is_same_v<T, std::int64_t>) {
    column.put(i, value);
  } else {
    column.put(i, static_cast<double>(value));
  }
}

/// An array, or one that is laid against it.
struct Operand {
  const Array* array;
  Index offset = 0;
  std::optional<double> missing = {};  ///< as it is stored
};

/// Pairs, values with their weights, or both, on their way into one Partial.
class Tuples {
 public:
  Tuples(std::size_t capacity, std::span<const Operand> operands, bool has_weights)
      : operands_(operands), has_weights_(has_weights), columns_(operands.size(), Column(capacity)) {
    has_missing_ = std::ranges::any_of(operands, [](const Operand& one) { return one.missing.has_value(); });
  }

  bool is_full() const { return left() == 0; }
  std::size_t left() const { return columns_.front().upper.size() - count_; }
  Column& operator[](std::size_t operand) { return columns_[operand]; }
  std::size_t count() const { return count_; }
  void grow(std::size_t more) { count_ += more; }
  /// Element `i` of the columns of a row, one for each operand or more.
  void take(std::span<const Column> row, std::size_t i) {
    for (std::size_t o = 0; o < columns_.size(); ++o) {
      columns_[o].upper[count_] = row[o].upper[i];
      columns_[o].lower[count_] = row[o].lower[i];
      columns_[o].has_lower = row[o].has_lower;
    }
    ++count_;
  }

  void move_to(Partial& partial) {
    if (has_missing_) keep([&](std::size_t i) { return is_there(i); });
    if (has_weights_) leave_out_zero_weights();
    if (count_ > 0) add_to(partial);
    count_ = 0;
  }

 private:
  void add_to(Partial& partial) {
    const SplitValues first = columns_.front().first(count_);
    if (columns_.size() == 1) return add_each(first, partial);
    if (!has_weights_) return partial.add_pairs(first, columns_.back().first(count_));
    Column& weights = columns_.back();
    for (std::size_t i = 0; weights.has_lower && i < count_; ++i) weights.upper[i] = weights.rounded(i);
    partial.add_weighted(first, columns_[columns_.size() - 2].first(count_),
                         std::span(weights.upper).first(count_));
  }

  static void add_each(const SplitValues& values, Partial& partial) {
    if (values.lower.empty()) return partial.add(values.upper);
    std::vector<std::int64_t> integers(values.upper.size());
    for (std::size_t i = 0; i < integers.size(); ++i)
      integers[i] = static_cast<std::int64_t>(values.upper[i]) + static_cast<std::int64_t>(values.lower[i]);
    partial.add(std::span<const std::int64_t>(integers));
  }

  bool is_there(std::size_t i) const {
    for (std::size_t o = 0; o < columns_.size(); ++o)
      if (operands_[o].missing && columns_[o].rounded(i) == *operands_[o].missing) return false;
    return true;
  }

  /// What has no weight does not count, whatever it is.
  void leave_out_zero_weights() {
    const Column& weights = columns_.back();
    std::size_t zeros = 0;
    for (std::size_t i = 0; i < count_; ++i) zeros += weights.rounded(i) == 0 ? 1 : 0;
    if (zeros > 0) keep([&](std::size_t i) { return weights.rounded(i) != 0; });
  }

  template <class IsKept>
  void keep(const IsKept& is_kept) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      if (!is_kept(i)) continue;
      for (Column& column : columns_) {
        column.upper[kept] = column.upper[i];
        column.lower[kept] = column.lower[i];
      }
      ++kept;
    }
    count_ = kept;
  }

  std::span<const Operand> operands_;
  bool has_weights_, has_missing_;
  std::vector<Column> columns_;
  std::size_t count_ = 0;
};

}  // namespace pileus::detail
