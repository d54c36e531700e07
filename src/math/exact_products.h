#pragma once

// The exact sum of any number of products of two or three doubles, in any order.
// Used by Partial for variances, covariances and weighted sums; architecture.md D2. It must never round.

#include <cstddef>
#include <span>
#include <vector>

#include "math/copied.h"
#include "math/exact_number.h"
#include "math/exact_sum.h"

namespace pileus {

/// Σ x·y, and Σ w·x·y, without any rounding for all finite doubles. Every product of two is cut into two
/// doubles, which go to an ExactSum; those that two doubles cannot hold are scaled by a power of two before,
/// and have sums of their own.
/// NaN and Inf: pairs with one of them are left out, for the sums of x and of y know of it.
/// REQUIRES: fewer than 2^58 pairs; round to nearest without flush-to-zero (FloatingPointEnvironment).
class ExactProducts {
 public:
  /// Adds x[i] · y[i]. REQUIRES: as many of both.
  void add(std::span<const double> x, std::span<const double> y);
  /// Adds x[c + r · columns] · y[c + r · columns] to *sums[c]; returns false, with nothing added, where two
  /// doubles do not hold some of them. REQUIRES: as many of both; whole rows.
  static bool add_columns(std::span<ExactProducts* const> sums, std::span<const double> x,
                          std::span<const double> y);
  /// Adds w[i] · x[i] · y[i]. REQUIRES: as many of each.
  void add_weighted(std::span<const double> w, std::span<const double> x, std::span<const double> y);
  /// Adds sums of products that are doubles already. REQUIRES: finite.
  void add_sums(std::span<const double> sums);
  void merge(const ExactProducts& other);

  ExactNumber sum() const;

  /// Appends the canonical bytes: equal sums give equal bytes.
  void encode(std::vector<std::byte>& out) const;
  /// Takes one sum from the front of `in`. `factors`: the most of one product.
  /// Errors: std::invalid_argument for anything that encode does not write.
  static ExactProducts decode(std::span<const std::byte>& in, int factors = 2);

 private:
  void add_unusual(std::span<const double> x, std::span<const double> y);
  void add_unusual_weighted(std::span<const double> w, std::span<const double> x, std::span<const double> y);

  ExactSum usual_;                  // of products that two doubles hold
  detail::Copied<ExactSum> small_;  // the others · 2^1080
  detail::Copied<ExactSum> large_;  // the others · 2^-1200
  ExactNumber rest_;                // what was decoded, and rare products of three
};

}  // namespace pileus
