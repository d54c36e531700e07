#include "math/rounded_quotients.h"

#include <array>
#include <cmath>
#include <optional>

#include "loops/column_loops.h"
#include "loops/pair.h"

namespace pileus {
namespace {

/// Within these products and their errors are doubles.
constexpr double kLeast = 0x1p-400, kMost = 0x1p400;

bool is_ordinary(double value) { return std::fabs(value) > kLeast && std::fabs(value) < kMost; }

/// The divisor of the sums, as two doubles.
struct Divisor {
  double high = 0, low = 0;
  bool is_exact = false;  ///< the two are all of it
};

std::optional<Divisor> divisor_of(const ExactNumber& numerator, const ExactNumber& denominator) {
  if (numerator.is_zero()) return std::nullopt;
  const double high = divide_rounded(denominator, numerator);
  if (!is_ordinary(high)) return std::nullopt;
  const ExactNumber rest = denominator - ExactNumber(high) * numerator;
  const double low = divide_rounded(rest, numerator);
  if (low != 0 && !is_ordinary(low)) return std::nullopt;
  return Divisor{high, low, (rest - ExactNumber(low) * numerator).is_zero()};
}

/// The same sum, but for its bits far below the first: the first is the sum rounded to nearest, or close to
/// it, the second its error.
std::array<double, SumColumns::kMostParts> renormalised(const SumColumns& sums, std::size_t i) {
  std::array<double, SumColumns::kMostParts> parts{};
  const std::size_t count = sums.part_count();
  for (std::size_t p = 0; p < count; ++p) parts[p] = sums.part(p)[i];
  for (int pass = 0; pass < 2; ++pass) {
    for (std::size_t p = count; p-- > 1;) {
      const WithError sum = two_sum(parts[p - 1], parts[p]);
      parts[p - 1] = sum.high;
      parts[p] = sum.error;
    }
  }
  return parts;
}

/// Tells whether (h + l) times the divisor is exactly the sum. Then h is correctly rounded, be it a tie.
bool is_exactly(const std::array<double, SumColumns::kMostParts>& parts, double h, double l,
                const Divisor& divisor) {
  ExactSum rest;
  for (const double part : parts) rest.add(part);
  for (const double factor : {h, l}) {
    for (const double by : {divisor.high, divisor.low}) {
      const WithError product = detail::exact_product(factor, by);
      rest.add(-product.high);
      rest.add(-product.error);
    }
  }
  return rest.is_zero();
}

/// For a quotient that two doubles cannot tell; nullopt where it is no tie either.
std::optional<double> exact_quotient(const std::array<double, SumColumns::kMostParts>& parts,
                                     const Divisor& divisor) {
  const double first = parts[0] / divisor.high;
  if (!divisor.is_exact || !is_ordinary(parts[0]) || !is_ordinary(first)) return std::nullopt;
  const WithError product = detail::exact_product(first, divisor.high);
  const double rest = ((parts[0] - product.high) - product.error) + (parts[1] - first * divisor.low);
  const WithError both = two_sum(first, rest / divisor.high);
  const bool may_be_exact = both.error == 0 || is_ordinary(both.error);
  return may_be_exact && is_exactly(parts, both.high, both.error, divisor) ? std::optional(both.high)
                                                                           : std::nullopt;
}

}  // namespace

void round_quotients(const SumColumns& sums, const ExactNumber& numerator, const ExactNumber& denominator,
                     std::span<double> out) {
  const std::optional<Divisor> divisor = divisor_of(numerator, denominator);
  if (divisor) {
    std::array<const double*, SumColumns::kMostParts> parts{};
    for (std::size_t p = 0; p < sums.part_count(); ++p) parts[p] = sums.part(p).data();
    detail::column_loops().divide(parts.data(), sums.part_count(), {divisor->high, divisor->low}, out.data(),
                                  out.size());
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (divisor && !std::isnan(out[i])) continue;
    const auto rounded = divisor ? exact_quotient(renormalised(sums, i), *divisor) : std::nullopt;
    out[i] = rounded ? *rounded : divide_rounded(ExactNumber(sums.sum(i)) * numerator, denominator);
  }
}

}  // namespace pileus
