#pragma once
// Whether a process of this node may be copied from at once, past the kernel's buffers. MPI sends long
// messages within a node that way, where the system lets it: containers and hardened systems often do not.

#include <cstddef>
#include <cstdint>
#include <span>

namespace pileus {

/// A word that another process can look for in the memory of this one.
struct CopyProbe {
  std::int64_t process = 0;
  std::uint64_t place = 0;  ///< its address there
  /// Random, as process numbers mean other processes in other containers. 0: nobody finds it.
  std::uint64_t word = 0;
};

/// The probe of this process. The word stays where it is until the process ends.
CopyProbe own_copy_probe();

/// Whether this process may copy the word of the other, and finds it.
bool may_copy_from(const CopyProbe& other);

/// Fills `to` with what lies at an address of the other process, if that is still the one of the probe.
/// Returns whether it did.
bool copy_from(const CopyProbe& other, std::uint64_t place, std::span<std::byte> to);

}  // namespace pileus
