#pragma once
// Decides which bytes are text.

#include <string_view>

namespace pileus {

/// The size of the character at the front of `text`, in bytes, if XML may hold it. It is 0 for bytes that are
/// not UTF-8, for control characters, and for the two code points that are no characters. REQUIRES: `text` is
/// not empty.
inline std::size_t character_size(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= 0x20 || first == '\t' || first == '\n' || first == '\r' ? 1 : 0;
  const std::size_t size = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
  if (size == 0 || size > text.size()) return 0;
  unsigned long code_point = first & (0xFFU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return 0;
    code_point = code_point << 6U | (byte(i) & 0x3FU);
  }
  const bool is_too_long = size == 3 ? code_point < 0x800 : size == 4 && code_point < 0x10000;
  const bool is_surrogate = code_point >= 0xD800 && code_point < 0xE000;
  const bool is_nothing = code_point == 0xFFFE || code_point == 0xFFFF || code_point > 0x10FFFF;
  return is_too_long || is_surrogate || is_nothing ? 0 : size;
}

}  // namespace pileus
