#include "math/partials.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "math/bytes.h"
#include "math/extremum.h"
#include "math/rounded_quotients.h"

namespace pileus {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class T>
void put_all(std::vector<std::byte>& out, std::span<const T> values) {
  static_assert(sizeof(T) == sizeof(std::uint64_t));
  if constexpr (std::endian::native == std::endian::little) {
    const auto bytes = std::as_bytes(values);
    out.insert(out.end(), bytes.begin(), bytes.end());
  } else {
    for (const T value : values) detail::put(out, std::bit_cast<std::uint64_t>(value));
  }
}

/// Errors: std::invalid_argument if `in` is too short; before memory is asked for.
template <class T>
std::vector<T> take_all(std::span<const std::byte>& in, std::size_t count) {
  detail::require(count <= in.size() / sizeof(T), "partials: the bytes end too early");
  std::vector<T> values(count);
  for (T& value : values) value = std::bit_cast<T>(detail::take<std::uint64_t>(in));
  return values;
}

enum Flags : std::uint8_t { kOneCount = 1 };

// A count, the parts in columns, and of a wide sum its place, its head and its limbs.
static_assert(kMostPartialBytes >= 8 + SumColumns::kMostParts * sizeof(double) + 8 + 27 +
                                       ExactSum::kLimbs * sizeof(std::uint32_t));

}  // namespace

Partials::Partials(Reduction reduction, std::size_t size)
    : reduction_(reduction), size_(size), sums_(is_sum() ? size : 0) {
  const Partial nothing(reduction);
  if (nothing.has_products()) whole_.assign(size, nothing);
  if (nothing.is_extremum()) smallest_.assign(size, kInfinity);
}

Partials::Partials(Reduction reduction, std::int64_t count, SumColumns sums)
    : reduction_(reduction), size_(sums.size()), count_(count), sums_(std::move(sums)) {}

Partials::Partials(Reduction reduction, std::span<const Partial> partials)
    : Partials(reduction, partials.size()) {
  std::vector<std::int64_t> counts(size_);
  for (std::size_t i = 0; i < size_; ++i) counts[i] = put(i, partials[i]);
  count_each(counts);
}

template <class T>
Partials Partials::of_each(std::span<const T> values, Reduction reduction, std::optional<double> missing) {
  const bool are_sums = keeps_of(reduction) == Keeps::sum;
  if (are_sums && !missing && !std::is_same_v<T, std::int64_t>) {
    std::vector<double> numbers(values.begin(), values.end());
    if (are_small(numbers)) return Partials(reduction, 1, SumColumns(std::move(numbers)));
  }
  Partials each(reduction, values.size());
  std::vector<std::int64_t> counts(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::span<const T> value = values.subspan(i, 1);
    Partial partial(reduction);
    missing ? partial.add_present(value, *missing) : partial.add(value);
    counts[i] = each.put(i, partial);
  }
  each.count_each(counts);
  return each;
}

#define PILEUS_PARTIALS_OF_EACH(T) \
  template Partials Partials::of_each<T>(std::span<const T>, Reduction, std::optional<double>);
PILEUS_PARTIALS_OF_EACH(double)
PILEUS_PARTIALS_OF_EACH(float)
PILEUS_PARTIALS_OF_EACH(std::int8_t)
PILEUS_PARTIALS_OF_EACH(std::int32_t)
PILEUS_PARTIALS_OF_EACH(std::int64_t)
#undef PILEUS_PARTIALS_OF_EACH

Partials Partials::of_sums(Reduction reduction, std::int64_t count, SumColumns sums,
                           std::vector<WideSum> wide) {
  Partials partials(reduction, 0);
  partials.size_ = sums.size();
  partials.count_ = count;
  partials.sums_ = std::move(sums);
  partials.wide_ = std::move(wide);
  return partials;
}

Partials Partials::of_extrema(Reduction reduction, std::int64_t count, std::vector<double> smallest) {
  Partials partials(reduction, 0);
  partials.size_ = smallest.size();
  partials.count_ = count;
  partials.smallest_ = std::move(smallest);
  return partials;
}

