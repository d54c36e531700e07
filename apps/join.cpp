#include "apps/join.h"

#include <CLI/CLI.hpp>

#include <cstdlib>
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
  return join;
}

int join(const ReadSettings& reading, const JoinSettings& settings) {
  std::vector<std::string> components = joint_components(settings.configuration);
  if (!reading.component.empty()) components = {reading.component};
  if (components.empty())
    throw UsageError(settings.configuration + ": no component is made of files of others");
  int status = 0;
  for (const std::string& component : components) {
    try {
      const JointSettings one{settings.configuration, settings.directory, component, reading.options,
                              settings.is_final};
      const Joined joined = join_component(one);
      if (!settings.is_quiet) std::cout << sentence(component, joined) << std::endl;
    } catch (const Error& error) {
      log::flush();
      std::cerr << error.what() << '\n';
      status = 1;
    }
  }
  leave(status);
}

}  // namespace pileus::apps
