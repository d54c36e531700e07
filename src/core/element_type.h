#pragma once
// The types of numbers that fields may have, in memory, on the wire and in files.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pileus {

enum class ElementType : std::uint8_t { float64, float32, int32, int64 };

constexpr std::size_t size_bytes(ElementType type) {
  return type == ElementType::float64 || type == ElementType::int64 ? 8 : 4;
}

/// The word of the configuration: "double", "float", "integer", "integer64".
constexpr std::string_view name(ElementType type) {
  switch (type) {
    case ElementType::float64: return "double";
    case ElementType::float32: return "float";
    case ElementType::int32: return "integer";
    case ElementType::int64: return "integer64";
  }
  return "?";
}

}  // namespace pileus
