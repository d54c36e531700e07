#include "analytics/operators/localreduce.h"

#include <algorithm>
#include <cstdint>
#include <span>

#include "analytics/operators/list.h"
#include "core/missing.h"
#include "math/reduced_array.h"
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
  void add(const Region& box, const double* values, std::optional<double> missing) {
    add_array(from(box), values, axes_of(box.count, strides_), missing);
  }
  void add_whole(const Array& part, std::optional<double> missing) {
    add_array(from({Extents(strides_.size()), {}}), part.type, part.bytes.get(),
              axes_of(part.extents, strides_), missing);
  }

  PartialArray result() const { return {extents_, std::make_shared<Partials>(reduction_, partials_)}; }

 private:
  /// The Partials from that of the box's first element on.
  std::span<Partial> from(const Region& box) {
    Index first = first_;
    for (std::size_t d = 0; d < strides_.size(); ++d) first += box.start[d] * strides_[d];
    return std::span(partials_).subspan(static_cast<std::size_t>(first));
  }

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
           kWeight,
           kBy,
           kEdges,
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
  target.add_whole(array, missing);
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
