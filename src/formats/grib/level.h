#pragma once
// The numbers of one level as messages have them: sections 5, 6 and 7. Pure; workers call it.
//
// A number is (R + X 2^E) 10^-D: R is a float, and X a whole number of some bits, or with CCSDS those
// compressed without loss. ecCodes could pack them, but writes other values where it has both CCSDS and
// decimal places (2.28, docs/decisions/092); it reads them, and tests compare. Source: WMO's Manual on Codes,
// volume I.2, templates 5.0 and 5.42, regulation 92.9.4.

#include <span>
#include <vector>

#include "formats/format.h"

namespace pileus::grib {

/// Numbers of more bits are not packed: where decimal places take more, there are fewer of them.
inline constexpr int kMostBits = 32;

/// Whatever is not finite, or as large that a float cannot have it, is missing: a bitmap says so.
/// REQUIRES: a packing, with bits from 1 to kMostBits or decimals.
PackedChunk pack_level(std::span<const double> values, const Compression& compression);

/// Dense elements of a type as numbers, NaN where they are missing_value(type).
std::vector<double> numbers_of(std::span<const std::byte> elements, ElementType type);

}  // namespace pileus::grib
