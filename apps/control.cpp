#include "apps/control.h"

#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <optional>

#include "config/values.h"
#include "core/error.h"
#include "steering/control_file.h"

namespace pileus::apps {
namespace {

/// One write, so that lines of several people do not mix.
void append(const std::string& path, const std::string& line) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  const bool is_written =
      file >= 0 && ::write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  const int error = errno;
  if (file >= 0) ::close(file);
  if (!is_written) throw OutputError(path + ": " + std::strerror(error));
}

int list(const std::string& path) {
  std::ifstream file(path);
  if (!file) std::cerr << "nothing has been asked for: there is no " << path << '\n';
  for (std::string line; std::getline(file, line);) std::cout << line << '\n';
  return 0;
}

int say_wrong(const std::string& what) {
  std::cerr << "pileus control: " << what << '\n';
  return 1;
}

}  // namespace

CLI::App* add_control(CLI::App& app, ControlSettings& settings) {
  CLI::App* const control = app.add_subcommand(
      "control",
      "Asks a run for other output from a step on, within seconds: \"off FILE\", \"on FILE\", "
      "\"frequency FILE 10min\" (the most often that records come), or \"list\" for what was asked. "
      "pileus-events.jsonl says what became of it. Exit status: 0 done, 1 that cannot be asked, 2 the "
      "directory cannot be written");
  control->add_option("directory", settings.directory, "where the run writes its files")
      ->required()
      ->check(CLI::ExistingDirectory);
  control->add_option("what", settings.verb, "on, off, frequency or list")
      ->required()
      ->check(CLI::IsMember({"on", "off", "frequency", "list"}));
  control->add_option("file", settings.file, "the name of the file in the configuration");
  control->add_option("frequency", settings.frequency, "model time, in s or with a unit");
  control->add_option("--component", settings.component, "whose it is, in a job of several");
  return control;
}

int control(const ControlSettings& settings) {
  const std::string path = control_path(settings.directory, settings.component);
  if (settings.verb == "list") return list(path);
  if (settings.file.empty()) return say_wrong("which file is to be " + settings.verb + "?");
  ControlRequest request;
  request.verb = settings.verb;
  request.file = settings.file;
  if (settings.verb == "frequency") {
    const std::optional<Duration> duration = parse_duration(settings.frequency);
    if (!duration || duration->months > 0 || !(duration->seconds > 0))
      return say_wrong("a frequency is a model time, for example 60 or \"10 min\", and not \"" +
                       settings.frequency + "\"");
    request.frequency_s = duration->seconds;
  } else if (!settings.frequency.empty()) {
    return say_wrong("\"" + settings.frequency + "\" means nothing behind " + settings.verb + " FILE");
  }
  const std::string line = line_of(request);
  if (line.find('\n') != line.npos || read_request(line).verb != request.verb)
    return say_wrong("\"" + settings.file + "\" is the name of no file");
  append(path, line + "\n");
  std::cout << "asked: " << line << '\n';
  return 0;
}

}  // namespace pileus::apps
