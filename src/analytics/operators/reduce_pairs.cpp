#include "analytics/operators/reduce_pairs.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "core/missing.h"

namespace pileus {
namespace {

constexpr std::size_t kColumns = 16;  // whose pairs are gathered side by side

/// A dimension, or several that lie one behind the other in everything. Strides: in elements.
struct Axis {
  Index extent;
  Index stride, other_stride;
  Index result_stride;  ///< 0 where it is reduced
  bool is_reduced() const { return result_stride == 0; }
};

std::vector<Axis> merged_axes(const Extents& extents, const Extents& other_strides,
                              const Extents& result_strides) {
  std::vector<Axis> axes;
  Index stride = 1;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    const Axis axis{extents[d], stride, other_strides[d], result_strides[d]};
    stride *= axis.extent;
    if (axis.extent == 1) continue;
    const bool goes_on = !axes.empty() && axes.back().is_reduced() == axis.is_reduced() &&
                         axes.back().extent * axes.back().other_stride == axis.other_stride &&
                         axes.back().extent * axes.back().result_stride == axis.result_stride;
    if (goes_on) {
      axes.back().extent *= axis.extent;
    } else {
      axes.push_back(axis);
    }
  }
  return axes;
}

struct Place {
  Index of_array = 0, of_other = 0, of_result = 0;
};

template <class Visit>
void for_each_position(std::span<const Axis> axes, const Visit& visit, Place place = {}) {
  if (axes.empty()) return visit(place);
  const Axis& axis = axes.back();
  for (Index i = 0; i < axis.extent; ++i) {
    for_each_position(axes.first(axes.size() - 1), visit, place);
    place.of_array += axis.stride;
    place.of_other += axis.other_stride;
    place.of_result += axis.result_stride;
  }
}

/// Values as doubles, and what a double cannot hold of a large integer.
struct Column {
  explicit Column(std::size_t capacity) : upper(capacity), lower(capacity) {}
  std::vector<double> upper, lower;

  void put(std::size_t i, double value) { upper[i] = value, lower[i] = 0; }
  void put(std::size_t i, std::int64_t value) {
    constexpr std::int64_t kExact = std::int64_t{1} << 53;
    const std::int64_t low = value >= -kExact && value <= kExact ? 0 : value & 0xFFFFFFFF;
    upper[i] = static_cast<double>(value - low), lower[i] = static_cast<double>(low);
  }
  double rounded(std::size_t i) const { return upper[i] + lower[i]; }
  SplitValues first(std::size_t count) const {
    const bool has_lower = std::any_of(lower.begin(), lower.begin() + static_cast<std::ptrdiff_t>(count),
                                       [](double value) { return value != 0; });
    return {std::span(upper).first(count), has_lower ? std::span(lower).first(count) : std::span<double>()};
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

/// Pairs on their way into one Partial.
class Pairs {
 public:
  Pairs(std::size_t capacity, std::optional<double> missing, std::optional<double> other_missing)
      : missing_(missing), other_missing_(other_missing), x_(capacity), y_(capacity) {}

  bool is_full() const { return count_ == x_.upper.size(); }
  std::size_t left() const { return x_.upper.size() - count_; }
  Column& x() { return x_; }
  Column& y() { return y_; }
  std::size_t count() const { return count_; }
  void grow(std::size_t more) { count_ += more; }

  void move_to(Partial& partial) {
    if (missing_ || other_missing_) leave_out_missing();
    if (count_ > 0) partial.add_pairs(x_.first(count_), y_.first(count_));
    count_ = 0;
  }

 private:
  void leave_out_missing() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      const bool is_missing =
          (missing_ && x_.rounded(i) == *missing_) || (other_missing_ && y_.rounded(i) == *other_missing_);
      if (is_missing) continue;
      for (Column* column : {&x_, &y_}) {
        column->upper[kept] = column->upper[i];
        column->lower[kept] = column->lower[i];
      }
      ++kept;
    }
    count_ = kept;
  }

