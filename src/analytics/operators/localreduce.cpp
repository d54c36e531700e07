#include "analytics/operators/localreduce.h"

#include <algorithm>
#include <cstdint>
#include <span>

#include "analytics/operators/list.h"
#include "core/missing.h"
#include "math/reduced_axes.h"

namespace pileus {
namespace operators {
Declaration localreduce();
}
namespace {

template <class Use>
void with_values(const Array& array, const Use& use) {
  switch (array.type) {
    case ElementType::float64: return use(array.as<double>().data());
    case ElementType::float32: return use(array.as<float>().data());
    case ElementType::int32: return use(array.as<std::int32_t>().data());
    case ElementType::int64: return use(array.as<std::int64_t>().data());
    case ElementType::boolean: return use(array.as<std::int8_t>().data());
    case ElementType::character: return;  // the Plan has no reductions of texts
  }
}

/// Of the part, whose elements lie without gaps.
std::vector<ReducedAxis> axes_of(const Extents& extents, const Extents& result_strides) {
  std::vector<ReducedAxis> axes;
  Index stride = 1;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    axes.push_back({extents[d], stride, result_strides[d]});
    stride *= extents[d];
  }
  return merged(axes);
}

/// Calls visit(place in the part, place in the result) for every position along the axes.
template <class Visit>
void for_each_position(std::span<const ReducedAxis> axes, const Visit& visit, Index place = 0,
                       Index target = 0) {
  if (axes.empty()) return visit(place, target);
  const ReducedAxis& axis = axes.back();
  for (Index i = 0; i < axis.extent; ++i) {
    for_each_position(axes.first(axes.size() - 1), visit, place + i * axis.stride,
                      target + i * axis.result_stride);
  }
}

template <class T>
void add_row(Partial& partial, std::span<const T> row, std::optional<double> missing) {
  missing ? partial.add_present(row, *missing) : partial.add(row);
}

/// Rows whose elements all go to one Partial. Short ones of one Partial are laid end to end first.
template <class T>
void add_rows(std::span<Partial> partials, const T* values, const ReducedAxis& row,
              std::span<const ReducedAxis> outer, std::optional<double> missing) {
  constexpr Index kShort = 512;
  std::vector<ReducedAxis> kept, reduced;
  for (const ReducedAxis& axis : outer) (axis.is_reduced() ? reduced : kept).push_back(axis);
  const auto length = static_cast<std::size_t>(row.extent);
  std::vector<T> gathered;
  for_each_position(kept, [&](Index of_target, Index target) {
    Partial& partial = partials[static_cast<std::size_t>(target)];
    for_each_position(reduced, [&](Index place, Index) {
      const std::span<const T> elements(values + of_target + place, length);
      if (reduced.empty() || row.extent >= kShort) return add_row(partial, elements, missing);
      gathered.insert(gathered.end(), elements.begin(), elements.end());
      if (static_cast<Index>(gathered.size()) < kShort) return;
      add_row(partial, std::span<const T>(gathered), missing);
      gathered.clear();
    });
    add_row(partial, std::span<const T>(gathered), missing);
    gathered.clear();
  });
}

template <class T>
void add_part(std::span<Partial> partials, const T* values, std::span<const ReducedAxis> axes,
              std::optional<double> missing) {
  if (axes.empty() || axes[0].is_reduced()) {
    const ReducedAxis one{1, 1, 0};
    const ReducedAxis& row = axes.empty() ? one : axes[0];
    return add_rows(partials, values, row, axes.empty() ? axes : axes.subspan(1), missing);
  }
  const bool has_rows = axes.size() > 1 && axes[1].is_reduced();
  const ReducedAxis rows = has_rows ? axes[1] : ReducedAxis{1, 0, 0};
  // Side by side in the part, and in the result too unless it has more of a dimension of which this is one.
  const Index together = axes[0].result_stride == 1 ? axes[0].extent : 1;
  for_each_position(axes.subspan(has_rows ? 2 : 1), [&](Index place, Index target) {
    for (Index column = 0; column < axes[0].extent; column += together) {
      const auto first = static_cast<std::size_t>(target + column * axes[0].result_stride);
      Partial::add_columns(partials.subspan(first, static_cast<std::size_t>(together)),
                           values + place + column, static_cast<std::size_t>(rows.extent), rows.stride,
                           missing);
    }
  });
}

/// The Partials of the whole domain, and where a part of it adds to them.
class Target {
 public:
  Target(Reduction reduction, std::size_t rank, const std::vector<int>& reduced_axes,
         const ReducedShape& shape)
      : reduction_(reduction),
        extents_(shape.extents),
        partials_(static_cast<std::size_t>(Region{{}, shape.extents}.size()), Partial(reduction)),
        strides_(rank) {
    Index stride = 1;
    for (std::size_t d = 0, kept = 0; d < rank; ++d) {
      if (std::ranges::count(reduced_axes, static_cast<int>(d)) > 0) continue;
      strides_[d] = stride;
      first_ += shape.start[kept] * stride;
      stride *= shape.extents[kept++];
    }
  }

