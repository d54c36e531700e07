#pragma once

// Little-endian bytes of the exact types: what `encode` writes and `decode` reads back.
// Used inside this room only. Reading checks the length and never trusts a byte.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "loops/one_nan.h"

namespace pileus::detail {

template <std::unsigned_integral T>
void put(std::vector<std::byte>& out, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    out.push_back(static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * i)));
  }
}

/// Takes one integer from the front of `in`.
/// Errors: std::invalid_argument if `in` is too short.
template <std::unsigned_integral T>
T take(std::span<const std::byte>& in) {
  if (in.size() < sizeof(T)) throw std::invalid_argument("exact value: the bytes end too early");
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) value |= std::to_integer<std::uint64_t>(in[i]) << (8 * i);
  in = in.subspan(sizeof(T));
  return static_cast<T>(value);
}

/// Errors: std::invalid_argument with `message` unless `is_valid`.
inline void require(bool is_valid, const char* message) {
  if (!is_valid) throw std::invalid_argument(message);
}

}  // namespace pileus::detail
