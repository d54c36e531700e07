#pragma once
// The operators, communications and time manipulations that come with Pileus, as they declare themselves.

#include "core/catalogue.h"
#include "core/reduction.h"

namespace pileus {

Catalogue builtin_catalogue(const ReadGrid& read_grid = {});

/// What a reduction may take.
inline const ParameterDeclaration kTaken = {
    "operator",
    ParameterKind::word,
    true,
    "",
    reduction_words(),
    "what is taken; a variance is that of the population, any and all ask for values that are not 0"};
/// What `with` is in all that reduce.
inline const ParameterDeclaration kOtherOfPair = {
    "with", ParameterKind::name, false, "", {}, "of a covariance: the field that it is taken with"};
/// What `weight` is in all that reduce.
inline const ParameterDeclaration kWeight = {
    "weight", ParameterKind::name, false, "", {}, "the field of weights, such as the areas of cells"};

/// The bins of all that reduce.
inline const ParameterDeclaration kBy = {
    "by", ParameterKind::name, false, "", {}, "by which field values go into bins, such as latitude"};
inline const ParameterDeclaration kEdges = {
    "edges", ParameterKind::text, false, "", {}, "the edges of these bins: \"-90:90:10\", or \"0, 1, 5\""};

}  // namespace pileus
