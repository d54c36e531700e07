#pragma once
// Fourier transforms of kLanes lines at once: F(k) is the sum of f(j) exp(-2 pi i j k / size), unscaled. The
// bits follow from size and line alone, on every processor.

#include <optional>
#include <span>
#include <vector>

#include "spectra/chirp.h"
#include "spectra/lanes.h"
#include "spectra/transform_set.h"

namespace pileus::spectra {

/// Transforms of one size. One thread at a time, as it has buffers.
class Transform {
 public:
  /// REQUIRES: size >= 1. Any size will do.
  explicit Transform(std::size_t size);
  Transform(std::size_t size, const TransformSet& set);

  /// What one of a size takes, with the library's factors.
  static std::size_t bytes(std::size_t size);

  /// Of real lines the modes 0 to size / 2; the others are their conjugates.
  void of_real(std::span<const Lanes> lines, std::span<Modes> modes);
  /// REQUIRES: two arrays.
  void of_complex(std::span<const Modes> lines, std::span<Modes> modes);

 private:
  std::size_t size_;
  std::optional<TransformPlan> whole_, half_;  ///< half: of real lines of even size
  std::optional<ChirpTransform> chirp_;        ///< in the place of the library's own way
  std::vector<Modes> line_, modes_;
};

}  // namespace pileus::spectra
