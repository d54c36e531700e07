#pragma once
// Where the lines of a value lie in its array, and how several of them come into lanes and out of them.

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "pileus/operator.hpp"
#include "spectra/axes.h"
#include "spectra/lanes.h"

namespace pileus::spectra {

/// Offsets of the first elements of all lines or planes along `axes`: one for each place in the other
/// dimensions.
std::vector<Index> offsets_without(const operators::Region& region, std::span<const std::size_t> axes);
/// From one element to the next in a dimension.
Index stride_of(const operators::Region& region, std::size_t axis);

/// Elements of any type as doubles.
class Elements {
 public:
  /// `missing`: the number that stands for no value, if there is one.
  Elements(const operators::Part& part, std::optional<double> missing) : part_(part), missing_(missing) {}

  /// Takes `size` of them from an offset on into one place of `to` after the other. Returns whether none is
  /// missing.
  bool copy(Index offset, Index stride, Index size, double* to, Index to_stride) const;

 private:
  const operators::Part& part_;
  std::optional<double> missing_;
};

/// Takes the mean or the line of least squares off each line.
void detrend(Detrend how, std::span<Lanes> lines);

/// Of one source or two: the same lines of each.
using LinesOfSources = std::array<std::vector<Lanes>, 2>;
/// Makes the lines of the result. It may change what it is given.
using MakeLines = std::function<void(LinesOfSources& lines, std::span<Lanes> made)>;

/// Fills a result that has another dimension in the place of the axis, several lines at once. Those of which
/// an element is missing become missing.
void make_by_line(const Axis& axis, std::span<const Source> sources,
                  const std::vector<operators::Part>& inputs, const operators::ResultPart& result,
                  const MakeLines& make);

}  // namespace pileus::spectra
