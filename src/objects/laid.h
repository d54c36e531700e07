#pragma once
// What operators on objects share: which dimensions they are in, how a part has their elements, and tables.

#include <vector>

#include "objects/inside.h"
#include "objects/space.h"
#include "pileus/operator.hpp"

namespace pileus::objects {

/// Of the parameters dimensions, periodic and corners. Errors: ParameterError.
Space space_of(const operators::Rule& rule, const operators::Quantity& field);

/// The spaces of a part, as their elements lie there.
struct Laid {
  Laid(const Space& space, const operators::Region& part)
      : begins(space.begins(part)),
        rows(space.rows(part)),
        stride(space.stride(part)),
        length(space.axes().front().size) {}

  std::vector<Index> begins;  ///< of all spaces
  std::vector<Index> rows;
  Index stride, length;
};

/// The runs of the space that begins at `begin` in the part, with their objects.
std::vector<Run> runs_in(const Space& space, const Laid& laid, const operators::Part& field,
                         const Inside& inside, Index begin);

/// What finding the objects of one space of a field takes at most, with a number for each of them. 0 where
/// sizes are not known yet.
std::size_t working_bytes(const Space& space, const operators::Quantity& field);

/// A table with a row for each object of a space, up to `most`.
struct Rows {
  Index most = 0;
  std::size_t at = 0;  ///< position of the dimension of objects in the result

  /// Sets `at`, and the result: objects in the place of their first dimension, and other dimensions of the
  /// field.
  void describe(const operators::Rule& rule, const operators::Quantity& field, const Space& space,
                operators::Prepared& prepared);
  /// Fills the rows of one space after the other: `value(space, row)`, where row < count(space).
  template <class Count, class Value>
  void fill(const operators::ResultPart& result, const Count& count, const Value& value) const {
    Index stride = 1;
    for (std::size_t d = 0; d < at; ++d) stride *= result.region.count[d];
    const std::vector<Index> begins = Space({{at, most, false}}, false).begins(result.region);
    auto* const to = result.as<double>().data();
    for (std::size_t space = 0; space < begins.size(); ++space) {
      const Index there = count(space);
      for (Index row = 0; row < most; ++row)
        to[begins[space] + row * stride] =
            row < there ? value(space, static_cast<std::size_t>(row)) : kMissing;
    }
  }
};

/// How many objects a table has at most. Errors: ParameterError.
Index most_of(const operators::Rule& rule);

std::vector<operators::Parameter> common_parameters();
/// most and table.
std::vector<operators::Parameter> table_parameters();

}  // namespace pileus::objects
