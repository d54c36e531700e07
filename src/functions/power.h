#pragma once

// x to the power y with the same bits on every processor and with every C library; the libraries' own pow
// differ. The arithmetic of equations uses it. It must never call a function of the mathematical library that
// rounds.

namespace pileus {

/// x^y, at most 0.5 + 2^-20 units in the last place off. It is the nearest double in all but a millionth of
/// the cases, and exact wherever x^y is a double. NaN, infinities, zeros and signs: as in C's pow.
/// REQUIRES: FloatingPointEnvironment.
double power(double x, double y);

}  // namespace pileus
