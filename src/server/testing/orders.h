#pragma once
// How much of a test that repeats itself is run: PILEUS_SIMULATION_ORDERS asks for more (the long tests), or
// for less (with sanitizers).

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace pileus::testing {

inline constexpr int kUsualOrders = 28;

/// The number of orders of arrival in each layout.
inline int orders() {
  const char* text = std::getenv("PILEUS_SIMULATION_ORDERS");
  return text ? std::max(1, std::atoi(text)) : kUsualOrders;
}

/// The number of times for a test that usually does something `usual` times. It is never none.
inline std::uint64_t as_many_as_asked(int usual) {
  return static_cast<std::uint64_t>(std::max(1, usual * orders() / kUsualOrders));
}

/// The distance between the places of a test that usually does something at every one.
inline std::size_t stride() { return orders() < kUsualOrders ? 4 : 1; }

}  // namespace pileus::testing
