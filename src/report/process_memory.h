#pragma once
// How much memory this process takes, as the operating system sees it.

#include <cstdint>

namespace pileus {

/// Pages that are there, those of libraries and of memory shared with other processes too.
struct ProcessMemory {
  std::int64_t now_bytes = 0;
  std::int64_t most_bytes = 0;  ///< since this program was started
};

/// What the system does not say is 0.
ProcessMemory process_memory();
/// now_bytes alone, for less.
std::int64_t memory_now_bytes();

}  // namespace pileus
