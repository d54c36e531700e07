#pragma once
// The operators, communications and time manipulations that come with Pileus, as they declare themselves.

#include "core/catalogue.h"

namespace pileus {

Catalogue builtin_catalogue();

/// The words of math::Reduction, in its order: what a reduction may take.
inline const std::vector<std::string> kReductionWords = {
    "sum", "mean", "min", "max", "variance", "standard_deviation", "covariance", "count", "any", "all"};
inline const ParameterDeclaration kTaken = {
    "operator",
    ParameterKind::word,
    true,
    "",
    kReductionWords,
    "what is taken; a variance is that of the population, any and all ask for values that are not 0"};
/// What `with` is in all that reduce.
inline const ParameterDeclaration kOtherOfPair = {
    "with", ParameterKind::name, false, "", {}, "of a covariance: the field that it is taken with"};

}  // namespace pileus
