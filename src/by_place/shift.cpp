// shift: a field moved along one dimension, across the borders of model ranks.

#include <algorithm>
#include <cmath>

#include "by_place/neighbours.h"
#include "core/missing.h"

namespace pileus::operators {
namespace {

enum class End { missing, periodic, nearest };

/// Along `axis` element i becomes that which was at i - by.
struct Move {
  std::size_t axis;
  Index by, size;
  End end;
  std::optional<double> missing;

  Halo halo() const { return {std::max<Index>(by, 0), std::max<Index>(-by, 0), end == End::periodic}; }

  void compute(const Part& field, const ResultPart& result) const {
    const auto from = field.as<double>();
    auto to = result.as<double>();
    Index inner = 1;
    for (std::size_t d = 0; d < axis; ++d) inner *= result.region.count[d];
    const Index length = result.region.count[axis], wide = field.region.count[axis];
    for (Index run = 0; run * inner < static_cast<Index>(to.size()); ++run) {
      auto* const row = to.data() + run * inner;
      Index at = result.region.start[axis] + run % length - by;
      const bool is_there = end == End::periodic || (at >= 0 && at < size);
      if (!is_there && end == End::missing) {
        std::fill_n(row, inner, kMissing);
        continue;
      }
      if (!is_there) at = std::clamp<Index>(at, 0, size - 1);
      const auto* const source =
          from.data() + ((run / length) * wide + at - field.region.start[axis]) * inner;
      std::transform(source, source + inner, row,
                     [&](double value) { return missing && value == *missing ? kMissing : value; });
    }
  }
};

Index steps_of(const Rule& rule, Index size) {
  const double by = rule.number("by");
  if (by != std::floor(by) || std::abs(by) > 1e15)
    throw ParameterError("by", "a field moves by a whole number of elements");
  if (size != kUnknownSize && std::abs(by) >= static_cast<double>(size))
    throw ParameterError("by", "the dimension has only " + std::to_string(size) + " elements");
  return static_cast<Index>(by);
}

Prepared prepare_shift(const Rule& rule) {
  const Quantity& field = rule.inputs.front();
  const int axis = rule.axis("dimension", field, rule.text("dimension"));
  const Index size = field.dimensions[static_cast<std::size_t>(axis)].size;
  const std::string& border = rule.text("border");
  const End end = border == "periodic" ? End::periodic : border == "nearest" ? End::nearest : End::missing;
  const Move move{static_cast<std::size_t>(axis), steps_of(rule, size), size, end, missing_of(field)};
  Prepared prepared;
  prepared.result = {"", Type::float64, field.dimensions};
  if (field.missing || end == End::missing) prepared.result.missing = kMissing;
  prepared.halos = {std::vector<Halo>(field.dimensions.size())};
  prepared.halos[0][move.axis] = move.halo();
  prepared.compute = [move](const std::vector<Part>& inputs, const ResultPart& result) {
    move.compute(inputs[0], result);
  };
  return prepared;
}

}  // namespace

Operator shift() {
  return {
      "shift",
      "A field moved along a dimension, in double precision: with by=1 each element has the value of the one "
      "before it, as in xarray.",
      {{"field", ParameterKind::name, true, "", {}, "the field or result that is moved"},
       {"dimension", ParameterKind::text, true, "", {}, "the dimension along which it moves"},
       {"by", ParameterKind::number, false, "1", {}, "by how many elements, also below 0"},
       {"border",
        ParameterKind::word,
        false,
        "missing",
        {"missing", "periodic", "nearest"},
        "what comes in where the dimension ends: no value, the other end, or the last element"}},
      prepare_shift,
      true};
}

}  // namespace pileus::operators
