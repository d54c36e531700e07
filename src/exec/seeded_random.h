#pragma once
// The same random numbers from the same seed with every compiler and library, for tests that shuffle orders.

#include <cstdint>

namespace pileus {

/// Source: Steele, Lea, Flood 2014, "Fast splittable pseudorandom number generators" (SplitMix64).
class SeededRandom {
 public:
  explicit SeededRandom(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }

  /// From 0 to n - 1; the bias is below n / 2^32. REQUIRES: 0 < n < 2^32.
  std::uint64_t below(std::uint64_t n) { return ((next() >> 32) * n) >> 32; }

 private:
  std::uint64_t state_;
};

}  // namespace pileus
