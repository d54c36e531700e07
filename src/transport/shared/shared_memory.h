#pragma once
// Memory that two processes of one node share. It has no name anywhere: when the last process that has it is
// gone, however it ended, nothing is left.

#include <cstddef>
#include <cstdint>
#include <span>

namespace pileus {

/// The address by which another process of the node finds the memory.
struct MemoryAddress {
  std::int64_t process = 0;
  std::int32_t descriptor = -1;
  std::uint64_t size_bytes = 0;
  std::uint64_t token = 0;  ///< random: process numbers mean other processes in other containers
};

class SharedMemory {
 public:
  /// New memory, all zero. Pages that are never touched cost nothing.
  /// Errors: TransportError where the system gives none, or no file may be as long.
  explicit SharedMemory(std::size_t size_bytes);
  enum class Use { reading, writing };
  /// The memory of another process.
  /// Errors: TransportError if there is none at that address, or it may not be opened.
  explicit SharedMemory(const MemoryAddress& address, Use use = Use::writing);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  std::span<std::byte> bytes() const { return {first_, size_}; }
  MemoryAddress address() const;
  /// Nobody finds it any more. Whoever has it keeps it.
  void close();

 private:
  void map(Use use);

  int descriptor_ = -1;
  std::byte* first_ = nullptr;
  std::size_t size_ = 0;
  std::uint64_t token_ = 0;
};

}  // namespace pileus
