#pragma once
// Numbers of several lines side by side, which a processor adds and multiplies at once. Each line's bits are
// those that it would have alone.

#include <complex>
#include <cstddef>

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
};

/// One mode of each line.
struct Modes {
  Lanes real, imaginary;
};

/// The real part of a times the conjugate of b: of equal modes their square.
inline Lanes common_power(const Modes& a, const Modes& b) {
  return a.real * b.real + a.imaginary * b.imaginary;
}

}  // namespace pileus::spectra
