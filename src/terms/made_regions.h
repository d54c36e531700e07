#pragma once
// Which part of a term a model rank holds or makes.

#include <cstddef>
#include <utility>

#include "terms/terms.h"

namespace pileus::planning {

/// What a rank makes of the result of an operator.
Region made_region(TermIndex index, std::size_t rank, const Shapes& shapes, const TermTable& terms);

/// First element and count of what a rank holds of a dimension of a term.
std::pair<Index, Index> extent_of(const Part& part, DimensionId dimension, std::size_t rank,
                                  const Shapes& shapes, const TermTable& terms);

}  // namespace pileus::planning
