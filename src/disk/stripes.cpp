#include "disk/stripes.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "core/log.h"

namespace pileus {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kPatience{10};
constexpr std::chrono::milliseconds kBetweenLooks{2};

std::atomic<bool> has_failed = false;

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, std::max<std::size_t>(slash, 1));
}

bool is_on_lustre(const std::string& folder) {
  const char* const said = std::getenv("PILEUS_LUSTRE");
  if (said != nullptr && std::string_view(said) == "yes") return true;
  constexpr std::uint32_t kLustre = 0x0BD00BD0;  // of Lustre's sources
  struct statfs status = {};
  return ::statfs(folder.c_str(), &status) == 0 && static_cast<std::uint32_t>(status.f_type) == kLustre;
}

/// What went wrong; "" if nothing did.
std::string run(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  if (::posix_spawn_file_actions_init(&actions) != 0) return "no memory to start it";
  // It reads nothing, and says nothing among the lines of the model.
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, arguments[0], &actions, &attributes, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (error != 0) return std::generic_category().message(error);
  const Clock::time_point end = Clock::now() + kPatience;
  for (int status = 0;;) {
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child && WIFEXITED(status))
      return WEXITSTATUS(status) == 0 ? "" : "it ended with status " + std::to_string(WEXITSTATUS(status));
    if (ended == child) return "it ended by a signal";
    if (ended < 0 && errno == ECHILD) return "";  // the model waits for all children itself
    if (ended < 0 && errno != EINTR) return std::generic_category().message(errno);
    if (Clock::now() >= end) break;
    std::this_thread::sleep_for(kBetweenLooks);
  }
  ::kill(child, SIGKILL);
  // One that hangs in the file system goes when that answers, and is not waited for.
  constexpr int kLooks = 20;
  for (int look = 0; look < kLooks && ::waitpid(child, nullptr, WNOHANG) == 0; ++look)
    std::this_thread::sleep_for(kBetweenLooks);
  return "it did not end within " + std::to_string(kPatience.count()) + " s";
}

}  // namespace

void set_stripes(const std::string& path, const OnDisk& on_disk) {
  if (!on_disk.has_stripes() || has_failed || !is_on_lustre(folder_of(path))) return;
  std::vector<std::string> words = {"lfs", "setstripe"};
  if (on_disk.stripe_count != 0) {
    words.insert(words.end(), {"-c", std::to_string(on_disk.stripe_count)});
  }
  if (on_disk.stripe_bytes != 0) words.insert(words.end(), {"-S", std::to_string(on_disk.stripe_bytes)});
  words.push_back(path);
  const std::string failure = run(words);
  if (failure.empty() || has_failed.exchange(true)) return;
  std::string command;
  for (const std::string& word : words) command += (command.empty() ? "" : " ") + word;
  log::warning(path + ": lies as its folder says: could not run \"" + command + "\": " + failure +
               "; it is not asked again");
}

}  // namespace pileus
