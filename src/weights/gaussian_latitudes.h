#pragma once

#include <vector>

#include "core/extents.h"

namespace pileus {

/// The Gaussian latitudes in degrees, from north to south: those where the Legendre polynomial of degree
/// 2 * `number`, of the sine of latitude, is zero. South mirrors north to the last bit.
std::vector<double> gaussian_latitudes(Index number);

}  // namespace pileus
