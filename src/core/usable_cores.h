#pragma once
// The cores that the operating system lets this process use.

#include <cstdint>
#include <vector>

namespace pileus {

struct CoreSet {
  std::int64_t identity = 0;  ///< equal for equal sets of cores on one node
  std::int64_t count = 1;
  std::vector<std::int64_t> numbers = {};  ///< of the system, rising; none if the system does not say
};

/// The cores of this process. If the system does not say, these are all cores of the machine.
CoreSet usable_cores();

}  // namespace pileus