  /// A box of the part. `values`: its elements alone.
  template <class T>
  void add(const Region& box, const T* values, std::optional<double> missing) {
    Index first = first_;
    for (std::size_t d = 0; d < strides_.size(); ++d) first += box.start[d] * strides_[d];
    add_part(std::span(partials_).subspan(static_cast<std::size_t>(first)), values,
             axes_of(box.count, strides_), missing);
  }

  PartialArray result() const { return {extents_, std::make_shared<Partials>(reduction_, partials_)}; }

 private:
  Reduction reduction_;
  Extents extents_;
  std::vector<Partial> partials_;
  Extents strides_;  ///< in the result, of neighbours in each dimension of the part; 0: reduced
  Index first_ = 0;  ///< where the part begins in the result
};

/// What is computed before it is reduced: it stays in the second cache, and is long enough for the loops of
/// sums in either direction.
Extents box_size(const Extents& extents, const std::vector<int>& reduced_axes) {
  constexpr Index kElements = 32768, kColumns = 256;
  Extents most;
  Index size = 1;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    const bool are_columns = d == 0 && std::ranges::count(reduced_axes, 0) == 0;
    most.push_back(std::clamp<Index>((are_columns ? kColumns : kElements) / size, 1, extents[d]));
    size *= most.back();
  }
  return most;
}

/// Cuts a region into boxes, the fastest dimension first.
template <class Visit>
void for_each_box(const Region& whole, const Extents& most, const Visit& visit) {
  Region box{whole.start, most};
  for (;;) {
    for (std::size_t d = 0; d < most.size(); ++d)
      box.count[d] = std::min(most[d], whole.start[d] + whole.count[d] - box.start[d]);
    visit(box);
    std::size_t d = 0;
    while (d < most.size() && (box.start[d] += most[d]) >= whole.start[d] + whole.count[d]) {
      box.start[d] = whole.start[d];
      ++d;
    }
    if (d == most.size()) return;
  }
}

}  // namespace

Declaration operators::localreduce() {
  return {"localreduce",
          "Reduces a field over the dimensions that each server's ranks hold of it.",
          {kTaken,
           {"field", ParameterKind::name, true, "", {}, "the field or result that is reduced"},
           kOtherOfPair,
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
  Target target(reduction, array.extents.size(), reduced_axes, shape);
  if (missing) missing = as_stored(*missing, array.type);
  if (array.size() == 0) return target.result();
  with_values(array, [&](const auto* values) {
    target.add({Extents(array.extents.size()), array.extents}, values, missing);
  });
  return target.result();
}

PartialArray local_reduce(const Program& program, const std::vector<AlignedInput>& inputs,
                          const Extents& extents, Reduction reduction, const std::vector<int>& reduced_axes,
                          const ReducedShape& shape, std::optional<double> missing) {
  Target target(reduction, extents.size(), reduced_axes, shape);
  const Region whole{Extents(extents.size()), extents};
  if (whole.size() == 0) return target.result();
  const Extents most = box_size(extents, reduced_axes);
  BlockEvaluator evaluator(program, inputs);
  std::vector<double> values(static_cast<std::size_t>(Region{{}, most}.size()));
  for_each_box(whole, most, [&](const Region& box) {
    evaluator.compute(box, values.data());
    target.add(box, values.data(), missing);
  });
  return target.result();
}

PartialArray lifted(const Array& array, Reduction reduction, std::optional<double> missing) {
  if (missing) missing = as_stored(*missing, array.type);
  PartialArray result;
  with_values(array, [&](const auto* values) {
    const std::span each(values, static_cast<std::size_t>(array.size()));
    result = {array.extents, std::make_shared<Partials>(Partials::of_each(each, reduction, missing))};
  });
  return result;
}

}  // namespace pileus
