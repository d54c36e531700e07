#include "math/weighted_means.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "loops/column_loops.h"
#include "loops/ordinary_products.h"
#include "math/rounded_quotients.h"

namespace pileus {
namespace {

/// Up to it every count is a double.
constexpr std::int64_t kMostExactCount = std::int64_t{1} << 53;

bool is_power_of_two(double weight) {
  int exponent = 0;
  return std::frexp(weight, &exponent) == 0.5;
}

std::vector<std::size_t> places_of(std::span<const double> values, std::optional<double> searched) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; searched && i < values.size(); ++i)
    if (values[i] == *searched) places.push_back(i);
  return places;
}

bool contains(std::span<const std::size_t> sorted, std::size_t i) {
  return std::binary_search(sorted.begin(), sorted.end(), i);
}

}  // namespace

void WeightedMeans::add(double weight, const Partials& values, std::optional<double> missing) {
  Added added{weight, values.factor()};
  for (std::size_t i = 0; missing && i < size_; ++i)
    if (values.is_of_nothing(i)) added.left_out.push_back(i);
  std::vector<double> numbers;
  const Reduction reduction = values.reduction();
  const std::optional<std::int64_t> count = values.common_count();
  const bool is_mean = reduction == Reduction::mean && count && *count > 0;
  const Keeps keeps = keeps_of(reduction);
  const bool is_extremum = keeps == Keeps::extreme || keeps == Keeps::truth;
  const bool is_count = keeps == Keeps::count && count && *count <= kMostExactCount;
  if (reduction == Reduction::sum || is_mean) {
    if (is_mean) added.count = *count;
    for (std::size_t p = 0; p < values.sums().part_count(); ++p) added.parts.push_back(values.sums().part(p));
    for (const auto& wide : values.wide_sums()) apart(wide.first);
  } else if ((is_extremum || is_count) && values.factor().is_one()) {  // doubles as they are
    numbers = values.values();
    added.parts.push_back(numbers);
  }
  add(added, [&](ExactWeightedMean& mean, std::size_t i) { mean.add(weight, values[i]); });
}

void WeightedMeans::add(double weight, std::span<const double> values, std::optional<double> missing) {
  const ExactFactor one;
  Added added{weight, one, 1, places_of(values, missing)};
  added.parts.push_back(values);
  add(added, [&](ExactWeightedMean& mean, std::size_t i) { mean.add(weight, values[i]); });
}

void WeightedMeans::add(double weight, std::span<const std::int64_t> values, std::optional<double> missing) {
  std::vector<double> rounded(values.begin(), values.end()), upper(size_), lower(size_);
  for (std::size_t i = 0; i < size_; ++i) {
    const std::int64_t low = values[i] & 0xFFFFFFFF;
    upper[i] = static_cast<double>(values[i] - low);
    lower[i] = static_cast<double>(low);
  }
  const ExactFactor one;
  Added added{weight, one, 1, places_of(rounded, missing)};
  added.parts.push_back(upper);
  added.parts.push_back(lower);
  add(added, [&](ExactWeightedMean& mean, std::size_t i) {
    Partial partial(Reduction::sum);
    partial.add(values.subspan(i, 1));
    mean.add(weight, partial);
  });
}

/// A sample without parts, or of one kind of values too many, goes to all elements one by one.
template <class AddApart>
void WeightedMeans::add(const Added& added, const AddApart& add_apart) {
  const bool fits =
      !added.parts.empty() && added.factor.is_finite() && detail::is_ordinary_weight(added.weight);
  Term* const columns = fits ? term(added.factor, added.count) : nullptr;
  if (columns != nullptr) {
    part_from_columns(added);
  } else if (apart_.size() < size_) {
    for (std::size_t i = 0; i < size_; ++i) apart(i);
  }
  for (auto& [i, mean] : apart_) {
    if (!contains(added.left_out, i)) add_apart(mean, i);
  }
  if (columns != nullptr && apart_.size() < size_) add_to_columns(added, *columns);
}

/// The columns of this kind of values; null if there are too many kinds.
WeightedMeans::Term* WeightedMeans::term(const ExactFactor& factor, std::int64_t count) {
  const auto is_it = [&](const Term& term) { return term.count == count && term.factor == factor; };
  const auto found = std::ranges::find_if(terms_, is_it);
  if (found != terms_.end()) return &*found;
  if (terms_.size() == kMostTerms) return nullptr;
  terms_.push_back({factor, count, unused_ ? std::move(*unused_) : SumColumns(size_)});
  unused_.reset();
  return &terms_.back();
}

/// Element i on its own, from now until the elements are cleared.
ExactWeightedMean& WeightedMeans::apart(std::size_t i) {
  const auto found = apart_.lower_bound(i);
  if (found != apart_.end() && found->first == i) return found->second;
  return apart_.emplace_hint(found, i, from_columns(i))->second;
}

/// Elements that the sample parts from the others.
void WeightedMeans::part_from_columns(const Added& added) {
  for (const std::size_t i : added.left_out) apart(i);
  const detail::ColumnLoops& loops = detail::column_loops();
  for (const std::span<const double> part : added.parts) {
    if (loops.are_ordinary(part.data(), part.size())) continue;
    for (std::size_t i = 0; i < size_; ++i)
      if (!detail::are_ordinary_values(&part[i], 1)) apart(i);
  }
}

