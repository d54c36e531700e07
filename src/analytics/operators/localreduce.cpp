#include "analytics/operators/localreduce.h"

#include <algorithm>
#include <cstdint>

#include "analytics/operators/list.h"
#include "core/missing.h"

namespace pileus {
namespace operators {
Declaration localreduce();
}
namespace {

template <class T>
void add_widened(Partial& partial, std::span<const T> row) {
  partial.add(std::span<const double>(std::vector<double>(row.begin(), row.end())));
}

/// Integers are widened to double a row at a time.
void add_row(Partial& partial, const Array& array, Index first, Index count) {
  const auto from = static_cast<std::size_t>(first);
  const auto length = static_cast<std::size_t>(count);
  switch (array.type) {
    case ElementType::float64: return partial.add(array.as<double>().subspan(from, length));
    case ElementType::float32: return partial.add(array.as<float>().subspan(from, length));
    case ElementType::int32: return add_widened(partial, array.as<std::int32_t>().subspan(from, length));
    case ElementType::int64: return add_widened(partial, array.as<std::int64_t>().subspan(from, length));
    case ElementType::boolean: return add_widened(partial, array.as<std::int8_t>().subspan(from, length));
    case ElementType::character: return;  // the Plan has no reductions of texts
  }
}

double number_at(const Array& array, Index i) {
  const auto at = static_cast<std::size_t>(i);
  switch (array.type) {
    case ElementType::float64: return array.as<double>()[at];
    case ElementType::float32: return array.as<float>()[at];
    case ElementType::int32: return array.as<std::int32_t>()[at];
    case ElementType::int64: return static_cast<double>(array.as<std::int64_t>()[at]);
    case ElementType::boolean: return array.as<std::int8_t>()[at];
    case ElementType::character: break;
  }
  return 0;
}

/// Strided over the outer dimension so that a Partial takes many values in one call.
void add_columns(std::vector<Partial>& partials, const std::vector<Index>& targets, const Array& array,
                 Index row, Index rows) {
  for (Index i = 0; i < row; ++i) {
    Partial& partial = partials[static_cast<std::size_t>(targets[static_cast<std::size_t>(i)])];
    const auto count = static_cast<std::size_t>(rows);
    if (array.type == ElementType::float64) {
      partial.add_strided(array.as<double>().data() + i, count, row);
    } else if (array.type == ElementType::float32) {
      partial.add_strided(array.as<float>().data() + i, count, row);
    } else {
      for (Index r = 0; r < rows; ++r) partial.add(number_at(array, r * row + i));
    }
  }
}

/// Element by element, without those that are missing. `strides`: of the result, by dimension of the array.
void add_present(std::vector<Partial>& partials, const Array& array, const std::vector<Index>& strides,
                 Index base, double missing) {
  std::vector<Index> position(array.extents.size(), 0);
  const Index size = array.size();
  for (Index i = 0; i < size; ++i) {
    Index target = base;
    for (std::size_t d = 0; d < strides.size(); ++d) target += position[d] * strides[d];
    const double number = number_at(array, i);
    if (number != missing) partials[static_cast<std::size_t>(target)].add(number);
    for (std::size_t d = 0; d < position.size() && ++position[d] == array.extents[d]; ++d) position[d] = 0;
  }
}

}  // namespace

Declaration operators::localreduce() {
  return {
      "localreduce",
      "Reduces a field over the dimensions that each server's ranks hold of it.",
      {{"operator", ParameterKind::word, true, "", kReductionWords, "what is taken: sum, mean, min or max"},
       {"field", ParameterKind::name, true, "", {}, "the field or result that is reduced"},
       {"dimensions",
        ParameterKind::names,
        false,
        "",
        {},
        "over which dimensions; all of them when left out"}},
      RuleKind::localreduce};
}

PartialArray local_reduce(const Array& array, Reduction reduction, const std::vector<int>& reduced_axes,
                          const ReducedShape& shape, std::optional<double> missing) {
  const auto result_size = static_cast<std::size_t>(Region{{}, shape.extents}.size());
  auto partials = std::make_shared<std::vector<Partial>>(result_size, Partial(reduction));
  const Index size = array.size();
  if (size == 0) return {shape.extents, partials};

  const std::size_t rank = array.extents.size();
  auto is_reduced = [&](std::size_t d) { return std::ranges::count(reduced_axes, static_cast<int>(d)) > 0; };
  // Distance in the result of neighbours in each dimension of the input.
  std::vector<Index> strides(rank, 0);
  Index stride = 1, base = 0;
  for (std::size_t d = 0, kept = 0; d < rank; ++d) {
    if (is_reduced(d)) continue;
    strides[d] = stride;
    base += shape.start[kept] * stride;
    stride *= shape.extents[kept++];
  }

  if (missing) {
    add_present(*partials, array, strides, base, as_stored(*missing, array.type));
    return {shape.extents, partials};
  }
  const bool all_reduced = reduced_axes.size() == rank;
  if (all_reduced) {
    add_row((*partials)[0], array, 0, size);
    return {shape.extents, partials};
  }
  const Index row = array.extents[0];
  const bool only_first_kept = !is_reduced(0) && reduced_axes.size() + 1 == rank;
  if (only_first_kept) {
    std::vector<Index> targets(static_cast<std::size_t>(row));
    for (Index i = 0; i < row; ++i) targets[static_cast<std::size_t>(i)] = base + i;
    add_columns(*partials, targets, array, row, size / row);
    return {shape.extents, partials};
  }
  std::vector<Index> position(rank, 0);
  for (Index first = 0; first < size; first += row) {
    Index target = base;
    for (std::size_t d = 1; d < rank; ++d) target += position[d] * strides[d];
    if (is_reduced(0)) {
      add_row((*partials)[static_cast<std::size_t>(target)], array, first, row);
    } else {
      for (Index i = 0; i < row; ++i) {
        (*partials)[static_cast<std::size_t>(target + i)].add(number_at(array, first + i));
      }
    }
    for (std::size_t d = 1; d < rank && ++position[d] == array.extents[d]; ++d) position[d] = 0;
  }
  return {shape.extents, partials};
}

PartialArray lifted(const Array& array, Reduction reduction, std::optional<double> missing) {
  if (missing) missing = as_stored(*missing, array.type);
  const Index size = array.size();
  auto partials = std::make_shared<std::vector<Partial>>(static_cast<std::size_t>(size), Partial(reduction));
  for (Index i = 0; i < size; ++i) {
    const double number = number_at(array, i);
    if (number != missing) (*partials)[static_cast<std::size_t>(i)].add(number);
  }
  return {array.extents, partials};
}

}  // namespace pileus
