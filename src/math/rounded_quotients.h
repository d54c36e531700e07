#pragma once

// Correctly rounded quotients of many exact sums by one exact number: the records of averages over time.
// Used by WeightedMeans. It must give what divide_rounded gives, to the bit.

#include <span>

#include "math/exact_number.h"
#include "math/sum_columns.h"

namespace pileus {

/// out[i] = round(sum i · numerator / denominator), ties to even; a zero is +0.
/// REQUIRES: as many of both; the denominator is positive.
void round_quotients(const SumColumns& sums, const ExactNumber& numerator, const ExactNumber& denominator,
                     std::span<double> out);

}  // namespace pileus
