#pragma once

// The floating-point modes that exact arithmetic needs, whatever the model has set for its own.
// Used at every entry into Pileus: put, and the start of a worker. It must never leak into the model.

#include <cstdint>

namespace pileus {

/// While it lives, this thread rounds to nearest, keeps subnormals and raises no trap; then all is as before.
/// Flags that are raised meanwhile are dropped.
class FloatingPointEnvironment {
 public:
  FloatingPointEnvironment();
  ~FloatingPointEnvironment();
  FloatingPointEnvironment(const FloatingPointEnvironment&) = delete;
  FloatingPointEnvironment& operator=(const FloatingPointEnvironment&) = delete;

 private:
  std::uint64_t saved_;
};

/// Tells whether sums, products with fma, subnormals, NaN and the absence of contraction are as the standard
/// says, in this thread and as this file was compiled. False under fast-math, flush-to-zero or another
/// rounding mode.
bool is_exact();

}  // namespace pileus
