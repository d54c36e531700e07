#pragma once
// Numbers counted in classes by their first bits, at most 128 of them: as many bits are left out as it takes,
// for all numbers alike. Used by Sketches.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace pileus::distributions {

/// The first 32 bits of a number, in the order of numbers; the same of 0 and -0. REQUIRES: it is not NaN.
inline std::int32_t first_bits(double value) {
  const auto bits = static_cast<std::int32_t>(std::bit_cast<std::uint64_t>(value + 0.0) >> 32);
  return bits ^ static_cast<std::int32_t>(static_cast<std::uint32_t>(bits >> 31) >> 1);
}

/// Which bits are left out follows from the numbers, and not from their order: the more numbers the more
/// classes, and the fewer bits the fewer.
struct Classes {
  static constexpr std::size_t kMost = 128;
  static constexpr std::int32_t kUnused = std::numeric_limits<std::int32_t>::max();  // no number has it

  std::array<std::int32_t, kMost> keys;     ///< first bits without those left out, rising; then kUnused
  std::array<std::uint32_t, kMost> counts;  ///< by key; then 0
};

/// How many keys there are, and how many bits they lack.
struct ClassesState {
  std::uint16_t used = 0;
  std::uint8_t dropped = 0;
};

struct ClassLoops {
  /// Adds numbers by their first bits.
  void (*add)(Classes& to, ClassesState& state, std::span<const std::int32_t> numbers);
  /// Makes classes of numbers by their first bits, which it puts into another order. REQUIRES: there are
  /// numbers, fewer than 2^15, and room for as many in `other`.
  void (*make)(Classes& to, ClassesState& state, std::span<std::int32_t> numbers, std::int32_t* other);
};
extern const ClassLoops kPortableClassLoops;
#ifdef PILEUS_X86_KERNELS
extern const ClassLoops kAvx2ClassLoops;
#endif
/// The fastest that this processor has.
const ClassLoops& best_class_loops();

}  // namespace pileus::distributions
