#pragma once
// The library of Fourier transforms, compiled for one instruction set or another.

#include <cstddef>
#include <memory>
#include <span>

#include "spectra/lanes.h"

namespace pileus::spectra {

/// Real lines come as complex ones of half the size.
struct TransformSet {
  void* (*make)(std::size_t size);
  void (*free)(void* plan);
  void (*of_real)(const void* plan, const double* lines, double* modes);
  void (*of_complex)(const void* plan, const double* lines, double* modes);
};

/// Those that this processor has, the best one last.
std::span<const TransformSet* const> transform_sets();

/// What the library keeps for one size. One thread at a time.
class TransformPlan {
 public:
  TransformPlan(std::size_t size, const TransformSet& set) : set_(set), plan_(set.make(size), set.free) {}

  /// Of lines twice as long; the last mode, which is real, is the imaginary part of the first.
  void of_real(std::span<const Lanes> lines, std::span<Modes> modes) {
    set_.of_real(plan_.get(), lines.front().of, modes.front().real.of);
  }
  /// REQUIRES: two arrays.
  void of_complex(std::span<const Modes> lines, std::span<Modes> modes) {
    set_.of_complex(plan_.get(), lines.front().real.of, modes.front().real.of);
  }

 private:
  const TransformSet& set_;
  std::unique_ptr<void, void (*)(void*)> plan_;
};

}  // namespace pileus::spectra
