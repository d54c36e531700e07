#pragma once
// The operators, communications and time manipulations that come with Pileus, as they declare themselves.

#include "core/catalogue.h"

namespace pileus {

Catalogue builtin_catalogue();

/// The words of math::Reduction, in its order: what a reduction may take.
inline const std::vector<std::string> kReductionWords = {"sum", "mean", "min", "max"};

}  // namespace pileus
