#include "distributions/keys.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "distributions/order_statistics.h"

namespace pileus::distributions {
namespace {

constexpr int kFractionBits = 52;
constexpr std::int64_t kFirstExponent = 1023 - 126;  // of the smallest single number
constexpr std::int64_t kFirst = kFirstExponent << kKeyBits;

/// The number whose first bits these are.
double number(std::int64_t bits) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(bits) << (kFractionBits - kKeyBits));
}

/// The first key with which as many numbers are counted as there are below a rank, and one more.
class Ranks {
 public:
  explicit Ranks(std::span<const double> counts) : counts_(counts) {}
  /// REQUIRES: ranks do not fall from one call to the next by more than nothing.
  double value_at(double rank) {
    while (before_ + counts_[static_cast<std::size_t>(key_)] <= rank)
      before_ += counts_[static_cast<std::size_t>(key_++)];
    return value_of_key(key_);
  }

 private:
  std::span<const double> counts_;
  std::int64_t key_ = 0;
  double before_ = 0;  ///< numbers with lower keys
};

}  // namespace

std::int64_t key_of(double value) {
  if (std::isnan(value)) return kKeys - 1;
  const auto magnitude =
      static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(std::fabs(value)) >> (kFractionBits - kKeyBits));
  const std::int64_t key = std::clamp<std::int64_t>(magnitude - kFirst + 1, 0, kPositiveKeys);
  return std::signbit(value) ? kPositiveKeys - key : kPositiveKeys + key;
}

double value_of_key(std::int64_t key) {
  if (key == kKeys - 1) return std::numeric_limits<double>::quiet_NaN();
  const std::int64_t away = std::abs(key - kPositiveKeys);
  if (away == 0) return 0;
  const double sign = key < kPositiveKeys ? -1 : 1;
  if (away == kPositiveKeys) return sign * std::numeric_limits<double>::infinity();
  return sign * (number(kFirst + away - 1) / 2 + number(kFirst + away) / 2);
}

bool find_quantiles_of_counts(std::span<const double> counts, std::span<const double> quantiles,
                              std::span<double> to) {
  double n = 0;
  for (const double one : counts) n += one;
  if (n == 0) return false;
  if (counts.back() > 0) {
    std::ranges::fill(to, std::numeric_limits<double>::quiet_NaN());
    return true;
  }
  for (std::size_t i = 0; i < quantiles.size(); ++i) {
    const Place place(static_cast<std::int64_t>(n), quantiles[i]);
    Ranks ranks(counts);
    const auto below = static_cast<double>(place.below);
    const double first = ranks.value_at(below);
    to[i] = on_line(first, below + 1 < n ? ranks.value_at(below + 1) : first, place.beyond);
  }
  return true;
}

}  // namespace pileus::distributions
