#pragma once

// Many exact sums side by side, each of a few doubles: what most sums are while they are added up.
// Used by Partials and by averages over time. Every addition is without error; what does not fit is given
// back to whoever adds it.

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "math/exact_sum.h"

namespace pileus {

class SumColumns {
 public:
  /// Doubles that a sum is kept in, at most.
  static constexpr std::size_t kMostParts = 4;
  /// No addend and no sum is as large as that.
  static constexpr double kTooLarge = 0x1p1000;

  /// Sums of nothing.
  explicit SumColumns(std::size_t size) : size_(size), parts_(size) {}

  std::size_t size() const { return size_; }
  /// 1 to kMostParts; 0 where there are no sums.
  std::size_t part_count() const { return size_ == 0 ? 0 : parts_.size() / size_; }
  /// Sum i is part(0)[i] + part(1)[i] + …, of no particular order of magnitude.
  std::span<const double> part(std::size_t p) const { return std::span(parts_).subspan(p * size_, size_); }
  ExactSum sum(std::size_t i) const;

  /// Adds values[i] to sum i; they are lost. Returns, by increasing i, the sums that fit no longer, which are
  /// zero here then. REQUIRES: as many values as sums, each finite and below kTooLarge.
  std::vector<std::pair<std::size_t, ExactSum>> add(std::span<double> values);

  /// Sum i from now on; false if it does not fit, and then it is zero.
  bool set(std::size_t i, const ExactSum& sum);
  /// Parts as other sums have them. REQUIRES: 1 to kMostParts times size() doubles below kTooLarge.
  void set_parts(std::vector<double> parts) { parts_ = std::move(parts); }
  /// Zero from now on; returns what it was.
  ExactSum take(std::size_t i);

  std::size_t memory_bytes() const { return parts_.capacity() * sizeof(double); }

 private:
  std::span<double> part(std::size_t p) { return std::span(parts_).subspan(p * size_, size_); }
  void add_part() { parts_.resize(parts_.size() + size_); }

  std::size_t size_;
  std::vector<double> parts_;  ///< one part of all sums after the other
};

/// All are finite and below SumColumns::kTooLarge.
bool are_small(std::span<const double> values);

}  // namespace pileus
