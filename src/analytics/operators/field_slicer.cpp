// field_slicer: the field at one global index of one dimension. A model rank that does not hold the index has
// no part of the result.

#include <cstring>

#include "pileus/operator.hpp"

namespace pileus::operators {
namespace {

/// The axis out of a field, seen as runs before it, itself, and blocks behind it.
class Slice {
 public:
  Slice(std::size_t axis, Index index) : axis_(axis), index_(index) {}

  Region region(const Region& field) const {
    Region made = field;
    made.start.erase(made.start.begin() + static_cast<std::ptrdiff_t>(axis_));
    made.count.erase(made.count.begin() + static_cast<std::ptrdiff_t>(axis_));
    const Index first = index_ - field.start[axis_];
    if (first >= 0 && first < field.count[axis_]) return made;
    made.start.assign(made.start.size(), 0);
    made.count.assign(made.count.size(), 0);
    return made;
  }

  /// REQUIRES: the part holds the index.
  Picked picked(const Region& field) const {
    Picked picked{std::vector<Index>(field.count.size(), 0), field.count,
                  std::vector<Index>(field.count.size(), 1)};
    picked.first[axis_] = index_ - field.start[axis_];
    picked.count[axis_] = 1;
    return picked;
  }

  void copy(const Part& field, const ResultPart& result) const {
    std::size_t run = size_bytes(field.type), blocks = 1;
    for (std::size_t d = 0; d < axis_; ++d) run *= static_cast<std::size_t>(field.region.count[d]);
    for (std::size_t d = axis_ + 1; d < field.region.count.size(); ++d)
      blocks *= static_cast<std::size_t>(field.region.count[d]);
    const auto length = static_cast<std::size_t>(field.region.count[axis_]);
    const auto* from = static_cast<const std::byte*>(field.first) +
                       static_cast<std::size_t>(index_ - field.region.start[axis_]) * run;
    auto* to = static_cast<std::byte*>(result.first);
    for (std::size_t block = 0; block < blocks; ++block, from += run * length, to += run)
      std::memcpy(to, from, run);
  }

 private:
  std::size_t axis_;
  Index index_;
};

Prepared prepare_slicer(const Rule& rule) {
  Prepared prepared;
  prepared.result = rule.input("field");
  const int axis = rule.axis("dimension", prepared.result, rule.text("dimension"));
  const Index index = rule.whole_number("index");
  const Index size = prepared.result.dimensions[static_cast<std::size_t>(axis)].size;
  if (size != kUnknownSize && index >= size) {
    throw ParameterError("index", "there is no index " + std::to_string(index) + " in dimension \"" +
                                      rule.text("dimension") + "\", only 0 to " + std::to_string(size - 1));
  }
  prepared.result.dimensions.erase(prepared.result.dimensions.begin() + axis);
  const Slice slice(static_cast<std::size_t>(axis), index);
  prepared.region = [slice](const std::vector<Region>& inputs) { return slice.region(inputs[0]); };
  prepared.compute = [slice](const std::vector<Part>& inputs, const ResultPart& result) {
    slice.copy(inputs[0], result);
  };
  prepared.picks = [slice](const Region& field) { return slice.picked(field); };
  return prepared;
}

}  // namespace

Operator field_slicer() {
  return {
      "field_slicer",
      "Takes the field at one index of one dimension, which the result no longer has.",
      {{"field", ParameterKind::name, true, "", {}, "the field or result that is sliced"},
       {"dimension", ParameterKind::text, true, "", {}, "the dimension that is taken out"},
       {"index", ParameterKind::whole_number, true, "", {}, "the global index in that dimension, from 0"}},
      prepare_slicer,
      true};
}

}  // namespace pileus::operators
