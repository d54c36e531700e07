#pragma once

// Partials of one reduction side by side: what a reduction of an array is on its way through ranks and
// servers. Used by the analytics, the windows over time and the messages between servers.
// Element i is a Partial in all that it means; only its memory is less: a sum is a few doubles.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "math/partial.h"
#include "math/sum_columns.h"

namespace pileus {

class Partials {
 public:
  using WideSum = std::pair<std::size_t, ExactSum>;

  /// `size` Partials of nothing.
  Partials(Reduction reduction, std::size_t size);
  /// Sums, or means, of `count` values each. REQUIRES: sums of nothing are zero.
  Partials(Reduction reduction, std::int64_t count, SumColumns sums);
  /// Errors: std::invalid_argument if not all are of `reduction` and have one factor.
  Partials(Reduction reduction, std::span<const Partial> partials);
  /// Partials of one value each, or of none where it equals `missing`. T is a type that Partial::add takes.
  template <class T>
  static Partials of_each(std::span<const T> values, Reduction reduction, std::optional<double> missing);
  /// Sums or means of `count` values each. `wide`: those that are zero in `sums`, by increasing element.
  static Partials of_sums(Reduction reduction, std::int64_t count, SumColumns sums,
                          std::vector<WideSum> wide);
  /// Extrema of `count` values each. `smallest`: of maxima, the smallest of the negatives.
  /// REQUIRES: a count above 0; a NaN is the one of Partial.
  static Partials of_extrema(Reduction reduction, std::int64_t count, std::vector<double> smallest);

  std::size_t size() const { return size_; }
  Reduction reduction() const { return reduction_; }
  const ExactFactor& factor() const { return factor_; }
  /// How many values element `i` was made of.
  std::int64_t count(std::size_t i) const;
  /// That of every element; nullopt where they differ.
  std::optional<std::int64_t> common_count() const;
  /// Says for element `i` what Partial::is_of_nothing says.
  bool is_of_nothing(std::size_t i) const;
  Partial operator[](std::size_t i) const;

  /// Element by element, as Partial::merge.
  /// Errors: std::invalid_argument if reductions, factors or sizes differ, or there are too many values.
  void merge(const Partials& other);
  /// These do to each element what Partial::as, Partial::multiply and Partial::divide do.
  Partials as(Reduction reduction) const;
  void multiply(double constant);
  void divide(double constant);
  /// Sets the factor, which was one. REQUIRES: factor() is one, and no second moments.
  void set_factor(const ExactFactor& factor) { factor_ = factor; }
  /// Sums or means in the columns alone, of as many values each, and the factor one.
  bool are_plain_sums() const { return is_sum() && counts_.empty() && wide_.empty() && factor_.is_one(); }
  /// To element `i` alone, besides what it is.
  void merge_sum(std::size_t i, const ExactSum& sum) { merge_wide({{i, sum}}); }
  bool has_second_moments() const { return has_whole_partials(); }

  /// Each as Partial::value, or `missing`, where that is given, if it is of nothing.
  std::vector<double> values(std::optional<double> missing = {}) const;

  /// The sums behind sums and means, before count and factor. Those in wide_sums() are zero here.
  const SumColumns& sums() const { return sums_; }
  /// The sums that the columns do not hold, by increasing element.
  const std::vector<WideSum>& wide_sums() const { return wide_; }

  std::vector<Partial> each() const;

  /// Appends bytes that decode reads. Equal Partials may give different bytes.
  void encode(std::vector<std::byte>& out) const;
  /// Takes `size` Partials from the front of `in`.
  /// Errors: std::invalid_argument for what is none.
  static Partials decode(std::span<const std::byte>& in, std::size_t size);

 private:
  bool is_sum() const { return keeps_of(reduction_) == Keeps::sum; }
  /// Second moments are held as whole Partials.
  bool has_whole_partials() const;
  void count_each(std::span<const std::int64_t> counts);
  std::int64_t put(std::size_t i, const Partial& partial);
  ExactSum sum(std::size_t i) const;
  void merge_wide(const std::vector<WideSum>& more);
  void merge_counts(const Partials& other);
  void merge_sums(const Partials& other);
  void decode_columns(std::span<const std::byte>& in);
  void decode_sums(std::span<const std::byte>& in);
  void require_valid_extrema() const;
  void require_valid_sums() const;

  Reduction reduction_;
  std::size_t size_;
  ExactFactor factor_;                ///< of all, besides that of whole Partials
  std::int64_t count_ = 0;            ///< of each, where counts_ is empty
  std::vector<std::int64_t> counts_;  ///< by element, where they differ
  SumColumns sums_;                   ///< without those that do not fit
  std::vector<WideSum> wide_;         ///< which are here
  std::vector<double> smallest_;      ///< of extrema, as Partial has it
  std::vector<Partial> whole_;
};

}  // namespace pileus
