#include "transport/shared/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/error.h"

namespace pileus {
namespace {

constexpr std::size_t kShareOfAddresses = 8;

[[noreturn]] void complain(const std::string& what) {
  throw TransportError(what + ": " + std::system_category().message(errno));
}

std::uint64_t new_token() {
  std::random_device random;
  return std::uint64_t{random()} << 32 | random();
}

std::string name_of(std::uint64_t token) { return "pileus-" + std::to_string(token); }

bool is_above(int resource, std::size_t size_bytes) {
  rlimit limit;
  return getrlimit(static_cast<__rlimit_resource_t>(resource), &limit) == 0 && limit.rlim_cur < size_bytes;
}

/// Whether the system gives no page that it has not promised. It promises none of this memory, so a page that
/// is missing later would end the process by a signal.
bool is_commitment_strict() {
  int mode = 0;
  std::ifstream("/proc/sys/vm/overcommit_memory") >> mode;
  return mode == 2;
}

/// A file longer than its limit would end the process by a signal. Of the addresses that a limit leaves most
/// are for the model.
void require_permitted(std::size_t size_bytes) {
  if (is_above(RLIMIT_FSIZE, size_bytes))
    throw TransportError("memory to share with another process is longer than a file may be here");
  if (is_above(RLIMIT_AS, kShareOfAddresses * size_bytes))
    throw TransportError("memory to share with another process takes too many of the addresses allowed");
  if (is_commitment_strict())
    throw TransportError("memory to share with another process is not safe where vm.overcommit_memory is 2");
}

}  // namespace

SharedMemory::SharedMemory(std::size_t size_bytes) : size_(size_bytes), token_(new_token()) {
  require_permitted(size_bytes);
  descriptor_ = memfd_create(name_of(token_).c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor_ < 0) complain("memory to share with another process cannot be made");
  const bool has_size = ftruncate(descriptor_, static_cast<off_t>(size_)) == 0;
  // Whoever opens it can rely on its size: a page that is not there any more would end the process.
  if (!has_size || fcntl(descriptor_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    ::close(descriptor_);
    complain("memory to share with another process cannot be made");
  }
  map(Use::writing);
}

SharedMemory::SharedMemory(const MemoryAddress& address, Use use)
    : size_(address.size_bytes), token_(address.token) {
  const std::string path =
      "/proc/" + std::to_string(address.process) + "/fd/" + std::to_string(address.descriptor);
  // Another process may have the number by now, or it may be seen under another one from here: what is opened
  // must be memory that cannot change its size, and nothing that waits when it is opened.
  char target[64];
  const ssize_t length = readlink(path.c_str(), target, sizeof target);
  if (length < 0) complain(path);
  const std::string expected = "/memfd:" + name_of(token_) + " ";  // and that it has no name in any folder
  if (!std::string_view(target, static_cast<std::size_t>(length)).starts_with(expected))
    throw TransportError(path + ": not the memory of a process of this run");
  descriptor_ = open(path.c_str(), (use == Use::reading ? O_RDONLY : O_RDWR) | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0) complain(path);
  struct stat found;
  const int seals = fcntl(descriptor_, F_GET_SEALS);
  const bool is_it = fstat(descriptor_, &found) == 0 && seals >= 0 && (seals & F_SEAL_SHRINK) != 0 &&
                     static_cast<std::uint64_t>(found.st_size) == address.size_bytes;
  if (!is_it) {
    ::close(descriptor_);
    throw TransportError(path + ": not the memory of a process of this run");
  }
  map(use);
}

SharedMemory::~SharedMemory() {
  if (first_ != nullptr) munmap(first_, size_);
  close();
}

MemoryAddress SharedMemory::address() const { return {getpid(), descriptor_, size_, token_}; }

void SharedMemory::close() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

void SharedMemory::map(Use use) {
  const int access = use == Use::reading ? PROT_READ : PROT_READ | PROT_WRITE;
  void* const place = mmap(nullptr, size_, access, MAP_SHARED, descriptor_, 0);
  if (place == MAP_FAILED) {
    close();
    complain("memory to share with another process cannot be mapped");
  }
  first_ = static_cast<std::byte*>(place);
}

}  // namespace pileus
