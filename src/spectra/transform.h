#pragma once
// Fourier transforms of kLanes lines at once: F(k) is the sum of f(j) exp(-2 pi i j k / size), unscaled. The
// bits follow from size and line alone, on every processor.

#include <memory>
#include <span>
#include <vector>

#include "spectra/lanes.h"

namespace pileus::spectra {

/// The library, compiled for one instruction set. Real lines come as complex ones of half the size.
struct TransformSet {
  void* (*make)(std::size_t size);
  void (*free)(void* plan);
  void (*of_real)(const void* plan, const double* lines, double* modes);
  void (*of_complex)(const void* plan, const double* lines, double* modes);
};

/// Transforms of one size. One thread at a time, as it has buffers.
class Transform {
 public:
  /// REQUIRES: size >= 1. Any size will do; those with large prime factors take size times the factor.
  explicit Transform(std::size_t size);
  Transform(std::size_t size, const TransformSet& set);

  /// Of real lines the modes 0 to size / 2; the others are their conjugates.
  void of_real(std::span<const Lanes> lines, std::span<Modes> modes);
  /// REQUIRES: two arrays.
  void of_complex(std::span<const Modes> lines, std::span<Modes> modes);

 private:
  using Plan = std::unique_ptr<void, void (*)(void*)>;

  const TransformSet& set_;
  std::size_t size_;
  Plan whole_, half_;  ///< half: of real lines of even size
  std::vector<Modes> line_, modes_;
};

/// Those that this processor has, the best one last.
std::span<const TransformSet* const> transform_sets();

}  // namespace pileus::spectra
