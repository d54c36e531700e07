#include "weights/gaussian_latitudes.h"

#include <cmath>
#include <numbers>

namespace pileus {
namespace {

constexpr int kMostSteps = 20;  ///< of Newton; four are enough for the first guess below

/// P_n and its derivative by the colatitude, at that colatitude.
struct Legendre {
  long double value, slope;
};

Legendre legendre(Index degree, long double colatitude) {
  const long double x = std::cos(colatitude);
  long double before = 1, value = x;
  for (Index n = 2; n <= degree; ++n) {
    const auto k = static_cast<long double>(n);
    const long double next = ((2 * k - 1) * x * value - (k - 1) * before) / k;
    before = value;
    value = next;
  }
  const auto k = static_cast<long double>(degree);
  return {value, k * (x * value - before) / std::sin(colatitude)};
}

}  // namespace

std::vector<double> gaussian_latitudes(Index number) {
  const Index degree = 2 * number;
  const auto n = static_cast<long double>(degree);
  std::vector<double> latitudes(static_cast<std::size_t>(degree));
  for (Index i = 0; i < number; ++i) {
    const long double pi = std::numbers::pi_v<long double>;
    long double colatitude = pi * (static_cast<long double>(i) + 0.75L) / (n + 0.5L);
    for (int step = 0; step < kMostSteps; ++step) {
      const Legendre at = legendre(degree, colatitude);
      const long double change = at.value / at.slope;
      colatitude -= change;
      if (std::fabs(change) < 1e-18L) break;
    }
    const auto latitude = static_cast<double>(90 - colatitude * 180 / pi);
    latitudes[static_cast<std::size_t>(i)] = latitude;
    latitudes[static_cast<std::size_t>(degree - 1 - i)] = -latitude;
  }
  return latitudes;
}

}  // namespace pileus
