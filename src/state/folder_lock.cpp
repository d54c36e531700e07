#include "state/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/error.h"
#include "core/log.h"

namespace pileus {
namespace {

constexpr std::string_view kName = ".lock";

std::string owner_text(const std::string& run) {
  char host[256] = "";
  if (::gethostname(host, sizeof host - 1) != 0) std::strcpy(host, "a host without a name");
  return "run " + run + ", process " + std::to_string(::getpid()) + " on " + host;
}

/// The text that the owner of the lock wrote into the file.
std::string owner_in(int descriptor) {
  char text[512];
  const ssize_t length = ::pread(descriptor, text, sizeof text, 0);
  return length > 0 ? std::string(text, static_cast<std::size_t>(length)) : "another run";
}

}  // namespace

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void FolderLock::take(const CheckpointHome& home, const std::string& run) {
  const std::lock_guard guard(mutex_);
  if (descriptor_ >= 0) return;
  const std::filesystem::path folder = home.folder(), path = folder / kName;
  std::error_code problem;
  // That of the run is there, or has gone: then it is not made anew.
  if (!home.component.empty()) std::filesystem::create_directory(folder.parent_path(), problem);
  std::filesystem::create_directory(folder, problem);
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0)
    throw UsageError(path.string() + ": could not open it: " + std::generic_category().message(errno));
  while (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno == EWOULDBLOCK) {
      const std::string owner = owner_in(descriptor);
      ::close(descriptor);
      throw UsageError(owner + " is still alive and has the checkpoints in " + folder.string() +
                       ": wait for its end, end it, or write to another directory");
    }
    log::warning(path.string() + ": the file system knows no locks (" +
                 std::generic_category().message(errno) +
                 "); take care that no two runs that are alive keep their checkpoints in one directory");
    break;
  }
  descriptor_ = descriptor;
  const std::string text = owner_text(run);
  const bool is_written = ::ftruncate(descriptor, 0) == 0 &&
                          ::pwrite(descriptor, text.data(), text.size(), 0) == std::ssize(text);
  if (!is_written) log::debug(path.string() + ": could not say in it whose it is");
}

}  // namespace pileus
