#pragma once
// Copies elements of points between arrays that lie in different ways, some points at a time, so that both
// sides stay in the cache.

#include <cstring>
#include <span>

#include "core/element_type.h"
#include "core/extents.h"

namespace pileus {

/// So many points are copied together.
inline constexpr std::size_t kPointsAtOnce = 64;

/// Where the elements of some points lie: that of point i and place l at points[i] + others[l], in elements.
struct PointPlaces {
  std::span<const Index> points, others;
};

/// Whether each lies right behind the one before.
inline bool are_together(std::span<const Index> points) {
  for (std::size_t i = 1; i < points.size(); ++i)
    if (points[i] != points[i - 1] + 1) return false;
  return true;
}

/// Neither side need be aligned. REQUIRES: as many points and others on both sides.
template <class From, class To>
void copy_points(const std::byte* from, const PointPlaces& source, To* to, const PointPlaces& target) {
  const bool is_run = !source.points.empty() && are_together(source.points) && are_together(target.points);
  for (std::size_t l = 0; l < source.others.size(); ++l) {
    const std::byte* const first = from + source.others[l] * static_cast<Index>(sizeof(From));
    std::byte* const out =
        reinterpret_cast<std::byte*>(to) + target.others[l] * static_cast<Index>(sizeof(To));
    if (is_run) {
      const std::byte* const run = first + source.points[0] * static_cast<Index>(sizeof(From));
      std::byte* const out_run = out + target.points[0] * static_cast<Index>(sizeof(To));
      for (std::size_t i = 0; i < source.points.size(); ++i) {
        From value;
        std::memcpy(&value, run + i * sizeof(From), sizeof value);
        const To copy = static_cast<To>(value);
        std::memcpy(out_run + i * sizeof(To), &copy, sizeof copy);
      }
      continue;
    }
    for (std::size_t i = 0; i < source.points.size(); ++i) {
      From value;
      std::memcpy(&value, first + source.points[i] * static_cast<Index>(sizeof(From)), sizeof value);
      const To copy = static_cast<To>(value);
      std::memcpy(out + target.points[i] * static_cast<Index>(sizeof(To)), &copy, sizeof copy);
    }
  }
}

/// As doubles. REQUIRES: numbers.
void copy_as_doubles(ElementType type, const std::byte* from, const PointPlaces& source, double* to,
                     const PointPlaces& target);
/// As they are; `to` has elements of the same size.
void copy_as_they_are(ElementType type, const std::byte* from, const PointPlaces& source, std::byte* to,
                      const PointPlaces& target);

}  // namespace pileus
