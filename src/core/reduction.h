#pragma once
// The kinds of reductions, and the words for them.

#include <array>
#include <cstddef>
#include <cstdint>

namespace pileus {

enum class Reduction : std::uint8_t {
  sum,
  mean,
  min,
  max,
  variance,            ///< of the population: (n Σx² − (Σx)²) / n²
  standard_deviation,  ///< the square root of the variance
  covariance,          ///< of pairs: (n Σxy − Σx Σy) / n²
  count,               ///< how many values there are, whatever they are
  any,                 ///< 1 where some value is not 0, else 0; a NaN is not 0
  all                  ///< 1 where no value is 0, else 0
};

/// The words of the configuration, in the order of Reduction.
inline constexpr std::array<const char*, 10> kReductionWords = {
    "sum", "mean", "min", "max", "variance", "standard_deviation", "covariance", "count", "any", "all"};

inline const char* word_of(Reduction reduction) {
  return kReductionWords.at(static_cast<std::size_t>(reduction));
}

}  // namespace pileus
