#include "hooks/processes.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>

#include "core/error.h"

namespace pileus {
namespace {

/// Variables by which a process finds the MPI job that it belongs to: a command that starts an MPI program of
/// its own, or is one, would take itself for a rank of the model. What users set for themselves stays.
bool ties_to_job(std::string_view variable) {
  constexpr std::array<std::string_view, 8> kOfJobs = {"OMPI_", "PMIX_",  "PMI_",  "PRTE_",
                                                       "ORTE_", "HYDRA_", "HYDI_", "MPI_LOCAL"};
  if (variable.starts_with("OMPI_ALLOW_RUN_AS_ROOT")) return false;
  return std::ranges::any_of(kOfJobs, [&](std::string_view prefix) { return variable.starts_with(prefix); });
}

std::vector<std::string> environment_with(const Processes::Environment& added) {
  std::vector<std::string> all;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const std::string_view name = text.substr(0, text.find('='));
    const bool is_replaced = std::ranges::any_of(added, [&](const auto& one) { return one.first == name; });
    if (!is_replaced && !ties_to_job(name)) all.emplace_back(text);
  }
  for (const auto& [name, value] : added) {
    all.push_back(name);
    all.back().append("=").append(value);
  }
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

/// The files and sockets of this process behind its output, and so many of the lowest numbers that are free:
/// other threads may take them before the command is started. glibc closes all of them at once only from
/// version 2.34 on.
std::vector<int> files_to_close() {
  constexpr std::size_t kSpare = 64;
  std::set<int> numbers;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", ignored)) {
    const int number = std::atoi(entry.path().filename().c_str());
    if (number > STDERR_FILENO) numbers.insert(number);
  }
  const std::size_t all = numbers.size() + kSpare;
  for (int number = STDERR_FILENO + 1; numbers.size() < all; ++number) numbers.insert(number);
  return {numbers.begin(), numbers.end()};
}

/// What functions of posix_spawn return is the reason, not errno.
void require_success(int error) {
  if (error != 0) throw Error("could not start a shell: " + std::generic_category().message(error));
}

/// No input, none of the files and sockets of this process but its output.
class FileActions {
 public:
  FileActions() : FileActions(require_made()) {
    require_success(posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0));
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) require_success(errno);
    for (int number : files_to_close()) {  // posix_spawn takes no notice of those that are not open
      if (static_cast<rlim_t>(number) < limit.rlim_cur)
        require_success(posix_spawn_file_actions_addclose(&actions_, number));
    }
  }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  /// It is destroyed from here on, whatever is thrown later.
  explicit FileActions(posix_spawn_file_actions_t made) : actions_(made) {}
  static posix_spawn_file_actions_t require_made() {
    posix_spawn_file_actions_t actions;
    require_success(posix_spawn_file_actions_init(&actions));
    return actions;
  }

  posix_spawn_file_actions_t actions_;
};

/// Signals as in a process that has changed nothing, whatever the model does with them. It stays in the job's
/// group, so that it ends with the job.
class SpawnAttributes {
 public:
  SpawnAttributes() : SpawnAttributes(require_made()) {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    require_success(posix_spawnattr_setsigmask(&attributes_, &none));
    require_success(posix_spawnattr_setsigdefault(&attributes_, &all));
    require_success(posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
  }
  ~SpawnAttributes() { posix_spawnattr_destroy(&attributes_); }
  SpawnAttributes(const SpawnAttributes&) = delete;
  SpawnAttributes& operator=(const SpawnAttributes&) = delete;
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  explicit SpawnAttributes(posix_spawnattr_t made) : attributes_(made) {}
  static posix_spawnattr_t require_made() {
    posix_spawnattr_t attributes;
    require_success(posix_spawnattr_init(&attributes));
    return attributes;
  }

  posix_spawnattr_t attributes_;
};

class PosixProcesses : public Processes {
 public:
  Number start(const std::string& command, const std::string& argument,
               const Environment& environment) override {
    std::vector<std::string> words = {"sh", "-c", command + " \"$@\"", "sh", argument};
    std::vector<std::string> variables = environment_with(environment);
    const FileActions actions;
    const SpawnAttributes attributes;
    pid_t process = 0;
    require_success(posix_spawn(&process, "/bin/sh", actions.get(), attributes.get(), pointers(words).data(),
                                pointers(variables).data()));
    return process;
  }

  std::optional<std::string> ended(Number process) override {
    int status = 0;
    const pid_t found = waitpid(static_cast<pid_t>(process), &status, WNOHANG);
    if (found == 0 || (found < 0 && errno == EINTR)) return std::nullopt;
    // A model that ignores SIGCHLD, or waits for every child, has taken its status.
    if (found < 0) return "";
    if (WIFSIGNALED(status))
      return "signal " + std::to_string(WTERMSIG(status)) + " (" + strsignal(WTERMSIG(status)) + ")";
    return WEXITSTATUS(status) == 0 ? "" : "exit status " + std::to_string(WEXITSTATUS(status));
  }
};

}  // namespace

std::unique_ptr<Processes> posix_processes() { return std::make_unique<PosixProcesses>(); }

}  // namespace pileus
