#pragma once
// Registers: how few of them the instructions of an equation need, so that all stay in the first cache.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "expression/program.h"

namespace pileus {

struct RegisterPlaces {
  std::vector<std::size_t> of;  ///< by instruction: the register, which others have before and after it
  std::size_t count = 0;
};

/// Constants and inputs keep their registers; results give theirs back after the last use.
RegisterPlaces places_of(const Program& program);

/// By instruction, how often its result is taken: 0, 1 or more.
std::vector<std::uint8_t> uses_of(const Program& program);

}  // namespace pileus