bool Partials::has_whole_partials() const { return Partial(reduction_).has_products(); }

void Partials::count_each(std::span<const std::int64_t> counts) {
  counts_.clear();
  count_ = counts.empty() ? 0 : counts.front();
  const bool are_equal = std::ranges::all_of(counts, [&](std::int64_t count) { return count == count_; });
  if (!are_equal) counts_.assign(counts.begin(), counts.end());
}

std::int64_t Partials::count(std::size_t i) const {
  if (!whole_.empty()) return whole_[i].count();
  return counts_.empty() ? count_ : counts_[i];
}

std::optional<std::int64_t> Partials::common_count() const {
  if (!whole_.empty()) return std::nullopt;
  return counts_.empty() ? std::optional(count_) : std::nullopt;
}

bool Partials::is_of_nothing(std::size_t i) const {
  if (!whole_.empty()) return whole_[i].is_of_nothing();
  return count(i) == 0 && !declaration_of(reduction_).is_of_nothing_0;
}

/// Returns how many values it was made of. Order: by increasing element, each once.
std::int64_t Partials::put(std::size_t i, const Partial& partial) {
  detail::require(partial.reduction_ == reduction_, "partials: of different reductions");
  detail::require(i == 0 || partial.factor_ == factor_, "partials: of different factors");
  factor_ = partial.factor_;
  if (!whole_.empty()) {
    whole_[i] = partial;
  } else if (is_sum()) {
    if (!sums_.set(i, partial.sum_)) wide_.emplace_back(i, partial.sum_);
  } else if (!smallest_.empty()) {
    smallest_[i] = partial.smallest_;
  }
  return partial.count_;
}

ExactSum Partials::sum(std::size_t i) const {
  const auto found = std::ranges::lower_bound(wide_, i, {}, &WideSum::first);
  return found != wide_.end() && found->first == i ? found->second : sums_.sum(i);
}

Partial Partials::operator[](std::size_t i) const {
  if (!whole_.empty()) return whole_[i];
  Partial partial(reduction_);
  partial.factor_ = factor_;
  partial.count_ = count(i);
  if (is_sum()) {
    partial.sum_ = sum(i);
  } else if (!smallest_.empty()) {
    partial.smallest_ = smallest_[i];
  }
  return partial;
}

std::vector<Partial> Partials::each() const {
  std::vector<Partial> partials;
  partials.reserve(size_);
  for (std::size_t i = 0; i < size_; ++i) partials.push_back((*this)[i]);
  return partials;
}

void Partials::merge(const Partials& other) {
  detail::require(reduction_ == other.reduction_, "partial: merge of different reductions");
  detail::require(size_ == other.size_, "partials: merge of different sizes");
  detail::require(size_ == 0 || factor_ == other.factor_, "partial: merge of different factors");
  if (!whole_.empty()) {
    for (std::size_t i = 0; i < size_; ++i) whole_[i].merge(other.whole_[i]);
    return;
  }
  merge_counts(other);
  if (is_sum()) return merge_sums(other);
  for (std::size_t i = 0; i < smallest_.size(); ++i)
    smallest_[i] = detail::smaller(smallest_[i], other.smallest_[i]);
}

void Partials::merge_counts(const Partials& other) {
  if (counts_.empty() && other.counts_.empty()) {
    Partial::require_possible(count_ + other.count_);
    count_ += other.count_;
    return;
  }
  std::vector<std::int64_t> counts(size_);
  for (std::size_t i = 0; i < size_; ++i) {
    counts[i] = count(i) + other.count(i);
    Partial::require_possible(counts[i]);
  }
  count_each(counts);
}

void Partials::merge_sums(const Partials& other) {
  merge_wide(other.wide_);
  std::vector<double> addends;
  for (std::size_t p = 0; p < other.sums_.part_count(); ++p) {
    addends.assign(other.sums_.part(p).begin(), other.sums_.part(p).end());
    for (auto& [i, sum] : wide_) sum.add(std::exchange(addends[i], 0));
    merge_wide(sums_.add(addends));
  }
}

