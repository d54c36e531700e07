#pragma once
// Numbers with fewer bits, as files have them where they are told to.

#include <bit>
#include <cmath>
#include <cstdint>

namespace pileus {

/// The nearest number with so many bits in its fraction, of two equally near ones that with an even last bit.
/// NaN and infinities stay, and so does what would become infinite. REQUIRES: 1 <= bits <= 52.
inline double rounded_to(double value, int bits) {
  if (!std::isfinite(value)) return value;
  const int dropped = 52 - bits;
  if (dropped <= 0) return value;
  const std::uint64_t number = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t rest = (std::uint64_t{1} << dropped) - 1;
  const std::uint64_t is_odd = number >> dropped & 1;
  // What is added carries into the fraction above one half, and at one half where its last bit is odd.
  const double rounded = std::bit_cast<double>((number + (rest >> 1) + is_odd) & ~rest);
  return std::isfinite(rounded) ? rounded : value;
}

}  // namespace pileus
