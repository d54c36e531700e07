#pragma once
// Numbers as texts, for names and messages.

#include <charconv>
#include <string>

namespace pileus {

/// The shortest text that is read as the same number.
inline std::string shortest(double number) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, number).ptr};
}

}  // namespace pileus
