#pragma once
// Arrays that streams keep from one step to the next, for lags and for fields that hold: copies of them, and
// their pieces in checkpoints.

#include <span>
#include <string>

#include "core/array.h"
#include "math/sample.h"
#include "state/state_entries.h"

namespace pileus {

Array copy_of(const Array& array);

/// An array as bytes of a checkpoint. `what`: it is no other thing.
Bytes bytes_of(const Array& array, const std::string& what);
/// The part `region` of what entries have together; Absent where they lack some of it, or have another type.
/// Errors: TransportError where an entry is damaged.
Sample assembled(std::span<const StateEntry> entries, const std::string& what, ElementType type,
                 const Region& region);

}  // namespace pileus
