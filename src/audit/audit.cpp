#include "audit/audit.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pileus {
namespace {

/// So many are added up together, and then the sums of these: the error of a sum grows with their number.
constexpr std::size_t kTogether = 512;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// f(i) for each element, added up.
template <class F>
double sum_of(std::size_t size, const F& f) {
  double sum = 0;
  for (std::size_t first = 0; first < size; first += kTogether) {
    double part = 0;
    for (std::size_t i = first; i < std::min(size, first + kTogether); ++i) part += f(i);
    sum += part;
  }
  return sum;
}

/// Those that have a number on both sides.
struct Numbers {
  std::vector<double> before, error;
  double largest = 0;
};

template <class Number>
Numbers numbers_of(std::span<const double> before, std::span<const std::byte> after) {
  const auto* const in_file = reinterpret_cast<const Number*>(after.data());
  Numbers out;
  out.before.reserve(before.size());
  out.error.reserve(before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (!std::isfinite(before[i])) continue;
    const double error = static_cast<double>(in_file[i]) - before[i];
    out.largest = std::max(out.largest, std::abs(error));
    if (!std::isfinite(error)) continue;  // too large for the file's type
    out.before.push_back(before[i]);
    out.error.push_back(error);
  }
  return out;
}

}  // namespace

Audit audit_of(std::span<const double> before, std::span<const std::byte> after, ElementType type) {
  const Numbers all =
      type == ElementType::float32 ? numbers_of<float>(before, after) : numbers_of<double>(before, after);
  const std::size_t size = all.before.size();
  Audit out;
  out.count = static_cast<std::int64_t>(size);
  out.largest = all.largest;
  if (size == 0) return out;
  const auto count = static_cast<double>(size);
  const auto deviation = [&](std::size_t i) { return all.before[i] - out.mean; };
  out.mean = sum_of(size, [&](std::size_t i) { return all.before[i]; }) / count;
  out.mean_error = sum_of(size, [&](std::size_t i) { return all.error[i]; }) / count;
  out.squares = sum_of(size, [&](std::size_t i) { return all.error[i] * all.error[i]; });
  out.deviations = sum_of(size, [&](std::size_t i) { return deviation(i) * deviation(i); });
  out.products = sum_of(size, [&](std::size_t i) { return deviation(i) * (all.error[i] - out.mean_error); });
  return out;
}

/// Source: Chan, Golub & LeVeque (1979), Updating formulae and a pairwise algorithm for computing sample
/// variances.
Audit& Audit::operator+=(const Audit& other) {
  largest = std::max(largest, other.largest);
  if (other.count == 0) return *this;
  if (count == 0) {
    const double most = largest;
    *this = other;
    largest = most;
    return *this;
  }
  const auto a = static_cast<double>(count), b = static_cast<double>(other.count);
  const double weight = a * (b / (a + b));
  const double apart = other.mean - mean, errors_apart = other.mean_error - mean_error;
  deviations = deviations + other.deviations + apart * apart * weight;
  products = products + other.products + apart * errors_apart * weight;
  squares += other.squares;
  mean += apart * (b / (a + b));
  mean_error += errors_apart * (b / (a + b));
  count += other.count;
  return *this;
}

double rms_error(const Audit& audit) {
  return audit.count == 0 ? kNone : std::sqrt(audit.squares / static_cast<double>(audit.count));
}

/// The variance of a sum is that of both, and twice their covariance.
double variance_loss(const Audit& audit) {
  const double of_errors =
      audit.squares - static_cast<double>(audit.count) * (audit.mean_error * audit.mean_error);
  const double lost = -(2 * audit.products + std::max(0.0, of_errors));
  if (audit.count == 0 || (audit.deviations == 0 && lost != 0)) return kNone;
  return audit.deviations == 0 ? 0.0 : lost / audit.deviations + 0.0;  // no -0
}

double largest_error(const Audit& audit) {
  return audit.count == 0 && audit.largest == 0 ? kNone : audit.largest;
}

void put(Encoder& out, const Audit& audit) {
  out.put(audit.count);
  for (const double one :
       {audit.largest, audit.squares, audit.mean, audit.mean_error, audit.deviations, audit.products})
    out.put(one);
}

Audit get_audit(Decoder& in) {
  Audit audit;
  audit.count = in.get<std::int64_t>();
  for (double* const one :
       {&audit.largest, &audit.squares, &audit.mean, &audit.mean_error, &audit.deviations, &audit.products})
    *one = in.get<double>();
  return audit;
}

}  // namespace pileus