/// Adds to elements, which are wide from then on. REQUIRES: by increasing element, each once.
void Partials::merge_wide(const std::vector<WideSum>& more) {
  if (more.empty()) return;
  std::vector<WideSum> merged;
  merged.reserve(wide_.size() + more.size());
  auto ours = wide_.begin();
  for (const auto& [i, sum] : more) {
    while (ours != wide_.end() && ours->first < i) merged.push_back(std::move(*ours++));
    if (ours != wide_.end() && ours->first == i) {
      merged.push_back(std::move(*ours++));
    } else {
      merged.emplace_back(i, sums_.take(i));
    }
    merged.back().second.merge(sum);
  }
  std::move(ours, wide_.end(), std::back_inserter(merged));
  wide_ = std::move(merged);
}

Partials Partials::as(Reduction reduction) const {
  detail::require(reduction_ == Reduction::sum && reduction == Reduction::mean,
                  "partial: only a sum can be read as something else, and only as a mean");
  Partials result = *this;
  result.reduction_ = reduction;
  return result;
}

void Partials::multiply(double constant) {
  factor_.multiply(constant);
  for (Partial& partial : whole_) partial.multiply(constant);
}

void Partials::divide(double constant) {
  factor_.divide(constant);
  for (Partial& partial : whole_) partial.divide(constant);
}

std::vector<double> Partials::values(std::optional<double> missing) const {
  std::vector<double> values(size_);
  const std::optional<std::int64_t> count = common_count();
  const bool is_mean = reduction_ == Reduction::mean && count && *count > 0;
  const bool are_sums = (reduction_ == Reduction::sum || is_mean) && factor_.is_finite();
  if (!are_sums) {
    for (std::size_t i = 0; i < size_; ++i)
      values[i] = missing && is_of_nothing(i) ? *missing : (*this)[i].value();
    return values;
  }
  if (factor_.is_one() && !is_mean && sums_.part_count() <= 2) {
    // One rounding of two doubles is that of their exact sum; a zero is +0.
    for (std::size_t p = 0; p < sums_.part_count(); ++p)
      for (std::size_t i = 0; i < size_; ++i) values[i] += sums_.part(p)[i];
  } else {
    const ExactNumber counted = is_mean ? ExactNumber(*count) : ExactNumber(1);
    round_quotients(sums_, factor_.numerator(), factor_.denominator() * counted, values);
  }
  for (const WideSum& wide : wide_) values[wide.first] = (*this)[wide.first].value();
  return values;
}

// Bytes: reduction; second moments as they are. Else: flags, all counts or, for sums, the one of all; factor;
// then the smallest values of extrema, or the number of parts of sums, those, the number of wide sums, and
// those with their places.
void Partials::encode(std::vector<std::byte>& out) const {
  detail::put(out, static_cast<std::uint8_t>(reduction_));
  if (has_whole_partials()) {
    for (const Partial& partial : whole_) partial.encode(out);
    return;
  }
  const bool has_one_count = is_sum() && counts_.empty();
  detail::put(out, static_cast<std::uint8_t>(has_one_count ? kOneCount : 0));
  if (has_one_count) detail::put(out, static_cast<std::uint64_t>(count_));
  put_all(out, std::span<const std::int64_t>(counts_));
  for (std::size_t i = 0; !is_sum() && counts_.empty() && i < size_; ++i)
    detail::put(out, static_cast<std::uint64_t>(count_));
  factor_.encode(out);
  put_all(out, std::span<const double>(smallest_));
  if (!is_sum()) return;
  detail::put(out, static_cast<std::uint8_t>(sums_.part_count()));
  for (std::size_t p = 0; p < sums_.part_count(); ++p) put_all(out, sums_.part(p));
  detail::put(out, static_cast<std::uint64_t>(wide_.size()));
  for (const auto& [i, sum] : wide_) {
    detail::put(out, static_cast<std::uint64_t>(i));
    sum.encode(out);
  }
}

