#pragma once
// Counts of numbers by their first bits, which ranks make of their own values and others add up: what a
// quantile is made of where values are too many to be brought together.

#include <cstdint>
#include <span>

namespace pileus::distributions {

/// The bits of the fraction that a key has.
inline constexpr int kKeyBits = 7;
/// A quantile that is made of counts differs by so much of itself at most. Numbers below 2^-126 count as 0,
/// those from 2^128 on as infinite.
inline constexpr double kKeyError = 0.5 / (1 << kKeyBits);
/// So many keys there are: from the negative ones to 0 and the positive ones, and the last for NaN.
inline constexpr std::int64_t kPositiveKeys = (254 << kKeyBits) + 1;  // and infinity
inline constexpr std::int64_t kKeys = 2 * kPositiveKeys + 2;

std::int64_t key_of(double value);
/// The middle of the numbers with that key.
double value_of_key(std::int64_t key);

/// As find_quantiles() does; false where nothing is counted. REQUIRES: kKeys counts.
bool find_quantiles_of_counts(std::span<const double> counts, std::span<const double> quantiles,
                              std::span<double> to);

}  // namespace pileus::distributions