void WeightedMeans::add_to_columns(const Added& added, Term& term) {
  weights_.add(added.weight);
  const bool is_exact = is_power_of_two(added.weight);
  std::vector<std::size_t> unfit;
  for (const std::span<const double> part : added.parts) {
    errors_.resize(is_exact ? 0 : size_);
    detail::column_loops().product_errors(added.weight, part.data(), errors_.data(), errors_.size());
    pour(part, added.weight, term, unfit);
    if (!is_exact) pour(errors_, 1, term, unfit);
  }
}

/// Adds weight · values, rounded, to the columns of the term. `unfit`: elements that have parted from the
/// columns with this sample; others apart have taken all of it.
void WeightedMeans::pour(std::span<const double> values, double weight, Term& term,
                         std::vector<std::size_t>& unfit) {
  const auto add_apart = [&](ExactWeightedMean& mean, const ExactNumber& sum) {
    mean.add_sum(sum * term.numerator(), term.denominator());
  };
  for (const std::size_t i : unfit) add_apart(apart_.at(i), ExactNumber(weight * values[i]));
  if (!apart_.empty()) {
    addends_.resize(size_);
    for (std::size_t i = 0; i < size_; ++i) addends_[i] = weight * values[i];
    for (const auto& [i, mean] : apart_) addends_[i] = 0;
    values = addends_;
    weight = 1;
  }
  const auto before = static_cast<std::ptrdiff_t>(unfit.size());
  for (const auto& [i, sum] : term.sums.add(values, weight)) {
    add_apart(apart(i), ExactNumber(sum));
    unfit.push_back(i);
  }
  std::inplace_merge(unfit.begin(), unfit.begin() + before, unfit.end());
}

/// The mean of what element i has taken as one of the columns.
ExactWeightedMean WeightedMeans::from_columns(std::size_t i) const {
  ExactWeightedMean mean;
  mean.add_weights(weights_);
  for (const Term& term : terms_)
    mean.add_sum(ExactNumber(term.sums.sum(i)) * term.numerator(), term.denominator());
  return mean;
}

ExactWeightedMean WeightedMeans::operator[](std::size_t i) const {
  const auto found = apart_.find(i);
  return found != apart_.end() ? found->second : from_columns(i);
}

bool WeightedMeans::has_sample(std::size_t i) const {
  const auto found = apart_.find(i);
  return found != apart_.end() ? found->second.weight() != 0 : !weights_.is_zero();
}

void WeightedMeans::set(std::size_t i, ExactWeightedMean mean) {
  apart_.insert_or_assign(i, std::move(mean));
}

WeightedMeans WeightedMeans::slice(std::size_t first, std::size_t size) const {
  WeightedMeans slice(size);
  slice.weights_ = weights_;
  for (const Term& term : terms_)
    slice.terms_.push_back({term.factor, term.count, term.sums.copy_of(first, size)});
  for (auto apart = apart_.lower_bound(first); apart != apart_.end() && apart->first < first + size; ++apart)
    slice.apart_.emplace_hint(slice.apart_.end(), apart->first - first, apart->second);
  return slice;
}

std::vector<double> WeightedMeans::means(double empty) const {
  std::vector<double> values(size_);
  means(empty, values);
  return values;
}

std::vector<double> WeightedMeans::totals(double empty) const {
  std::vector<double> values(size_);
  totals(empty, values);
  return values;
}

void WeightedMeans::round(double empty, bool is_mean, std::span<double> values) const {
  std::ranges::fill(values, empty);
  const auto value = [&](const ExactWeightedMean& mean) { return is_mean ? mean.value() : mean.total(); };
  if (!weights_.is_zero() && apart_.size() < size_) {
    if (terms_.size() == 1) {
      const ExactNumber weight = is_mean ? ExactNumber(weights_) : ExactNumber(1);
      round_quotients(terms_[0].sums, terms_[0].numerator(), terms_[0].denominator() * weight, values);
    } else {
      for (std::size_t i = 0; i < size_; ++i)
        if (!apart_.contains(i)) values[i] = value(from_columns(i));
    }
  }
  for (const auto& [i, mean] : apart_) values[i] = has_sample(i) ? value(mean) : empty;
}

void WeightedMeans::clear() {
  if (terms_.size() == 1) {
    unused_ = std::move(terms_.front().sums);
    unused_->clear();
  }
  terms_.clear();
  apart_.clear();
  weights_ = ExactSum();
}

std::size_t WeightedMeans::memory_bytes() const {
  const auto of_term = [](std::size_t sum, const Term& term) { return sum + term.sums.memory_bytes(); };
  const std::size_t unused = unused_ ? unused_->memory_bytes() : 0;
  return std::accumulate(terms_.begin(), terms_.end(), apart_.size() * kApartBytes + unused, of_term) +
         (addends_.capacity() + errors_.capacity()) * sizeof(double);
}

}  // namespace pileus
