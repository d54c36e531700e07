#pragma once
// What a model rank hands over in place of a field: some of its elements, or Partials over some dimensions,
// made in the pass over the model's array that would have copied it.

#include <cstddef>

#include "client/strided_copy.h"
#include "plan/demand.h"

namespace pileus {

/// Errors: TransportError if the demand cannot be right for a part of these counts.
void require_extracts(const FieldDemand& demand, const Extents& part);

/// Writes the table of extracts to `place`, and those that the step of `needs` wants.
/// REQUIRES: the demand has extracts, and they are right for the array's counts; `place` has memory for
/// extract_offsets(); FloatingPointEnvironment.
void write_extracts(const StridedArray& array, const FieldDemand& demand, const NeedTracker& needs,
                    std::byte* place);

}  // namespace pileus
