#include "report/process_memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>

namespace pileus {

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
  return memory;
}

std::int64_t memory_now_bytes() {
  std::ifstream counts("/proc/self/statm");
  std::int64_t all = 0, resident = 0;
  counts >> all >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

}  // namespace pileus
