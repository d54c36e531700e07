#pragma once

// The one place where a square root of an exact number is rounded. Used by Partial for standard deviations.

#include "math/exact_number.h"

namespace pileus {

/// The double nearest to √(numerator / denominator), ties to even, with subnormals; beyond the range +Inf.
/// REQUIRES: numerator >= 0, denominator > 0.
double square_root_rounded(const ExactNumber& numerator, const ExactNumber& denominator);

}  // namespace pileus
