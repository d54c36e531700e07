#pragma once
// What a reduction takes of its values, and the words for it.

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
  standard_deviation,  ///< the square root of that
  covariance,          ///< of pairs: (n Σxy − Σx Σy) / n²
  count,               ///< of the values, whatever they are
  any,                 ///< 1 where some value is not 0, else 0; a NaN is not 0
  all                  ///< 1 where no value is 0, else 0
};

/// As configurations say them, in the order of Reduction.
inline constexpr std::array<const char*, 10> kReductionWords = {
    "sum", "mean", "min", "max", "variance", "standard_deviation", "covariance", "count", "any", "all"};

inline const char* word_of(Reduction reduction) {
  return kReductionWords.at(static_cast<std::size_t>(reduction));
}

}  // namespace pileus
