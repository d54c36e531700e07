#pragma once
// What is kept of numbers that come one by one, for their quantiles, in bounded memory: the numbers, up to a
// count, and from there on how many have which first bits. It follows from the numbers alone, not from their
// order. A state of time manipulations.

#include <cstdint>
#include <span>
#include <vector>

#include "core/encoder.h"

namespace pileus::distributions {

class Sketch {
 public:
  /// So many numbers are kept as they are, and so many classes of numbers later.
  static constexpr std::size_t kMost = 128;
  static constexpr std::size_t kMostBytes = kMost * sizeof(std::uint64_t);

  void add(double value);
  /// As find_quantiles() has it, exact up to kMost numbers. Later a number is the middle of its class;
  /// classes are as wide as it takes for kMost of them. NaN where there is a NaN.
  /// REQUIRES: something was added.
  double quantile(double share) const;

  std::size_t allocated_bytes() const { return kept_.capacity() * sizeof(std::uint64_t); }
  void encode(Bytes& out) const;
  /// Takes its bytes off those that it gets. Errors: TransportError where they are not those of encode().
  static Sketch decode(std::span<const std::byte>& in);

  friend bool operator==(const Sketch&, const Sketch&) = default;

 private:
  void begin_classes();
  void add_class(std::uint32_t key, std::uint32_t count);
  void widen();
  double middle(std::uint32_t key) const;

  /// The bits of numbers; later classes in their order: the key above 32 bits, the count below.
  std::vector<std::uint64_t> kept_;
  std::uint64_t count_ = 0;
  std::uint8_t dropped_ = 0;  ///< bits that keys lack of those of `begin_classes`
  bool has_classes_ = false, has_nan_ = false;
};

}  // namespace pileus::distributions
