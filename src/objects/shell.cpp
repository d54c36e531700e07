// shell: what lies around objects, so many elements far at most.

#include <algorithm>
#include <cstdint>
#include <utility>

#include "objects/laid.h"

namespace pileus::operators {
namespace {

using objects::Inside;

/// Calls `line(first, stride)` for each line along `axis` of a region.
template <class Line>
void for_each_line(const Region& region, std::size_t axis, Line line) {
  Index stride = 1;
  for (std::size_t d = 0; d < axis; ++d) stride *= region.count[d];
  const Index length = region.count[axis], size = region.size();
  for (Index block = 0; block < size; block += stride * length)
    for (Index i = 0; i < stride; ++i) line(block + i, stride);
}

struct Shell {
  std::vector<std::size_t> axes;
  std::int32_t within = 1;
  bool has_corners = false;
  Inside inside;

  /// Steps to the nearest element inside, of those in the part; more than `within` where none is that near.
  /// Steps along one axis after the other make the shortest way, and the longest of them the most of an axis.
  std::vector<std::int32_t> distances(const Part& field) const {
    const std::int32_t far = within + 1;
    std::vector<std::int32_t> distances(static_cast<std::size_t>(field.region.size()));
    for (std::size_t i = 0; i < distances.size(); ++i)
      distances[i] = inside.has(field.number(static_cast<Index>(i))) ? 0 : far;
    for (const std::size_t axis : axes) {
      const Index length = field.region.count[axis];
      for_each_line(field.region, axis, [&](Index first, Index stride) {
        spread(distances.data() + first, stride, length);
        spread(distances.data() + first + (length - 1) * stride, -stride, length);
      });
      if (has_corners)  // what is near along this axis is as good as inside along the next
        for (std::int32_t& one : distances) one = one <= within ? 0 : far;
    }
    return distances;
  }

  void compute(const Part& field, const ResultPart& result) const {
    const std::vector<std::int32_t> around = distances(field);
    const auto to = result.as<double>();
    const std::size_t rank = result.region.count.size();
    std::vector<Index> at(rank, 0);
    for (double& one : to) {
      Index place = 0;
      for (std::size_t d = rank; d-- > 0;)
        place = place * field.region.count[d] + at[d] + result.region.start[d] - field.region.start[d];
      const double value = field.number(place);
      one = around[static_cast<std::size_t>(place)] <= within && !inside.has(value) && inside.is_there(value);
      for (std::size_t d = 0; d < rank && ++at[d] == result.region.count[d]; ++d) at[d] = 0;
    }
  }

 private:
  void spread(std::int32_t* distance, Index stride, Index length) const {
    for (Index i = 1; i < length; ++i, distance += stride)
      distance[stride] = std::min(distance[stride], distance[0] + 1);
  }
};

Prepared prepare_shell(const Rule& rule) {
  const Quantity& field = rule.input("field");
  const std::vector<Index> within = rule.whole_numbers("within");
  if (within.size() != 1 || within.front() < 1 || within.front() > 1000)
    throw ParameterError("within", "one number from 1 to 1000 says how far a shell goes");
  Prepared prepared;
  prepared.result.dimensions = field.dimensions;
  prepared.halos = {std::vector<Halo>(field.dimensions.size())};
  Shell shell{{}, static_cast<std::int32_t>(within.front()), rule.text("corners") == "true", Inside(field)};
  const objects::Space space = objects::space_of(rule, field);
  for (const objects::Space::Axis& axis : space.axes()) {
    const Index far = axis.size == kUnknownSize ? within.front() : std::min(within.front(), axis.size);
    prepared.halos[0][axis.at] = {far, far, axis.is_periodic};
    shell.axes.push_back(axis.at);
  }
  prepared.compute = [shell](const std::vector<Part>& inputs, const ResultPart& result) {
    shell.compute(inputs[0], result);
  };
  return prepared;
}

}  // namespace

Operator shell() {
  std::vector<Parameter> parameters = objects::common_parameters();
  parameters.insert(parameters.begin() + 2, {"within",
                                             ParameterKind::whole_numbers,
                                             true,
                                             "",
                                             {},
                                             "how far the shell goes: steps from neighbour to neighbour"});
  return {
      "shell",
      "1 in the elements around objects that are near an element where a condition holds, but where it does "
      "not; 0 elsewhere.",
      std::move(parameters), prepare_shell, true};
}

}  // namespace pileus::operators
