#pragma once
// Fourier transforms of kLanes lines at once: F(k) is the sum of f(j) exp(-2 pi i j k / size), unscaled. The
// bits follow from size and line alone, on every processor.

#include <complex>
#include <memory>
#include <span>

#include "spectra/lanes.h"

namespace pileus::spectra {

using Modes = std::complex<Lanes>;  ///< one mode of each line

/// The real part of a times the conjugate of b: of equal modes their square.
inline Lanes common_power(const Modes& a, const Modes& b) {
  return a.real() * b.real() + a.imag() * b.imag();
}
/// The real parts of a mode by lane, followed by the imaginary ones.
inline double* numbers_of(Modes& mode) { return reinterpret_cast<double*>(&mode); }
inline const double* numbers_of(const Modes& mode) { return reinterpret_cast<const double*>(&mode); }
static_assert(sizeof(Modes) == 2 * kLanes * sizeof(double));

/// Transforms of one size. One thread at a time, as it has buffers; others take copies.
class Transform {
 public:
  /// REQUIRES: size >= 1. Any size will do; those with large prime factors take size times the factor.
  explicit Transform(std::size_t size);

  /// Of real lines the modes 0 to size / 2; the others are their conjugates.
  void of_real(std::span<const Lanes> lines, std::span<Modes> modes);
  /// REQUIRES: two arrays.
  void of_complex(std::span<const Modes> lines, std::span<Modes> modes);

 private:
  std::size_t size_;
  library::kissfft<Lanes> whole_, half_;  ///< half: of real lines of even size
  std::vector<Modes> line_, modes_;
};

}  // namespace pileus::spectra
