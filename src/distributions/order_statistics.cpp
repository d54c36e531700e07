#include "distributions/order_statistics.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "distributions/between.h"

namespace pileus::distributions {
namespace {

constexpr std::size_t kSampled = 4096, kSmall = 8 * kSampled, kBlock = 1024;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Two neighbours in the order of all values.
struct Neighbours {
  double first = 0, second = 0;
};

/// The values at `below` and behind it, of which the second is the first where there is no other.
Neighbours nth(std::span<double> values, std::int64_t below) {
  const auto at = values.begin() + below;
  std::nth_element(values.begin(), at, values.end());
  const bool is_last = at + 1 == values.end();
  return {*at, is_last ? *at : *std::min_element(at + 1, values.end())};
}

/// The values from one bound to another, both with them, and how many are below.
struct Between {
  Neighbours bounds;
  std::int64_t below = 0;
  std::size_t count = 0;
  std::vector<double> values;

  void add(std::span<const double> block, TakeBetween take) {
    if (values.size() < count + block.size()) values.resize(2 * (count + block.size()));
    take(block.data(), block.size(), bounds.first, bounds.second, values.data(), count, below);
  }
};

/// Some of the values, which tell about where the others are.
class Sample {
 public:
  explicit Sample(std::span<const double> values)
      : size_(static_cast<double>(values.size())), step_(values.size() / kSampled) {
    sorted_.reserve(kSampled);
    // At no regular distance, as fields may have a pattern.
    for (std::size_t i = 0; i < kSampled; ++i)
      sorted_.push_back(values[i * step_ + (i * 2654435761U >> 8) % step_]);
    std::ranges::sort(sorted_);
  }
  /// Bounds between which the value is, in all likelihood, and the one behind it.
  Between around(std::int64_t below) const {
    const double size = kSampled;
    const double share = static_cast<double>(below) / size_, at = share * size;
    const double spread = 3 * std::sqrt(size * std::max(share * (1 - share), 0.0)) + 2;
    const double low = std::floor(at - spread), high = std::ceil(at + spread);
    const double expected = 1.25 * (high - low) * static_cast<double>(step_);
    return {{low < 0 ? -kInfinity : sorted_[static_cast<std::size_t>(low)],
             high >= size ? kInfinity : sorted_[static_cast<std::size_t>(high)]},
            0,
            0,
            std::vector<double>(static_cast<std::size_t>(expected) + kBlock)};
  }

 private:
  double size_;
  std::size_t step_;
  std::vector<double> sorted_;
};

/// What is asked for, one after the other, in one pass over values that stay in the cache.
std::vector<Between> sorted_out(std::span<const double> values, std::span<const Place> places) {
  const Sample sample(values);
  std::vector<Between> found;
  for (const Place& place : places) found.push_back(sample.around(place.below));
  const TakeBetween take = best_take_between();
  for (std::size_t from = 0; from < values.size(); from += kBlock)
    for (Between& one : found) one.add(values.subspan(from, std::min(kBlock, values.size() - from)), take);
  return found;
}

}  // namespace

Place::Place(std::int64_t n, double quantile) {
  const double at = static_cast<double>(n - 1) * quantile;
  below = static_cast<std::int64_t>(at);
  beyond = at - static_cast<double>(below);
}

double on_line(double a, double b, double beyond) {
  if (a == b || beyond == 0) return a;
  const double difference = b - a;
  const double found = beyond >= 0.5 ? b - difference * (1 - beyond) : a + difference * beyond;
  return std::isnan(found) ? std::numeric_limits<double>::quiet_NaN() : found;
}

void find_quantiles(std::span<double> values, std::span<const double> quantiles, std::span<double> to) {
  const auto n = static_cast<std::int64_t>(values.size());
  std::vector<Place> places;
  for (const double one : quantiles) places.emplace_back(n, one);
  std::vector<Between> between;
  if (values.size() > kSmall) between = sorted_out(values, places);
  std::int64_t from = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::int64_t below = places[i].below;
    Neighbours found;
    const auto inside = between.empty() ? 0 : static_cast<std::int64_t>(between[i].count);
    const std::int64_t at = between.empty() ? 0 : below - between[i].below;
    const bool is_inside = inside > 0 && at >= 0 && (at + 1 < inside || (at + 1 == inside && below + 1 == n));
    if (is_inside) {
      found = nth({between[i].values.data(), static_cast<std::size_t>(inside)}, at);
    } else {
      found = nth(values.subspan(static_cast<std::size_t>(from)), below - from);
      from = below;  // what is before has its place
    }
    to[i] = on_line(found.first, found.second, places[i].beyond) + 0.0;
  }
}

double find_quantile(std::span<double> values, double quantile) {
  const Place place(static_cast<std::int64_t>(values.size()), quantile);
  const Neighbours found = nth(values, place.below);
  return on_line(found.first, found.second, place.beyond) + 0.0;
}

namespace {

/// How often each of a few numbers is there.
class Counts {
 public:
  /// False where there are too many different ones.
  bool add(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);  // 0 once
    std::size_t at = (bits * 0x9e3779b97f4a7c15U) >> (64 - kBits);
    while (times_[at] > 0 && values_[at] != value) at = (at + 1) % kSize;
    if (times_[at]++ > 0) return true;
    values_[at] = value + 0.0;
    return ++different_ <= kSize / 2;
  }
  double most_frequent() const {
    std::size_t most = 0;
    for (std::size_t i = 1; i < kSize; ++i) {
      const bool is_better =
          times_[i] > times_[most] || (times_[i] == times_[most] && values_[i] < values_[most]);
      if (is_better) most = i;
    }
    return values_[most];
  }

 private:
  static constexpr int kBits = 12;
  static constexpr std::size_t kSize = std::size_t{1} << kBits;
  std::vector<std::size_t> times_ = std::vector<std::size_t>(kSize);
  std::vector<double> values_ = std::vector<double>(kSize);
  std::size_t different_ = 0;
};

}  // namespace

double most_frequent(std::span<double> values) {
  if (values.size() > 64) {
    Counts counts;
    if (std::ranges::all_of(values, [&](double value) { return counts.add(value); }))
      return counts.most_frequent();
  }
  std::ranges::sort(values);
  double most = values.front();
  std::size_t times = 0;
  for (std::size_t first = 0; first < values.size();) {
    std::size_t end = first + 1;
    while (end < values.size() && values[end] == values[first]) ++end;
    if (end - first > times) most = values[first];
    times = std::max(times, end - first);
    first = end;
  }
  return most == 0 ? 0 : most;
}

}  // namespace pileus::distributions
