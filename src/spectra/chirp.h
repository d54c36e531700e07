#pragma once
// Transforms of sizes with large prime factors, as convolutions of a size without any.
// Source: Bluestein 1970, A linear filtering approach to the computation of the discrete Fourier transform.

#include <complex>
#include <span>
#include <vector>

#include "spectra/lanes.h"
#include "spectra/transform_set.h"

namespace pileus::spectra {

/// One thread at a time, as it has buffers.
class ChirpTransform {
 public:
  ChirpTransform(std::size_t size, const TransformSet& set);

  /// REQUIRES: two arrays.
  void transform(std::span<const Modes> lines, std::span<Modes> modes);

 private:
  std::size_t size_, padded_size_;
  TransformPlan padded_;
  std::vector<std::complex<double>> chirp_;   ///< exp(-pi i j j / size)
  std::vector<std::complex<double>> kernel_;  ///< the modes of its conjugate, scaled
  std::vector<Modes> padded_lines_, products_;
};

}  // namespace pileus::spectra
