#pragma once
// Whether model ranks hand over, in place of a field, what is made of it. The values are words of the
// configuration, and stand in the Plan.

#include <cstdint>
#include <string_view>

namespace pileus {

enum class Pushdown : std::uint8_t {
  automatic,  ///< some of its elements to any server, sums and the like to servers of other nodes
  yes,        ///< wherever that is far fewer bytes
  no
};

/// REQUIRES: one of the words.
constexpr Pushdown pushdown(std::string_view word) {
  return word == "yes" ? Pushdown::yes : word == "no" ? Pushdown::no : Pushdown::automatic;
}

}  // namespace pileus
