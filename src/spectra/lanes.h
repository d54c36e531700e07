#pragma once
// kissfft on the numbers of several lines side by side, which a processor adds and multiplies at once. Each
// line's bits are those that it would have alone. The library is used here and in transform.cpp alone.

#include <complex>
#include <cstddef>
#include <utility>
#include <vector>

#include "functions/elementary.h"

namespace pileus::spectra {

inline constexpr std::size_t kLanes = 4;

/// One number of each line.
struct Lanes {
  double of[kLanes];

  Lanes(double all = 0) {
    for (double& one : of) one = all;
  }
  Lanes& operator+=(const Lanes& other) {
    for (std::size_t i = 0; i < kLanes; ++i) of[i] += other.of[i];
    return *this;
  }
  Lanes& operator-=(const Lanes& other) {
    for (std::size_t i = 0; i < kLanes; ++i) of[i] -= other.of[i];
    return *this;
  }
  Lanes& operator*=(const Lanes& other) {
    for (std::size_t i = 0; i < kLanes; ++i) of[i] *= other.of[i];
    return *this;
  }
  friend Lanes operator+(Lanes a, const Lanes& b) { return a += b; }
  friend Lanes operator-(Lanes a, const Lanes& b) { return a -= b; }
  friend Lanes operator*(Lanes a, const Lanes& b) { return a *= b; }
  friend Lanes operator-(const Lanes& a) { return a * -1.0; }
  friend Lanes operator/(const Lanes& a, std::size_t size) { return a.of[0] / static_cast<double>(size); }
};

namespace library {

/// What the library takes of the standard library, and with it functions of Lanes. It asks for angles alone,
/// and divides them alone, which are the same for each line. Sine and cosine are ours, so that bits do not depend on the machine.
namespace std {
using ::std::complex;
using ::std::conj;
using ::std::size_t;
using ::std::swap;
using ::std::vector;
inline double acos(const Lanes&) { return 0x1.921fb54442d18p+1; }  // of -1
inline complex<Lanes> exp(const complex<Lanes>& angle) {
  const double radians = angle.imag().of[0];
  return {cosine(radians), sine(radians)};
}
}  // namespace std

#include <kissfft/kissfft.hh>

}  // namespace library
}  // namespace pileus::spectra
