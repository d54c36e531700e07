#pragma once
// An array of one process that another one of its node may read where it lies, until the first wants it back.
// The word that says who has it lies in a message that both read and write in place. Neither ever waits for
// the other to claim it: what is not claimed is taken back.

#include <atomic>
#include <cstdint>

namespace pileus {

struct Loan {
  enum State : std::uint32_t {
    none,
    offered,             ///< to the borrower
    copying,             ///< offered still, while the lender copies it into the message
    taken_back,          ///< it lies in the message, and the borrower reads it there
    read,                ///< by the borrower where it lies
    read_while_copying,  ///< the same, and the lender's copy is not needed
    over                 ///< the borrower is done
  };
  std::atomic<std::uint32_t> state = none;
  std::uint32_t unused = 0;
  std::uint64_t address = 0;  ///< of the array in its process
  std::uint64_t memory = 0;   ///< the token of the ModelMemory that it lies in; 0: none
  std::uint64_t offset = 0;   ///< there

  /// The lender's: the first part of taking it back, before the copy. False if it was claimed.
  bool begin_taking_back() noexcept { return change(offered, copying); }
  /// The second part. False if it was claimed meanwhile.
  bool end_taking_back() noexcept { return change(copying, taken_back); }
  /// Whether the array is the lender's alone.
  bool is_settled() const noexcept {
    const std::uint32_t now = state.load(std::memory_order_acquire);
    return now == over || now == taken_back;
  }

  /// The borrower's: what has become of it. After read or read_while_copying give_back() must follow; what is
  /// neither of these nor taken_back is no loan.
  State claim() noexcept {
    if (change(offered, read)) return read;
    if (change(copying, read_while_copying)) return read_while_copying;
    return state.load(std::memory_order_acquire) == taken_back ? taken_back : none;
  }
  void give_back() noexcept { state.store(over, std::memory_order_release); }

 private:
  bool change(std::uint32_t from, std::uint32_t to) noexcept {
    return state.compare_exchange_strong(from, to, std::memory_order_acq_rel);
  }
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free, "two processes share it");

}  // namespace pileus
