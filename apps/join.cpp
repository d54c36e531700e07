#include "apps/join.h"

#include <CLI/CLI.hpp>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "core/error.h"
#include "core/log.h"
#include "joint/run/joint_run.h"

namespace pileus::apps {
namespace {

std::string seconds(double time_s) {
  std::ostringstream text;
  text << time_s << " s";
  return text.str();
}

std::string sentence(const std::string& component, const Joined& joined) {
  std::string text = "component " + component + ": ";
  if (joined.steps > 0)
    text += std::to_string(joined.steps) + (joined.steps == 1 ? " step" : " steps") + ", up to " +
            seconds(joined.last_s);
  else if (joined.is_over)
    text += "there is nothing new since its end at " + seconds(joined.last_s);
  else
    text += "nothing is done: " + joined.waits_for;
  return text + (joined.is_over && joined.steps > 0 ? "; it has ended" : "");
}

/// The process ends without the destructors of servers that have more to do.
[[noreturn]] void leave(int status) {
  log::flush();
  std::cout << std::flush;
  std::_Exit(status);
}

}  // namespace

CLI::App* add_join(CLI::App& app, JoinSettings& settings) {
  CLI::App* const join = app.add_subcommand(
      "join",
      "Makes the files of components that are made of files of other components, as far as these are "
      "published. It may be called again and again, also while the job runs: the files are those of one "
      "call at the end. Exit status: 0 done, 1 the configuration or a file is wrong, 2 it cannot be read");
  join->add_option("configuration", settings.configuration, "the XML file of the job")->required();
  join->add_option("published", settings.published, "files that were published since; not looked at");
  join->add_option("--directory", settings.directory, "where the files of the job are")
      ->check(CLI::ExistingDirectory);
  join->add_flag("--final", settings.is_final,
                 "nothing more comes: also where a component did not end, or left no word of it");
  join->add_flag("--quiet", settings.is_quiet, "say only what goes wrong");
  join->add_option(
          "--wait", settings.patience_s,
          "seconds to wait for another call that makes the same component; it gives up then. Without "
          "it, it waits for the end of that")
      ->check(CLI::PositiveNumber);
  return join;
}

namespace {

/// What is published is a list of files. A folder there was meant as --directory.
void require_files(const JoinSettings& settings) {
  for (const std::string& path : settings.published) {
    if (std::filesystem::is_directory(path))
      throw UsageError(path + " is a folder: name that of the job's files with --directory " + path);
  }
}

int join_one(const ReadSettings& reading, const JoinSettings& settings, const std::string& component) {
  try {
    const JointSettings one{settings.configuration, settings.directory, component,          reading.options,
                            settings.is_final,      settings.is_quiet,  settings.patience_s};
    const Joined joined = join_component(one);
    if (!settings.is_quiet) std::cout << sentence(component, joined) << std::endl;
    return 0;
  } catch (const Error& error) {
    log::flush();
    std::cerr << error.what() << '\n';
    return 1;
  }
}

/// In a process of its own, as each keeps the turn until it ends.
int join_in_a_process(const ReadSettings& reading, const JoinSettings& settings,
                      const std::string& component) {
  std::cout << std::flush;
  const pid_t parent = ::getpid(), child = ::fork();
  if (child < 0)
    throw UsageError("no process for component " + component + ": " + std::generic_category().message(errno));
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    leave(::getppid() == parent ? join_one(reading, settings, component) : 1);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status))
    std::cerr << "component " << component << ": ended by signal " << WTERMSIG(status) << '\n';
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace

int join(const ReadSettings& reading, const JoinSettings& settings) {
  require_files(settings);
  if (settings.is_quiet) log::set_level(log::Level::warning);
  std::vector<std::string> components = joint_components(settings.configuration);
  if (!reading.component.empty()) components = {reading.component};
  if (components.empty())
    throw UsageError(settings.configuration + ": no component is made of files of others");
  if (components.size() == 1) leave(join_one(reading, settings, components.front()));
  int status = 0;
  for (const std::string& component : components)
    status = std::max(status, join_in_a_process(reading, settings, component));
  leave(status);
}

}  // namespace pileus::apps
