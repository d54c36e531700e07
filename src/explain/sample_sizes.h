#pragma once
// The size of a value in a message between servers.

#include <cstdint>

#include "plan/plan.h"

namespace pileus::explain {

struct Bounds {
  std::uint64_t least = 0, most = 0;
  Bounds& operator+=(const Bounds& other) {
    least += other.least;
    most += other.most;
    return *this;
  }
};

/// The size of a contribution to a communication, or of what a broadcast sends: numbers or Partials.
Bounds sample_bytes(const Plan& plan, const Rule& sends);

}  // namespace pileus::explain
