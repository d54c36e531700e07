#pragma once
// How much of a test that repeats itself is run: PILEUS_SIMULATION_ORDERS asks for more (the long tests), or
// for less (with sanitizers).

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "core/ids.h"

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

struct RanksAndServers {
  ClientRank ranks = 1;
  ServerRank servers = 1;
};

/// In the last two, ranks of the small model hold nothing of its plane, and trees of servers have levels.
/// They are so many that what depends on a seed modulo 2 or 4 meets each of them.
inline const std::vector<RanksAndServers>& layouts_to_try() {
  static const std::vector<RanksAndServers> layouts = [] {
    std::vector<RanksAndServers> all;
    for (ClientRank ranks = 1; ranks <= 6; ++ranks) {
      for (ServerRank servers = 1; servers <= 3; ++servers) all.push_back({ranks, servers});
    }
    all.push_back({7, 4});
    all.push_back({13, 7});
    all.push_back({19, 12});
    return all;
  }();
  return layouts;
}

/// One of these, most often a small one.
inline RanksAndServers layout_to_try(std::uint64_t number) {
  return layouts_to_try()[number % layouts_to_try().size()];
}

}  // namespace pileus::testing
