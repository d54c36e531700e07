#include "joint/run/turn.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "core/error.h"
#include "core/log.h"

namespace pileus {

Turn::Turn(const CheckpointHome& home) {
  std::error_code problem;
  std::filesystem::create_directories(home.folder(), problem);
  const std::string path = (home.folder() / ".turn").string();
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0)
    throw UsageError(path + ": could not open it: " + std::generic_category().message(errno));
  while (::flock(descriptor_, LOCK_EX) != 0) {
    if (errno == EINTR) continue;
    log::warning(path + ": the file system knows no locks (" + std::generic_category().message(errno) +
                 "); take care that no two processes make component " + home.component + " at once");
    return;
  }
}

Turn::~Turn() { ::close(descriptor_); }

}  // namespace pileus
