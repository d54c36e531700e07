#pragma once

// The value of a reduction on its way through ranks and servers, before anything is rounded.
// Used by the analytics, the messages between servers and the model's side; architecture.md D2 and D3.
// It must never depend on the order of add and merge, and never be rounded but by value().

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/reduction.h"
#include "math/copied.h"
#include "math/exact_factor.h"
#include "math/exact_number.h"
#include "math/exact_products.h"
#include "math/exact_sum.h"

namespace pileus {

/// Values of a block, or pairs of them: value i is upper[i] + lower[i]. An empty `lower` is zeros.
struct SplitValues {
  std::span<const double> upper, lower = {};
};

/// The value of a reduction before it is rounded: exact sums, count, exact rational factor; or an extremum.
/// NaN and Inf: a sum or mean is IEEE's result for its rounded sum, so 3 · Inf is Inf and 0 · Inf is NaN;
/// a weight of either makes the result NaN;
/// one of either makes a variance, another moment or a root of one NaN; a NaN makes a sum, mean or extremum
/// NaN; −0 < +0 for min and max.
/// Empty: sum, count and any are 0, all is 1; the others are NaN, and count() is 0.
/// Equal values added, in any order and by any path, give equal bytes.
class Partial {
 public:
  /// A Partial is made of fewer values than these, so that two counts can be added. Bytes and merges that say
  /// otherwise are damaged. Exact sums and products take that many.
  static constexpr std::int64_t kMostValues = std::int64_t{1} << 58;

  explicit Partial(Reduction reduction) : reduction_(reduction) {}

  /// A second moment of `count` values, or pairs. `y`: counts for nothing where it takes no pairs.
  /// REQUIRES: the exact sums of the values, or of each of the pairs, and of their products.
  static Partial of_moments(Reduction reduction, std::int64_t count, const ExactSum& x, const ExactSum& y,
                            const ExactProducts& products);

  Reduction reduction() const { return reduction_; }

  /// Adds one more value. The factor applies to values added before and after it alike.
  void add(double value);
  /// T: double, float, int8_t, int32_t or int64_t, whose values count exactly as they are; an extremum of
  /// int64_t is that of the values rounded to double.
  template <class T>
  void add(std::span<const T> values);
  void add(std::span<const double> values) { add<double>(values); }
  /// Adds those that are not equal to `missing` when they are widened to double.
  template <class T>
  void add_present(std::span<const T> values, double missing);
  /// Adds values[0], values[stride], … ; the stride may be negative.
  template <class T>
  void add_strided(const T* values, std::size_t count, std::ptrdiff_t stride_elements);
  /// Adds values[c + r · stride], r < rows, to partials[c]; without those equal to `missing`.
  /// REQUIRES: all of one reduction.
  template <class T>
  static void add_columns(std::span<Partial> partials, const T* values, std::size_t rows,
                          std::ptrdiff_t stride_elements, std::optional<double> missing = {});

  /// Adds pairs to a covariance. REQUIRES: as many values of both.
  void add_pairs(const SplitValues& x, const SplitValues& y);

  /// Adds values, and of a covariance pairs, with their weights; of others `y` counts for nothing.
  /// REQUIRES: as many of each, a weighted reduction, and no weight that is zero.
  void add_weighted(const SplitValues& x, const SplitValues& y, std::span<const double> weights);

  /// The same of many sums or means with weights side by side: x[c + r · columns] has the weight w[c + r ·
  /// columns], the same for all of a row. Their weights and counts come with add_weights.
  /// REQUIRES: whole rows.
  static void add_weighted_rows(std::span<Partial* const> partials, std::span<const double> x,
                                std::span<const double> w);
  void add_weights(std::int64_t count, const ExactSum& weights);

  /// Joins the values of both.
  /// Errors: std::invalid_argument if the reductions or the factors differ, or there are too many values.
  void merge(const Partial& other);

  /// The same sum, count and factor read as a mean.
  /// Errors: std::invalid_argument for anything but sum → mean.
  Partial as(Reduction reduction) const;

  /// Scales by an exact constant. Zero, infinite and NaN constants give what IEEE gives for the rounded
  /// value.
  void multiply(double constant) { factor_.multiply(constant); }
  void divide(double constant) { factor_.divide(constant); }

