#pragma once
// Operators that look at neighbours: their operands with what lies beside each rank's part.

#include <memory>
#include <string>
#include <vector>

#include "terms/terms.h"

namespace pileus::planning {

/// What is wrong with the halos that an operator asks for; "" where nothing is.
std::string problem_of_halos(const operators::Prepared& prepared, const std::vector<TermIndex>& operands,
                             const Shapes& shapes, const TermTable& terms);

/// The operands, of which those that model ranks cut get halos from other ranks. `prepared` then gets the
/// rest itself: what goes on at the other end of a dimension that it has as a whole.
/// `dimensions`: of the result.
std::vector<TermIndex> with_halos(std::vector<TermIndex> operands,
                                  std::shared_ptr<const operators::Prepared>& prepared,
                                  const std::vector<DimensionId>& dimensions, Shapes& shapes,
                                  TermTable& terms);

}  // namespace pileus::planning
