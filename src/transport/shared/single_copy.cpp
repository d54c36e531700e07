#include "transport/shared/single_copy.h"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <random>

namespace pileus {
namespace {

/// One call of the system copies less than 2 GiB.
constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;

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

bool may_copy_from(const CopyProbe& other) { return copy_from(other, 0, {}); }

bool copy_from(const CopyProbe& other, std::uint64_t place, std::span<std::byte> to) {
  if (other.word == 0) return false;
  const auto at = [](std::uint64_t address) { return reinterpret_cast<void*>(std::uintptr_t{address}); };
  std::uint64_t found = 0;
  for (std::size_t copied = 0;;) {
    const std::span<std::byte> rest = to.subspan(copied, std::min(to.size() - copied, kMostAtOnce));
    const iovec here[] = {{rest.data(), rest.size()}, {&found, sizeof found}};
    const iovec there[] = {{at(place + copied), rest.size()}, {at(other.place), sizeof found}};
    const ssize_t got = process_vm_readv(static_cast<pid_t>(other.process), here, 2, there, 2, 0);
    if (got != static_cast<ssize_t>(rest.size() + sizeof found) || found != other.word) return false;
    copied += rest.size();
    if (copied == to.size()) return true;
  }
}

}  // namespace pileus
