#pragma once

// Weighted means over time of many values side by side: an ExactWeightedMean each, in all that it means.
// Used by the averaging windows. Elements are summed as columns of doubles, as long as their samples are
// finite and of few kinds: of one factor and as many values. Each other element is an ExactWeightedMean until
// clear(); where the values of a mean are not as many everywhere, that is every element.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "math/partials.h"
#include "math/sum_columns.h"
#include "math/weighted_mean.h"

namespace pileus {

class WeightedMeans {
 public:
  /// The memory that an element takes as a column whose samples are all of one kind, and apart.
  static constexpr std::size_t kMostColumnBytes = (SumColumns::kMostParts + 1) * sizeof(double);
  static constexpr std::size_t kApartBytes =
      sizeof(ExactWeightedMean) + 2 * sizeof(ExactNumber) + 6 * sizeof(void*);

  explicit WeightedMeans(std::size_t size) : size_(size) {}

  std::size_t size() const { return size_; }

  /// One more sample of each element, without those that equal `missing` or, where it is given, are of
  /// nothing.
  /// REQUIRES: weight > 0; as many values as elements.
  void add(double weight, const Partials& values, std::optional<double> missing = {});
  void add(double weight, std::span<const double> values, std::optional<double> missing = {});
  void add(double weight, std::span<const std::int64_t> values, std::optional<double> missing = {});

  /// Those of the elements from `first` on, as they are now.
  WeightedMeans slice(std::size_t first, std::size_t size) const;

  /// The mean of what element i has taken; without a sample it is empty.
  ExactWeightedMean operator[](std::size_t i) const;
  bool has_sample(std::size_t i) const;
  /// REQUIRES: element i has taken nothing.
  void set(std::size_t i, ExactWeightedMean mean);

  /// Σ w·v / Σ w of each element, or Σ w·v, correctly rounded once; `empty` where it has no sample.
  /// REQUIRES: as many as elements.
  void means(double empty, std::span<double> out) const { return round(empty, true, out); }
  void totals(double empty, std::span<double> out) const { return round(empty, false, out); }
  std::vector<double> means(double empty) const;
  std::vector<double> totals(double empty) const;

  /// Every element is as at first; the memory of columns of one kind of samples is used again.
  void clear();

  std::size_t memory_bytes() const;

 private:
  /// Values that are a sum of doubles times a factor over a count.
  struct Term {
    ExactFactor factor;
    std::int64_t count;
    SumColumns sums;  ///< Σ w · sum
    ExactNumber numerator() const { return factor.numerator(); }
    ExactNumber denominator() const { return factor.denominator() * ExactNumber(count); }
  };
  /// More kinds of values than these are rare: their elements go apart.
  static constexpr std::size_t kMostTerms = 4;

  /// The parts of a sample, before factor and count. Their sum is each element's.
  class AddedParts {
   public:
    void push_back(std::span<const double> part) { parts_[count_++] = part; }
    bool empty() const { return count_ == 0; }
    auto begin() const { return parts_.begin(); }
    auto end() const { return parts_.begin() + count_; }

   private:
    std::array<std::span<const double>, SumColumns::kMostParts> parts_;
    std::ptrdiff_t count_ = 0;
  };
  /// A sample of all elements. Those in `left_out` do not take it.
  struct Added {
    double weight;
    const ExactFactor& factor;
    std::int64_t count = 1;
    std::vector<std::size_t> left_out = {};  ///< by increasing element
    AddedParts parts = {};
  };
  template <class AddApart>
  void add(const Added& added, const AddApart& add_apart);
  Term* term(const ExactFactor& factor, std::int64_t count);
  ExactWeightedMean& apart(std::size_t i);
  void part_from_columns(const Added& added);
  void add_to_columns(const Added& added, Term& term);
  void pour(std::span<const double> values, double weight, Term& term, std::vector<std::size_t>& unfit);
  ExactWeightedMean from_columns(std::size_t i) const;
  void round(double empty, bool is_mean, std::span<double> out) const;

  std::size_t size_;
  ExactSum weights_;         ///< of what came to the elements that are columns
  std::vector<Term> terms_;  ///< none: nothing came
  std::map<std::size_t, ExactWeightedMean> apart_;
  std::optional<SumColumns> unused_;      ///< zero
  std::vector<double> addends_, errors_;  ///< of one part of a sample, whose memory is used again
};

}  // namespace pileus
