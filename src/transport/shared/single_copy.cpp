#include "transport/shared/single_copy.h"

#include <sys/uio.h>
#include <unistd.h>

#include <exception>
#include <random>

namespace pileus {
namespace {

/// 0 without a source of random numbers.
std::uint64_t random_word() {
  try {
    std::random_device random;
    return std::uint64_t{random()} << 32 | random();
  } catch (const std::exception&) {
    return 0;
  }
}

}  // namespace

CopyProbe own_copy_probe() {
  static const std::uint64_t word = random_word();
  return {getpid(), reinterpret_cast<std::uintptr_t>(&word), word};
}

bool may_copy_from(const CopyProbe& other) {
  if (other.word == 0) return false;
  std::uint64_t found = 0;
  const iovec here = {&found, sizeof found};
  const iovec there = {reinterpret_cast<void*>(static_cast<std::uintptr_t>(other.place)), sizeof found};
  const ssize_t copied = process_vm_readv(static_cast<pid_t>(other.process), &here, 1, &there, 1, 0);
  return copied == static_cast<ssize_t>(sizeof found) && found == other.word;
}

}  // namespace pileus
