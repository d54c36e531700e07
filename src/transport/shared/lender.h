#pragma once
// What this process may read of the memory of another one of its node, which lends arrays to it.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>

#include "transport/shared/loan.h"
#include "transport/shared/shared_memory.h"
#include "transport/shared/single_copy.h"

namespace pileus {

/// An array of a lender as this process gets at it.
struct LentBytes {
  const std::byte* here = nullptr;  ///< readable here; null: it is to be copied from the other process
  std::shared_ptr<const void> memory = nullptr;  ///< keeps it readable
  CopyProbe lender = {};
  std::uint64_t there = 0;  ///< its address in the other process

  /// Fills `to` with the array, whose size that has. Any thread. Errors: TransportError if the other process
  /// has gone, or may not be read any more.
  void copy(std::span<std::byte> to) const;
};

/// One thread makes all calls.
class Lender {
 public:
  /// Whether arrays can be read wherever they lie in it: in this very process, or copied from there.
  bool is_readable(const CopyProbe& probe);
  /// Opens memory in which arrays will lie. False where it may not be opened.
  bool open(const MemoryAddress& address);
  void close(std::uint64_t token) { memories_.erase(token); }

  /// Errors: TransportError if what `loan` says is nothing that this process may read.
  LentBytes bytes_of(const Loan& loan, std::size_t size_bytes) const;

 private:
  enum class Reach { nothing, copies, all };
  Reach reach_ = Reach::nothing;
  CopyProbe probe_;
  std::map<std::uint64_t, std::shared_ptr<const SharedMemory>> memories_;  ///< by token
};

}  // namespace pileus
