#pragma once
// A place on the Earth, and when two are one.

#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>

namespace pileus {

struct Place {
  double latitude, longitude;  ///< degrees
};

/// Within 2e-4 degrees: tools write radians, and models may have single precision.
inline bool is_same_place(const Place& a, const Place& b) {
  constexpr double kSame = 2e-4;
  const double across = std::remainder(a.longitude - b.longitude, 360.0);
  const double shrunk = std::cos(b.latitude * std::numbers::pi / 180) * across;
  return std::abs(a.latitude - b.latitude) <= kSame && std::abs(shrunk) <= kSame;
}

/// "latitude 51.5, longitude -0.1"
inline std::string text(const Place& place) {
  char text[64];
  std::snprintf(text, sizeof text, "latitude %.5g, longitude %.5g", place.latitude, place.longitude);
  return text;
}

}  // namespace pileus
