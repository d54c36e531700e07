#include "report/process_memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <sstream>
#include <string>

namespace pileus {
namespace {

/// The system counts pages by processor: what it says has been most may be a little less than what it said
/// there were.
std::int64_t most_with(std::int64_t bytes) {
  static std::atomic<std::int64_t> most = 0;
  std::int64_t known = most;
  while (known < bytes && !most.compare_exchange_weak(known, bytes)) {
  }
  return std::max(known, bytes);
}

}  // namespace

/// getrusage() would be the wrong one to ask: its peak includes that of the launcher before it.
ProcessMemory process_memory() {
  ProcessMemory memory;
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    std::istringstream words(line);
    std::string name;
    std::int64_t kib = 0;
    words >> name >> kib;
    if (name == "VmRSS:") memory.now_bytes = 1024 * kib;
    if (name == "VmHWM:") memory.most_bytes = 1024 * kib;
  }
  rusage usage{};
  if (memory.most_bytes == 0 && getrusage(RUSAGE_SELF, &usage) == 0)
    memory.most_bytes = 1024 * usage.ru_maxrss;
  memory.most_bytes = most_with(std::max(memory.most_bytes, memory.now_bytes));
  return memory;
}

std::int64_t memory_now_bytes() {
  std::ifstream counts("/proc/self/statm");
  std::int64_t all = 0, resident = 0;
  counts >> all >> resident;
  const std::int64_t bytes = resident * sysconf(_SC_PAGESIZE);
  most_with(bytes);
  return bytes;
}

}  // namespace pileus