Partials Partials::decode(std::span<const std::byte>& in, std::size_t size) {
  const auto reduction = detail::take<std::uint8_t>(in);
  detail::require(is_known(static_cast<Reduction>(reduction)), "partial: unknown reduction");
  Partials partials(static_cast<Reduction>(reduction), 0);
  partials.size_ = size;
  if (!partials.has_whole_partials()) {
    partials.decode_columns(in);
    return partials;
  }
  for (std::size_t i = 0; i < size; ++i) {
    partials.whole_.push_back(Partial::decode(in));
    detail::require(partials.whole_.back().reduction() == partials.reduction_,
                    "partials: of different reductions");
    detail::require(partials.whole_.back().factor_ == partials.whole_.front().factor_,
                    "partials: of different factors");
  }
  if (size > 0) partials.factor_ = partials.whole_.front().factor_;
  return partials;
}

void Partials::decode_columns(std::span<const std::byte>& in) {
  const auto flags = detail::take<std::uint8_t>(in);
  detail::require(flags == 0 || (flags == kOneCount && is_sum()), "partials: unknown flags");
  if (flags == kOneCount) {
    count_ = static_cast<std::int64_t>(detail::take<std::uint64_t>(in));
  } else {
    count_each(take_all<std::int64_t>(in, size_));
  }
  Partial::require_possible(count_);
  std::ranges::for_each(counts_, Partial::require_possible);
  factor_ = ExactFactor::decode(in);
  if (is_sum()) return decode_sums(in);
  if (keeps_of(reduction_) != Keeps::count) smallest_ = take_all<double>(in, size_);
  require_valid_extrema();
}

void Partials::decode_sums(std::span<const std::byte>& in) {
  const auto parts = detail::take<std::uint8_t>(in);
  const bool is_none = parts == 0;
  detail::require(parts <= SumColumns::kMostParts && is_none == (size_ == 0),
                  "partials: a wrong number of parts");
  // The sums take memory only once their bytes are there.
  detail::require(is_none || size_ <= in.size() / sizeof(double) / parts,
                  "partials: the bytes end too early");
  sums_ = SumColumns(size_);
  sums_.set_parts(take_all<double>(in, parts * size_));
  const auto wide = detail::take<std::uint64_t>(in);
  for (std::uint64_t w = 0; w < wide; ++w) {
    const auto i = detail::take<std::uint64_t>(in);
    detail::require(i < size_ && (wide_.empty() || wide_.back().first < i), "partials: sums out of order");
    wide_.emplace_back(static_cast<std::size_t>(i), ExactSum::decode(in));
  }
  require_valid_sums();
}

/// Errors: std::invalid_argument where nothing has a value, or a value is none that encode writes.
void Partials::require_valid_extrema() const {
  const bool is_truth = Partial(reduction_).is_truth();
  for (std::size_t i = 0; i < smallest_.size(); ++i) {
    const double truth = declaration_of(reduction_).is_largest ? -smallest_[i] : smallest_[i];
    const auto bits = std::bit_cast<std::uint64_t>(smallest_[i]);
    detail::require(bits == std::bit_cast<std::uint64_t>(detail::with_one_nan(smallest_[i])),
                    "partial: a NaN with a payload");
    detail::require(count(i) > 0 || smallest_[i] == kInfinity, "partial: an extremum of nothing");
    detail::require(!is_truth || count(i) == 0 || truth == 0 || truth == 1,
                    "partial: a truth that is neither 0 nor 1");
  }
}

/// The same of sums, and where a sum is held twice.
void Partials::require_valid_sums() const {
  const auto is_zero = [&](std::size_t i) {
    for (std::size_t p = 0; p < sums_.part_count(); ++p)
      if (sums_.part(p)[i] != 0) return false;
    return true;
  };
  for (std::size_t p = 0; p < sums_.part_count(); ++p)
    detail::require(are_small(sums_.part(p)), "partials: a part that is too large");
  for (const auto& [i, sum] : wide_) detail::require(is_zero(i) && count(i) > 0, "partial: a sum of nothing");
  if (counts_.empty() && count_ > 0) return;
  for (std::size_t i = 0; i < size_; ++i)
    detail::require(count(i) > 0 || is_zero(i), "partial: a sum of nothing");
}

}  // namespace pileus
