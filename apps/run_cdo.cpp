#include "apps/run_cdo.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

extern char** environ;

namespace pileus::apps {
namespace {

std::string cdo_program() {
  const char* const named = std::getenv("PILEUS_CDO");
  const std::string program = named != nullptr && *named != '\0' ? named : "cdo";
  // A path means the same in another folder; a name is looked for in PATH.
  return program.find('/') == program.npos ? program : std::filesystem::absolute(program).string();
}

/// Without the settings that make other weights of the same grids, such as CDO_REMAP_NORM.
std::vector<char*> environment_for_cdo() {
  std::vector<char*> kept;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string_view variable(*at);
    if (!variable.starts_with("CDO_") && !variable.starts_with("REMAP_")) kept.push_back(*at);
  }
  kept.push_back(nullptr);
  return kept;
}

/// No input; both outputs to one file; then to the folder, as CDO takes a comma in a path for the end of it.
class Redirections {
 public:
  Redirections(const std::string& folder, const std::string& output) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
    posix_spawn_file_actions_adddup2(&actions_, STDOUT_FILENO, STDERR_FILENO);
    posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str());
  }
  ~Redirections() { posix_spawn_file_actions_destroy(&actions_); }
  Redirections(const Redirections&) = delete;
  Redirections& operator=(const Redirections&) = delete;
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

std::string how_it_ended(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) != child) {
    if (errno != EINTR) return "is lost";
  }
  if (WIFSIGNALED(status)) return "ended by signal " + std::to_string(WTERMSIG(status));
  return WEXITSTATUS(status) == 0 ? "" : "ended with status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

std::string run_cdo(const std::string& folder, const std::vector<std::string>& arguments,
                    const std::string& output) {
  std::vector<std::string> words = {cdo_program()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const Redirections redirections(folder, output);
  const std::vector<char*> environment = environment_for_cdo();
  pid_t child = 0;
  const int error = posix_spawnp(&child, words[0].c_str(), redirections.get(), nullptr, pointers.data(),
                                 environment.data());
  if (error != 0) {
    throw NoCdo("the program " + words[0] + ", which makes weights, cannot be run (" +
                std::generic_category().message(error) +
                "): install cdo (Debian and Ubuntu: apt install cdo; conda-forge: cdo), or name it in "
                "PILEUS_CDO");
  }
  return how_it_ended(child);
}

}  // namespace pileus::apps
