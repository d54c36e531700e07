#pragma once

// Arrays of numbers that are hard to add, from a seed. Used by tests only.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <vector>

namespace pileus::testing {

using Random = std::mt19937_64;

inline std::size_t below(Random& random, std::size_t bound) { return random() % bound; }

/// Any finite double: all exponents alike, subnormals and zeros included.
inline double any_finite(Random& random) {
  for (;;) {
    const auto value = std::bit_cast<double>(random());
    if (std::isfinite(value)) return value;
  }
}

inline double around_one(Random& random, int spread) {
  const auto mantissa = static_cast<double>(static_cast<std::int64_t>(random()));
  const auto exponent = static_cast<int>(below(random, 2 * static_cast<std::size_t>(spread) + 1)) - spread;
  return std::ldexp(mantissa, exponent - 63);
}

/// An array of one of several kinds; some hold NaN, infinities, subnormals, or cancel all but completely.
inline std::vector<double> hard_values(Random& random, std::size_t size) {
  const std::size_t kind = below(random, 8);
  std::vector<double> values(size);
  for (double& value : values) {
    if (kind == 0) value = any_finite(random);
    if (kind == 1) value = around_one(random, 3);
    if (kind == 2) value = around_one(random, 100);
    if (kind == 3) value = std::bit_cast<double>(random() & 0x800FFFFFFFFFFFFF);  // subnormal
    if (kind == 4) value = below(random, 2) == 0 ? 0.0 : -0.0;
    if (kind == 5) value = std::numeric_limits<double>::max() * (below(random, 3) == 0 ? -1 : 1);
    if (kind == 6) value = static_cast<float>(around_one(random, 20));
    if (kind == 7) value = below(random, 50) == 0 ? any_finite(random) : around_one(random, 10);
  }
  if (below(random, 3) == 0) {  // the second half takes the first away
    for (std::size_t i = 0; i < size / 2; ++i) values[size - 1 - i] = -values[i];
    std::shuffle(values.begin(), values.end(), random);
  }
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kSpecial[] = {kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN()};
  if (size > 0 && below(random, 4) == 0) {
    for (std::size_t i = below(random, 4); i > 0; --i)
      values[below(random, size)] = kSpecial[below(random, 3)];
  }
  return values;
}

/// Any floats, NaNs included, or hard values that are rounded; those beyond the range become its ends.
inline std::vector<float> hard_floats(Random& random, std::size_t size) {
  std::vector<float> floats(size);
  if (below(random, 4) == 0) {
    for (float& value : floats) value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    return floats;
  }
  constexpr double kLargest = std::numeric_limits<float>::max();
  std::ranges::transform(hard_values(random, size), floats.begin(), [&](double value) {
    return static_cast<float>(std::isinf(value) ? value : std::clamp(value, -kLargest, kLargest));
  });
  return floats;
}

/// A size that is often just around a block, or small.
inline std::size_t hard_size(Random& random) {
  const std::size_t around[] = {0, 1, 7, 8, 9, 31, 32, 33, 100, 2047, 2048, 2049, 4096, 5003};
  return below(random, 2) == 0 ? around[below(random, std::size(around))] : below(random, 6000);
}

}  // namespace pileus::testing
