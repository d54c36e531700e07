#pragma once

// A check that this build computes exactly on this processor. Every rank asks for it once when a run starts.
// Used by whatever starts model ranks and servers; a run that is not exact must never begin.

#include <string>

namespace pileus {

/// Names what of exact arithmetic does not hold in this thread as it is, "" if all of it does: the
/// floating-point modes, the absence of contraction and fast-math, the loops of exact sums that are in use,
/// powers. Takes some microseconds.
std::string what_is_not_exact();

/// The same under the FloatingPointEnvironment, once for the process.
/// Errors: PluginError with what_is_not_exact().
void require_exact();

}  // namespace pileus
