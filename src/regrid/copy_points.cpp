#include "regrid/copy_points.h"

#include <cstdint>

namespace pileus {

void copy_as_doubles(ElementType type, const std::byte* from, const PointPlaces& source, double* to,
                     const PointPlaces& target) {
  switch (type) {
    case ElementType::float64: return copy_points<double>(from, source, to, target);
    case ElementType::float32: return copy_points<float>(from, source, to, target);
    case ElementType::int32: return copy_points<std::int32_t>(from, source, to, target);
    case ElementType::int64: return copy_points<std::int64_t>(from, source, to, target);
    default: return copy_points<std::uint8_t>(from, source, to, target);
  }
}

void copy_as_they_are(ElementType type, const std::byte* from, const PointPlaces& source, std::byte* to,
                      const PointPlaces& target) {
  switch (size_bytes(type)) {
    case 8: return copy_points<std::uint64_t>(from, source, reinterpret_cast<std::uint64_t*>(to), target);
    case 4: return copy_points<std::uint32_t>(from, source, reinterpret_cast<std::uint32_t*>(to), target);
    default: return copy_points<std::uint8_t>(from, source, reinterpret_cast<std::uint8_t*>(to), target);
  }
}

}  // namespace pileus
