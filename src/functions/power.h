#pragma once

// x to the power y with the same bits on every processor and with every C library, whose own pow differ.
// Used by the arithmetic of equations. It must never call a function of the mathematical library that rounds.

namespace pileus {

/// x^y, at most 0.5 + 2^-20 units in the last place off: the nearest double in all but a millionth of the
/// cases, and wherever x^y is a double. NaN, infinities, zeros and signs: as C has it for pow.
/// REQUIRES: FloatingPointEnvironment.
double power(double x, double y);

}  // namespace pileus