  /// How many values were added.
  std::int64_t count() const { return count_; }
  /// Nothing was added, or weights of zero together, and the value says nothing. A sum or count of nothing is
  /// 0 all the same.
  bool is_of_nothing() const {
    return !declaration().is_of_nothing_0 && (count_ == 0 || (is_weighted() && has_no_weight()));
  }

  /// The result, correctly rounded once: sum · factor, sum · factor / count, moment · factor, the root of
  /// moment · factor² with the factor's sign, count · factor or extremum · factor. Weights take the place of
  /// counts.
  /// An exact zero is +0 whatever the signs, but that of an extremum has IEEE's sign.
  double value() const;

  /// The exact value as numerator / denominator, the denominator positive, for weighted means over time;
  /// a root, which is no fraction, has been rounded before.
  /// std::nullopt when it is not a finite number.
  std::optional<std::pair<ExactNumber, ExactNumber>> exact() const;

  /// Appends the canonical bytes: equal values, count and factor give equal bytes.
  void encode(std::vector<std::byte>& out) const;
  /// Takes one Partial from the front of `in`.
  /// Errors: std::invalid_argument for anything that encode does not write.
  static Partial decode(std::span<const std::byte>& in);

 private:
  friend class Partials;  // many of them, whose sums take less memory
  const ReductionDeclaration& declaration() const { return declaration_of(reduction_); }
  bool is_sum() const { return keeps_of(reduction_) == Keeps::sum; }
  /// An extremum of the values, or of their being 0 or not.
  bool is_extremum() const { return keeps_of(reduction_) == Keeps::extreme || is_truth(); }
  bool is_truth() const { return keeps_of(reduction_) == Keeps::truth; }
  /// Errors: std::invalid_argument where so many values cannot be.
  static void require_possible(std::int64_t count);
  bool has_products() const { return keeps_of(reduction_) == Keeps::moments || is_weighted(); }
  bool is_weighted() const { return declaration().is_weighted; }
  /// Of Σwx, not of Σwx².
  bool is_weighted_sum() const {
    return reduction_ == Reduction::weighted_sum || reduction_ == Reduction::weighted_mean;
  }
  bool has_no_weight() const { return !other_sum_ || other_sum_->is_zero(); }
  double extremum() const;
  std::optional<std::pair<ExactNumber, ExactNumber>> unscaled() const;
  ExactNumber moment() const;
  std::optional<std::pair<ExactNumber, ExactNumber>> unscaled_weighted() const;
  void add_weighted_products(const SplitValues& x, const SplitValues& y, std::span<const double> weights);
  void add_non_finite(std::span<const double> values, std::span<const double> weights);
  double non_finite_value() const;
  void add_plain_pairs(std::span<const double> x, std::span<const double> y);
  void add_products(const SplitValues& x, const SplitValues& y);
  template <class T>
  void add_squares(std::span<const T> values);
  static void add_square_columns(std::span<Partial> partials, const double* values, std::size_t rows,
                                 std::ptrdiff_t stride_elements);
  void encode_products(std::vector<std::byte>& out) const;
  void decode_products(std::span<const std::byte>& in);
  void encode_first_sums(std::vector<std::byte>& out) const;
  void decode_weighted(std::span<const std::byte>& in);
  template <class T>
  static void add_extrema(std::span<Partial> partials, const T* values, std::size_t rows,
                          std::ptrdiff_t stride_elements);
  template <class T>
  static void add_column_blocks(std::span<Partial> partials, const T* values, std::size_t rows,
                                std::ptrdiff_t stride_elements, std::optional<double> missing);
  Reduction reduction_;
  std::int64_t count_ = 0;
  ExactSum sum_;  // 0 for extrema and counts; of what has weights the values that are not finite, by w's sign
  double smallest_ =
      std::numeric_limits<double>::infinity();  // of the values for min, of the negatives for max
  ExactFactor factor_;
  struct WeightedSums {
    ExactProducts x, y;
  };
  detail::Copied<ExactSum> other_sum_;       // Σy of a covariance, or Σw
  detail::Copied<ExactProducts> products_;   // Σx² or Σxy; with weights Σwx, Σwx² or Σwxy
  detail::Copied<WeightedSums> first_sums_;  // Σwx and Σwy of what is about the mean
};

}  // namespace pileus
