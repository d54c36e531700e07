#include "joint/run/turn.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <thread>

#include "core/error.h"
#include "core/log.h"

namespace pileus {
namespace {

constexpr std::chrono::milliseconds kRest{50};
/// A turn that ends within this time is not worth a line.
constexpr std::chrono::seconds kSilence{5};

/// The text that the process wrote which has the turn.
std::string owner_in(int descriptor) {
  char text[512];
  const ssize_t length = ::pread(descriptor, text, sizeof text, 0);
  return length > 0 ? std::string(text, static_cast<std::size_t>(length)) : "another process";
}

void write_owner(int descriptor, const std::string& path) {
  char host[256] = "";
  if (::gethostname(host, sizeof host - 1) != 0) std::strcpy(host, "a host without a name");
  const std::string text = "process " + std::to_string(::getpid()) + " on " + host;
  const bool is_written = ::ftruncate(descriptor, 0) == 0 &&
                          ::pwrite(descriptor, text.data(), text.size(), 0) == std::ssize(text);
  if (!is_written) log::debug(path + ": could not say in it whose turn it is");
}

}  // namespace

Turn::Turn(const CheckpointHome& home, double patience_s) {
  std::error_code problem;
  std::filesystem::create_directories(home.folder(), problem);
  const std::string path = (home.folder() / ".turn").string();
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0)
    throw UsageError(path + ": could not open it: " + std::generic_category().message(errno));
  const auto began = std::chrono::steady_clock::now();
  for (bool is_said = false; !try_to_take(path); std::this_thread::sleep_for(kRest)) {
    const auto waited = std::chrono::steady_clock::now() - began;
    const std::string owner = owner_in(descriptor_) + " makes component " + home.component;
    if (patience_s > 0 && waited > std::chrono::duration<double>(patience_s)) {
      ::close(descriptor_);
      throw UsageError(path + ": " + owner + " and has not ended: wait for its end, or end it");
    }
    if (is_said || waited < kSilence) continue;
    log::warning(path + ": " + owner + ": this call waits for its end");
    is_said = true;
  }
  write_owner(descriptor_, path);
}

bool Turn::try_to_take(const std::string& path) const {
  while (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return false;
    if (errno == EINTR) continue;
    log::warning(path + ": the file system knows no locks (" + std::generic_category().message(errno) +
                 "); take care that no two processes make one component at once");
    break;
  }
  return true;
}

Turn::~Turn() { ::close(descriptor_); }

}  // namespace pileus