  std::optional<double> missing_, other_missing_;
  Column x_, y_;
  std::size_t count_ = 0;
};

class PairReduction {
 public:
  PairReduction(std::span<Partial> partials, const Array& array, const AlignedInput& other,
                std::optional<double> missing)
      : partials_(partials), array_(array), other_(other), missing_(missing), other_missing_(other.missing) {
    if (missing_) missing_ = as_stored(*missing_, array.type);
    if (other_missing_) other_missing_ = as_stored(*other_missing_, other.array.type);
  }

  void add(std::span<const Axis> axes) {
    std::vector<Axis> kept, reduced;
    const bool has_columns = !axes.empty() && !axes[0].is_reduced();
    const Axis one{1, 1, 1, 0};
    const Axis& fastest = axes.empty() ? one : axes[0];
    for (const Axis& axis : axes.subspan(axes.empty() ? 0 : 1))
      (axis.is_reduced() ? reduced : kept).push_back(axis);
    for_each_position(kept, [&](const Place& place) {
      has_columns ? add_columns(place, fastest, reduced) : add_rows(place, fastest, reduced);
    });
  }

 private:
  /// Rows of pairs that all go to one Partial.
  void add_rows(const Place& at, const Axis& row, std::span<const Axis> reduced) {
    constexpr std::size_t kGathered = 2048;
    Partial& partial = partials_[static_cast<std::size_t>(at.of_result)];
    if (rows_.empty()) rows_.emplace_back(kGathered, missing_, other_missing_);
    Pairs& pairs = rows_.front();
    for_each_position(reduced, [&](const Place& place) {
      for (Index done = 0; done < row.extent;) {
        const Index count = std::min(row.extent - done, static_cast<Index>(pairs.left()));
        const std::size_t to = pairs.count();
        read(array_, at.of_array + place.of_array + done * row.stride, row.stride, count,
             [&](Index i, auto value) { put_into(pairs.x(), to + static_cast<std::size_t>(i), value); });
        read(other_.array, other_.offset + at.of_other + place.of_other + done * row.other_stride,
             row.other_stride, count,
             [&](Index i, auto value) { put_into(pairs.y(), to + static_cast<std::size_t>(i), value); });
        pairs.grow(static_cast<std::size_t>(count));
        if (pairs.is_full()) pairs.move_to(partial);
        done += count;
      }
    });
    pairs.move_to(partial);
  }

  /// Rows across which each element goes to a Partial of its own.
  void add_columns(const Place& at, const Axis& row, std::span<const Axis> reduced) {
    constexpr std::size_t kGathered = 128;
    while (columns_.size() < kColumns) columns_.emplace_back(kGathered, missing_, other_missing_);
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
        read(array_, at.of_array + place.of_array + first * row.stride, row.stride, count,
             [&](Index c, auto value) { put_into(columns_[static_cast<std::size_t>(c)].x(), to, value); });
        read(other_.array, other_.offset + at.of_other + place.of_other + first * row.other_stride,
             row.other_stride, count,
             [&](Index c, auto value) { put_into(columns_[static_cast<std::size_t>(c)].y(), to, value); });
        for (Index c = 0; c < count; ++c) columns_[static_cast<std::size_t>(c)].grow(1);
        if (columns_.front().is_full()) empty_columns();
      });
      empty_columns();
    }
  }

  std::span<Partial> partials_;
  const Array& array_;
  const AlignedInput& other_;
  std::optional<double> missing_, other_missing_;
  std::vector<Pairs> rows_, columns_;
};

}  // namespace

PartialArray reduce_pairs(const Array& array, const AlignedInput& other, const std::vector<int>& reduced_axes,
                          const ReducedShape& shape, std::optional<double> missing) {
  const auto result_size = static_cast<std::size_t>(Region{{}, shape.extents}.size());
  std::vector<Partial> partials(result_size, Partial(Reduction::covariance));
  const auto result = [&] {
    return PartialArray{shape.extents, std::make_shared<Partials>(Reduction::covariance, partials)};
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
  PairReduction reduction(std::span<Partial>(partials).subspan(static_cast<std::size_t>(base)), array, other,
                          missing);
  reduction.add(merged_axes(array.extents, other.strides, strides));
  return result();
}

}  // namespace pileus
