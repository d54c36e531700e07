#pragma once
// Sifting: Partials of what a rule picks out of one model rank's part of a field, as the rule declares it
// (core/sifting.h).

#include <optional>
#include <vector>

#include "blocks/block_evaluator.h"
#include "core/array.h"
#include "core/sifting.h"
#include "math/sample.h"

namespace pileus {

struct SiftedPart {
  const Array& part;
  const Region& held;            ///< the part's region
  const Extents& extents;        ///< of the whole field
  const std::vector<int>& axes;  ///< which dimensions are reduced, ascending, fastest first
  std::optional<double> missing = {};
  const AlignedInput* compared = nullptr;  ///< as an input of the part's shape
};

/// Partials over the whole domain of the dimensions that are not among the axes; empty ones where the part
/// has nothing to say. Elements that are missing are not offered to the pick. REQUIRES: the field is no
/// scalar.
PartialArray sift(const Pick& pick, const SiftedPart& from);

}  // namespace pileus
