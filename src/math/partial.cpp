#include "math/partial.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <type_traits>

#include "loops/sum_kernel.h"
#include "math/bytes.h"
#include "math/extremum.h"
#include "math/square_root.h"

namespace pileus {
namespace {

/// Sums and reductions of pairs are known by name here and in src/rules. Another one is work there first.
constexpr bool are_all_built() {
  for (const ReductionDeclaration& declared : kDeclaredReductions) {
    const bool is_sum = declared.reduction == Reduction::sum || declared.reduction == Reduction::mean;
    const bool is_of_pairs =
        declared.reduction == Reduction::covariance || declared.reduction == Reduction::weighted_covariance;
    if ((declared.keeps == Keeps::sum) != is_sum || declared.takes_pairs != is_of_pairs) return false;
    if ((declared.keeps == Keeps::weighted) != declared.is_weighted) return false;
  }
  return true;
}
static_assert(are_all_built(),
              "another reduction of the sum alone or of pairs: Partial and src/rules come first");

constexpr std::size_t kGathered = 2048;  // elements that are laid side by side

detail::Sign sign_for(Reduction reduction) {
  return declaration_of(reduction).is_largest ? detail::Sign::negated : detail::Sign::as_is;
}

/// ±1, 0, ±Inf or NaN.
double kind_of(const ExactSum& sum) { return sum.is_finite() ? ExactNumber(sum).sign() : sum.round(); }

/// 1 or 0.
template <class T>
double truth(std::span<const T> values, Reduction reduction) {
  const auto is_true = [](T value) { return value != 0; };
  return declaration_of(reduction).is_largest ? std::ranges::any_of(values, is_true)
                                              : std::ranges::all_of(values, is_true);
}

}  // namespace

void Partial::add(double value) {
  if (!is_sum()) return add(std::span<const double>(&value, 1));
  ++count_;
  sum_.add(value);
}

template <class T>
void Partial::add(std::span<const T> values) {
  count_ += static_cast<std::int64_t>(values.size());
  if (is_sum()) {
    sum_.add(values);
  } else if (has_products()) {
    add_squares(values);
  } else if (is_truth() && !values.empty()) {
    const double one = truth(values, reduction_);
    smallest_ = detail::smaller(smallest_, detail::smallest(std::span(&one, 1), sign_for(reduction_)));
  } else if (is_extremum()) {
    smallest_ = detail::smaller(smallest_, detail::smallest(values, sign_for(reduction_)));
  }
}

template <class T>
void Partial::add_present(std::span<const T> values, double missing) {
  std::array<T, kGathered> present;
  while (!values.empty()) {
    const std::span<const T> block = values.first(std::min(values.size(), present.size()));
    values = values.subspan(block.size());
    std::size_t count = 0;
    for (const T value : block) {
      present[count] = value;
      count += static_cast<double>(value) != missing ? 1 : 0;
    }
    add(std::span<const T>(present.data(), count));
  }
}

template <class T>
void Partial::add_strided(const T* values, std::size_t count, std::ptrdiff_t stride_elements) {
  if (is_sum()) {
    count_ += static_cast<std::int64_t>(count);
    return sum_.add_strided(values, count, stride_elements);
  }
  std::array<T, kGathered> block;
  for (std::size_t done = 0; done < count;) {
    const std::size_t size = std::min(count - done, block.size());
    for (std::size_t i = 0; i < size; ++i)
      block[i] = values[static_cast<std::ptrdiff_t>(done + i) * stride_elements];
    add(std::span<const T>(block.data(), size));
    done += size;
  }
}

template <class T>
void Partial::add_columns(std::span<Partial> partials, const T* values, std::size_t rows,
                          std::ptrdiff_t stride_elements, std::optional<double> missing) {
  if (partials.empty()) return;
  const Partial& first = partials.front();
  if (!missing && first.is_extremum() && !first.is_truth()) {
    return add_extrema(partials, values, rows, stride_elements);
  }
  if constexpr (std::is_same_v<T, double>) {
    const bool are_squares = first.has_products() && first.reduction_ != Reduction::covariance;
    const bool are_strips = partials.size() >= detail::kStrip && rows >= detail::kStrip;
    if (!missing && are_squares && are_strips)
      return add_square_columns(partials, values, rows, stride_elements);
  }
  if (missing || !first.is_sum()) {
    return add_column_blocks(partials, values, rows, stride_elements, missing);
  }
  std::vector<ExactSum*> sums;
  for (Partial& partial : partials) {
    sums.push_back(&partial.sum_);
    partial.count_ += static_cast<std::int64_t>(rows);
  }
  ExactSum::add_columns(std::span<ExactSum* const>(sums), values, rows, stride_elements);
}

template <class T>
void Partial::add_extrema(std::span<Partial> partials, const T* values, std::size_t rows,
                          std::ptrdiff_t stride_elements) {
  constexpr std::size_t kColumns = 64;
  std::array<double, kColumns> smallest;
  for (std::size_t first = 0; first < partials.size(); first += kColumns) {
    const std::span<Partial> block = partials.subspan(first, std::min(partials.size() - first, kColumns));
    for (std::size_t c = 0; c < block.size(); ++c) smallest[c] = block[c].smallest_;
    detail::add_to_smallest(std::span(smallest).first(block.size()), values + first, rows, stride_elements,
                            sign_for(block.front().reduction_));
    for (std::size_t c = 0; c < block.size(); ++c) {
      block[c].smallest_ = smallest[c];
      block[c].count_ += static_cast<std::int64_t>(rows);
    }
  }
}

/// Turns blocks of the columns so that each column lies in one piece.
template <class T>
void Partial::add_column_blocks(std::span<Partial> partials, const T* values, std::size_t rows,
                                std::ptrdiff_t stride_elements, std::optional<double> missing) {
  constexpr std::size_t kColumns = 16;
  constexpr std::size_t kRows = kGathered / kColumns;
  std::array<std::array<T, kRows>, kColumns> turned;
  for (std::size_t first = 0; first < partials.size(); first += kColumns) {
    const std::size_t columns = std::min(partials.size() - first, kColumns);
    for (std::size_t done = 0; done < rows; done += kRows) {
      const std::size_t count = std::min(rows - done, kRows);
      const T* row = values + first + static_cast<std::ptrdiff_t>(done) * stride_elements;
      for (std::size_t r = 0; r < count; ++r, row += stride_elements) {
        for (std::size_t c = 0; c < columns; ++c) turned[c][r] = row[c];
      }
      for (std::size_t c = 0; c < columns; ++c) {
        const std::span<const T> column(turned[c].data(), count);
        missing ? partials[first + c].add_present(column, *missing) : partials[first + c].add(column);
      }
    }
  }
}

#define PILEUS_PARTIALS_OF(T)                                                                      \
  template void Partial::add<T>(std::span<const T>);                                               \
  template void Partial::add_present<T>(std::span<const T>, double);                               \
  template void Partial::add_strided<T>(const T*, std::size_t, std::ptrdiff_t);                    \
  template void Partial::add_columns<T>(std::span<Partial>, const T*, std::size_t, std::ptrdiff_t, \
                                        std::optional<double>);
PILEUS_PARTIALS_OF(double)
PILEUS_PARTIALS_OF(float)
PILEUS_PARTIALS_OF(std::int8_t)
PILEUS_PARTIALS_OF(std::int32_t)
PILEUS_PARTIALS_OF(std::int64_t)
#undef PILEUS_PARTIALS_OF

void Partial::require_possible(std::int64_t count) {
  detail::require(0 <= count && count < kMostValues, "partial: made of an impossible number of values");
}

void Partial::merge(const Partial& other) {
  detail::require(reduction_ == other.reduction_, "partial: merge of different reductions");
  detail::require(factor_ == other.factor_, "partial: merge of different factors");
  require_possible(count_ + other.count_);
  count_ += other.count_;
  sum_.merge(other.sum_);
  if (other.other_sum_) other_sum_.made().merge(*other.other_sum_);
  if (other.products_) products_.made().merge(*other.products_);
  if (other.first_sums_) {
    first_sums_.made().x.merge(other.first_sums_->x);
    first_sums_.made().y.merge(other.first_sums_->y);
  }
  smallest_ = detail::smaller(smallest_, other.smallest_);
}

Partial Partial::as(Reduction reduction) const {
  detail::require(reduction_ == Reduction::sum && reduction == Reduction::mean,
                  "partial: only a sum can be read as something else, and only as a mean");
  Partial result = *this;
  result.reduction_ = reduction;
  return result;
}

double Partial::extremum() const {
  if (count_ == 0) {
    if (is_truth()) return declaration().is_largest ? 0 : 1;
    return std::numeric_limits<double>::quiet_NaN();
  }
  return sign_for(reduction_) == detail::Sign::negated ? detail::with_one_nan(-smallest_) : smallest_;
}

/// The value without the factor; for a root, the number that it is taken of.
std::optional<std::pair<ExactNumber, ExactNumber>> Partial::unscaled() const {
  if (keeps_of(reduction_) == Keeps::count) return std::pair(ExactNumber(count_), ExactNumber(1));
  if (is_extremum()) {
    if (!std::isfinite(extremum())) return std::nullopt;
    return std::pair(ExactNumber(extremum()), ExactNumber(1));
  }
  if (!sum_.is_finite() || is_of_nothing()) return std::nullopt;
  if (is_weighted()) return unscaled_weighted();
  if (reduction_ == Reduction::sum) return std::pair(ExactNumber(sum_), ExactNumber(1));
  if (reduction_ == Reduction::mean) return std::pair(ExactNumber(sum_), ExactNumber(count_));
  if (other_sum_ && !other_sum_->is_finite()) return std::nullopt;
  return std::pair(moment(), ExactNumber(count_) * ExactNumber(count_));
}

std::optional<std::pair<ExactNumber, ExactNumber>> Partial::exact() const {
  if (declaration().is_root) {
    if (!std::isfinite(value())) return std::nullopt;
    return std::pair(ExactNumber(value()), ExactNumber(1));
  }
  auto result = factor_.is_finite() ? unscaled() : std::nullopt;
  if (result && !factor_.is_one()) {
    result->first = result->first * factor_.numerator();
    result->second = result->second * factor_.denominator();
  }
  return result;
}

/// The result where kinds decide it: NaN, ±Inf, or the sign of an extremum's zero.
double Partial::non_finite_value() const {
  if (is_extremum()) return detail::with_one_nan(extremum() * factor_.kind());
  if (is_of_nothing()) return std::numeric_limits<double>::quiet_NaN();
  if (is_sum()) return detail::with_one_nan(kind_of(sum_) * factor_.kind());
  if (is_weighted_sum() && !sum_.is_finite() && (!other_sum_ || other_sum_->is_finite())) {
    const bool is_negative = reduction_ == Reduction::weighted_mean && ExactNumber(*other_sum_).sign() < 0;
    return detail::with_one_nan((is_negative ? -1 : 1) * sum_.round() * factor_.kind());
  }
  const auto fraction = unscaled();
  const double kind = fraction ? fraction->first.sign() : std::numeric_limits<double>::quiet_NaN();
  return detail::with_one_nan(kind * factor_.kind());
}

double Partial::value() const {
  if (factor_.is_one()) {
    if (is_extremum()) return extremum();
    if (reduction_ == Reduction::sum) return sum_.round();
  }
  const auto fraction = factor_.is_finite() ? unscaled() : std::nullopt;
  const bool is_zero = fraction && (fraction->first.is_zero() || factor_.is_zero());
  if (!fraction || (is_extremum() && is_zero)) return non_finite_value();
  const ExactNumber &numerator = factor_.numerator(), &denominator = factor_.denominator();
  if (declaration().is_root) {
    if (fraction->first.sign() < 0) return std::numeric_limits<double>::quiet_NaN();
    const double root = square_root_rounded(fraction->first * numerator * numerator,
                                            fraction->second * denominator * denominator);
    return numerator.sign() < 0 && root != 0 ? -root : root;
  }
  return divide_rounded(fraction->first * numerator, fraction->second * denominator);
}

// Bytes: reduction, count, factor, then sums, the bits of the smallest value, or nothing more for a count.
void Partial::encode(std::vector<std::byte>& out) const {
  detail::put(out, static_cast<std::uint8_t>(reduction_));
  detail::put(out, static_cast<std::uint64_t>(count_));
  factor_.encode(out);
  if (is_extremum()) {
    detail::put(out, std::bit_cast<std::uint64_t>(smallest_));
  } else if (keeps_of(reduction_) != Keeps::count) {
    sum_.encode(out);
  }
  if (has_products()) encode_products(out);
}

Partial Partial::decode(std::span<const std::byte>& in) {
  const auto reduction = detail::take<std::uint8_t>(in);
  detail::require(is_known(static_cast<Reduction>(reduction)), "partial: unknown reduction");
  Partial partial{static_cast<Reduction>(reduction)};
  const auto empty_bits = std::bit_cast<std::uint64_t>(partial.smallest_);
  partial.count_ = static_cast<std::int64_t>(detail::take<std::uint64_t>(in));
  require_possible(partial.count_);
  partial.factor_ = ExactFactor::decode(in);
  if (partial.is_extremum()) {
    const auto bits = detail::take<std::uint64_t>(in);
    partial.smallest_ = std::bit_cast<double>(bits);
    detail::require(bits == std::bit_cast<std::uint64_t>(detail::with_one_nan(partial.smallest_)),
                    "partial: a NaN with a payload");
    detail::require(partial.count_ > 0 || bits == empty_bits, "partial: an extremum of nothing");
    detail::require(
        !partial.is_truth() || partial.count_ == 0 || partial.extremum() == 0 || partial.extremum() == 1,
        "partial: a truth that is neither 0 nor 1");
  } else if (keeps_of(partial.reduction_) != Keeps::count) {
    partial.sum_ = ExactSum::decode(in);
    detail::require(partial.count_ > 0 || partial.sum_.is_zero(), "partial: a sum of nothing");
  }
  if (partial.has_products()) partial.decode_products(in);
  return partial;
}

}  // namespace pileus
