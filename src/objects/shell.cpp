// shell: what lies around objects, so many elements far at most.

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "objects/laid.h"

namespace pileus::operators {
namespace {

using objects::Inside;

/// Steps to the nearest element inside. They are few, so that many are worked on at once.
using Steps = std::int16_t;

/// Calls `take(i, number)` for `count` elements from `first` on.
template <class Take>
void for_each_number(const Part& part, Index first, Index count, Take take) {
  if (part.type == Type::float64) {
    const double* const numbers = static_cast<const double*>(part.first) + first;
    for (Index i = 0; i < count; ++i) take(i, numbers[i]);
  } else {
    for (Index i = 0; i < count; ++i) take(i, part.number(first + i));
  }
}

Steps least(Steps steps, Steps beside) {
  const auto over = static_cast<Steps>(beside + 1);
  return steps < over ? steps : over;
}

/// From element to element of a line, there and back.
void spread_along(Steps* line, Index length) {
  for (Index i = 1; i < length; ++i) line[i] = least(line[i], line[i - 1]);
  for (Index i = length - 1; i-- > 0;) line[i] = least(line[i], line[i + 1]);
}

/// The same of `width` lines side by side.
void spread_across(Steps* lines, Index width, Index length) {
  const auto spread = [&](Steps* __restrict to, const Steps* __restrict from) {
    for (Index k = 0; k < width; ++k) to[k] = least(to[k], from[k]);
  };
  for (Index i = 1; i < length; ++i) spread(lines + i * width, lines + (i - 1) * width);
  for (Index i = length - 1; i-- > 0;) spread(lines + i * width, lines + (i + 1) * width);
}

struct Shell {
  std::vector<std::size_t> axes;
  Steps within = 1;
  bool has_corners = false;
  Inside inside;

  /// To the nearest element inside, of those in the part; more than `within` where none is that near. Steps
  /// along one axis after the other make the shortest way, and the longest of them the most of an axis.
  std::vector<Steps> distances(const Part& field) const {
    const auto far = static_cast<Steps>(within + 1);
    std::vector<Steps> distances(static_cast<std::size_t>(field.region.size()));
    Steps* const all = distances.data();
    for_each_number(field, 0, field.region.size(),
                    [&](Index i, double value) { all[i] = inside.has(value) ? Steps{0} : far; });
    for (const std::size_t axis : axes) {
      Index width = 1;
      for (std::size_t d = 0; d < axis; ++d) width *= field.region.count[d];
      const Index length = field.region.count[axis], block = width * length;
      for (Index first = 0; first < std::ssize(distances); first += block)
        width == 1 ? spread_along(all + first, length) : spread_across(all + first, width, length);
      if (has_corners)  // what is near along this axis is as good as inside along the next
        for (Steps& one : distances) one = one <= within ? Steps{0} : far;
    }
    return distances;
  }

  void compute(const Part& field, const ResultPart& result) const {
    const std::vector<Steps> around = distances(field);
    double* to = result.as<double>().data();
    const std::vector<Index>& counts = result.region.count;
    const auto from = [&](std::size_t d) { return result.region.start[d] - field.region.start[d]; };
    std::vector<Index> at(counts.size(), 0);
    for (Index left = result.region.size() / counts[0]; left > 0; --left, to += counts[0]) {
      Index first = 0;
      for (std::size_t d = counts.size(); d-- > 0;) first = first * field.region.count[d] + at[d] + from(d);
      for_each_number(field, first, counts[0], [&](Index i, double value) {
        const bool is_near = around[static_cast<std::size_t>(first + i)] <= within;
        to[i] = is_near & !inside.has(value) & inside.is_there(value) ? 1 : 0;
      });
      for (std::size_t d = 1; d < counts.size() && ++at[d] == counts[d]; ++d) at[d] = 0;
    }
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
  Shell shell{{}, static_cast<Steps>(within.front()), rule.text("corners") == "true", Inside(field)};
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
