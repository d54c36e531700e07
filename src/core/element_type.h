#pragma once
// The types of the elements that fields may have, in memory, on the wire and in files.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pileus {

enum class ElementType : std::uint8_t {
  float64,
  float32,
  int32,
  int64,
  boolean,   ///< a byte, 0 or 1; arithmetic takes it as that number
  character  ///< a byte of a text: strings are arrays whose fastest dimension is their length, zero-padded
};

/// Whether this is one of the types above; a number in a message comes from outside and may be anything.
constexpr bool is_known(ElementType type) { return type <= ElementType::character; }
/// Whether rules may compute with it.
constexpr bool is_number(ElementType type) { return type != ElementType::character; }

constexpr std::size_t size_bytes(ElementType type) {
  switch (type) {
    case ElementType::float64:
    case ElementType::int64: return 8;
    case ElementType::float32:
    case ElementType::int32: return 4;
    case ElementType::boolean:
    case ElementType::character: return 1;
  }
  return 0;
}

/// The word of the configuration: "double", "float", "integer", "integer64", "boolean", "string".
constexpr std::string_view name(ElementType type) {
  switch (type) {
    case ElementType::float64: return "double";
    case ElementType::float32: return "float";
    case ElementType::int32: return "integer";
    case ElementType::int64: return "integer64";
    case ElementType::boolean: return "boolean";
    case ElementType::character: return "string";
  }
  return "?";
}

}  // namespace pileus
