#pragma once

#include <memory>

#include "core/regridding.h"

namespace pileus {

/// The cells of a HEALPix grid, ring by ring or nested: centres, and the four corners that they have, from
/// the north against the clock. Edges are no great circles. REQUIRES: in nested order, a power of two.
/// Source: Gorski et al. 2005, section 5.
std::shared_ptr<const PlacesOfCells> healpix_places(Index nside, bool is_nested);

}  // namespace pileus
