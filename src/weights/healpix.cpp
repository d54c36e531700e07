#include "weights/healpix.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

namespace pileus {
namespace {

/// Of each of the 12 base cells: the ring of its south corner, and its longitude in 45 degrees.
constexpr std::array<Index, 12> kSouthRing = {2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4};
constexpr std::array<Index, 12> kLongitude = {1, 3, 5, 7, 0, 2, 4, 6, 1, 3, 5, 7};

/// A cell by its base cell, and its place along the sides of that: to the north-east and to the north-west.
struct BaseCell {
  Index face, x, y;
};

struct Degrees {
  double latitude, longitude;
};

/// The largest whole number whose square is not larger.
Index whole_root(Index square) {
  auto root = static_cast<Index>(std::sqrt(static_cast<long double>(square)));
  while (root * root > square) --root;
  while ((root + 1) * (root + 1) <= square) ++root;
  return root;
}

/// A point on its ring, in a cap or between both.
struct OnRing {
  Index ring;    ///< from the north, from 1
  Index number;  ///< on the ring, from 1
  Index length;  ///< a quarter of the points on the ring
  Index shift;   ///< 1: the ring begins at longitude 0
  Index face;
};

OnRing on_ring(Index n, Index cell) {
  const Index cap = 2 * n * (n - 1), all = 12 * n * n;
  if (cell < cap) {
    const Index ring = (1 + whole_root(1 + 2 * cell)) / 2, number = cell + 1 - 2 * ring * (ring - 1);
    return {ring, number, ring, 0, (number - 1) / ring};
  }
  if (cell < all - cap) {
    const Index row = (cell - cap) / (4 * n), number = (cell - cap) % (4 * n) + 1;
    const Index down = (number - (row + 1) / 2 + n - 1) / n,
                up = (number - (2 * n + 1 - row) / 2 + n - 1) / n;
    const Index face = up == down ? up % 4 + 4 : up < down ? up : down + 8;
    return {row + n, number, n, row % 2, face};
  }
  const Index left = all - cell, ring = (1 + whole_root(2 * left - 1)) / 2;
  const Index number = 4 * ring + 1 - (left - 2 * ring * (ring - 1));
  return {4 * n - ring, number, ring, 0, 8 + (number - 1) / ring};
}

BaseCell of_ring_order(Index n, Index cell) {
  const OnRing at = on_ring(n, cell);
  const auto face = static_cast<std::size_t>(at.face);
  const Index down = at.ring - kSouthRing[face] * n + 1;
  Index across = 2 * at.number - kLongitude[face] * at.length - at.shift - 1;
  if (across >= 2 * n) across -= 8 * n;
  return {at.face, (across - down) / 2, (-across - down) / 2};
}

/// Every second bit of the number is one of x, the others are those of y.
BaseCell of_nested_order(Index n, Index cell) {
  BaseCell base{cell / (n * n), 0, 0};
  const Index within = cell % (n * n);
  for (int bit = 0; (Index{1} << bit) < n; ++bit) {
    base.x |= (within >> (2 * bit) & 1) << bit;
    base.y |= (within >> (2 * bit + 1) & 1) << bit;
  }
  return base;
}

/// A point of a base cell; `x` and `y` in halves of a cell. On a pole it has the longitude `at_pole`.
Degrees degrees_of(Index n, Index face, Index x, Index y, double at_pole) {
  const Index side = 2 * n, down = kSouthRing[static_cast<std::size_t>(face)] * side - x - y;
  const Index length = std::min({down, side, 4 * side - down});
  const auto of_side = [&](Index part) {
    return static_cast<long double>(part) / static_cast<long double>(side);
  };
  constexpr long double kDegree = 180 / std::numbers::pi_v<long double>;
  long double latitude = 0;
  if (length < side) {  // in a cap, by the distance from its pole
    const long double from_pole = 2 * std::asin(of_side(length) / std::sqrt(6.0L)) * kDegree;
    latitude = down < side ? 90 - from_pole : from_pole - 90;
  } else {
    latitude = std::asin((2 - of_side(down)) * 2 / 3) * kDegree;
  }
  if (length == 0) return {static_cast<double>(latitude), at_pole};
  Index across = kLongitude[static_cast<std::size_t>(face)] * length + x - y;
  if (across < 0) across += 8 * length;
  return {static_cast<double>(latitude),
          static_cast<double>(45 * static_cast<long double>(across) / static_cast<long double>(length))};
}

/// Bounds lie near their centre, also where the longitude begins again.
double beside(double longitude, double centre) {
  if (longitude > centre + 180) return longitude - 360;
  return longitude < centre - 180 ? longitude + 360 : longitude;
}

}  // namespace

std::shared_ptr<const PlacesOfCells> healpix_places(Index n, bool is_nested) {
  PlacesOfCells places;
  places.grid = "hp" + std::to_string(n) + (is_nested ? "_nest" : "");
  places.identity = places.grid;
  places.latitude = "lat";
  places.longitude = "lon";
  places.corners = 4;
  if (is_nested) {
    places.nested_nside = n;
    places.coarser = [](Index nside) { return healpix_places(nside, true); };
  }
  places.read = [n, is_nested](CellPart part, Index first, Index count) {
    constexpr std::array<std::array<Index, 2>, 4> kCorners = {{{2, 2}, {0, 2}, {0, 0}, {2, 0}}};
    const bool is_latitude = part == CellPart::latitude || part == CellPart::latitude_bounds;
    const bool is_centre = part == CellPart::latitude || part == CellPart::longitude;
    std::vector<double> values;
    for (Index cell = first; cell < first + count; ++cell) {
      const BaseCell base = is_nested ? of_nested_order(n, cell) : of_ring_order(n, cell);
      const Degrees centre = degrees_of(n, base.face, 2 * base.x + 1, 2 * base.y + 1, 0);
      if (is_centre) values.push_back(is_latitude ? centre.latitude : centre.longitude);
      if (is_centre) continue;
      for (const auto& [x, y] : kCorners) {
        const Degrees corner = degrees_of(n, base.face, 2 * base.x + x, 2 * base.y + y, centre.longitude);
        values.push_back(is_latitude ? corner.latitude : beside(corner.longitude, centre.longitude));
      }
    }
    return values;
  };
  return std::make_shared<const PlacesOfCells>(std::move(places));
}

}  // namespace pileus
