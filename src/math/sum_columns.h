#pragma once

// Many exact sums side by side, each of a few doubles: what most sums are while they are added up.
// Used by Partials and by averages over time. Every addition is without error; what does not fit is given
// back to whoever adds it.

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "math/exact_sum.h"

namespace pileus {

class SumColumns {
 public:
  /// Doubles that a sum is held in, at most.
  static constexpr std::size_t kMostParts = 4;
  /// No addend and no sum is as large as that.
  static constexpr double kTooLarge = 0x1p1000;

  /// Sums of nothing.
  explicit SumColumns(std::size_t size) : size_(size), capacity_(size), part_count_(1), parts_(size) {}
  /// Each of one double. REQUIRES: finite, below kTooLarge.
  explicit SumColumns(std::vector<double> values)
      : size_(values.size()), capacity_(size_), part_count_(1), parts_(std::move(values)) {}
  /// The sums of `whole` from the one at `first` on. They stay where they lie until they are changed.
  SumColumns(std::shared_ptr<const SumColumns> whole, std::size_t first, std::size_t size);

  std::size_t size() const { return size_; }
  /// 1 to kMostParts; 0 where there are no sums.
  std::size_t part_count() const { return size_ == 0 ? 0 : part_count_; }
  /// Sum i is part(0)[i] + part(1)[i] + …, of no particular order of magnitude.
  std::span<const double> part(std::size_t p) const {
    return whole_ ? whole_->part(p).subspan(first_, size_) : std::span(parts_).subspan(p * capacity_, size_);
  }
  ExactSum sum(std::size_t i) const;

  /// Sums that fit into no columns, by increasing number.
  using Unfit = std::vector<std::pair<std::size_t, ExactSum>>;
  /// Adds weight · values[i], rounded, to sum i. Returns the sums that fit no longer, which are zero here
  /// then. REQUIRES: as many values as sums, and each product is finite and below kTooLarge.
  Unfit add(std::span<const double> values, double weight = 1);

  /// Sum i from now on; false if it does not fit, and then it is zero.
  bool set(std::size_t i, const ExactSum& sum);
  /// Parts as other sums have them. REQUIRES: 1 to kMostParts times size() doubles below kTooLarge.
  void set_parts(std::vector<double> parts);
  /// Asks for memory for so many sums of one part.
  void reserve(std::size_t size);
  /// More sums behind these. `values`: each is a sum. REQUIRES: finite, below kTooLarge.
  void append(std::span<const double> values);
  void append(const SumColumns& more);
  /// Without those behind the first `size`.
  void cut(std::size_t size);
  /// Zero from now on; returns what it was.
  ExactSum take(std::size_t i);
  void make_zero(std::size_t first, std::size_t size);
  /// Sums of nothing again, in the memory that there is.
  void clear();
  SumColumns copy_of(std::size_t first, std::size_t size) const;

  std::size_t memory_bytes() const { return parts_.capacity() * sizeof(double); }

 private:
  std::span<double> part(std::size_t p) { return std::span(parts_).subspan(p * capacity_, size_); }
  void keep_rest(std::size_t first, std::span<const double> rest, Unfit& unfit);
  void give_back_large(std::size_t first, std::size_t size, Unfit& unfit);
  void add_part();
  void grow(std::size_t size, std::size_t part_count);
  void own();

  std::size_t size_;
  std::size_t capacity_;                               ///< sums that a part before the last has memory for
  std::size_t part_count_;                             ///< at least 1
  std::vector<double> parts_;                          ///< one part after the other, up to the last sum
  std::shared_ptr<const SumColumns> whole_ = nullptr;  ///< in which they lie; null: in parts_
  std::size_t first_ = 0;
};

/// Tells whether all are finite and below SumColumns::kTooLarge.
bool are_small(std::span<const double> values);

}  // namespace pileus
