#pragma once
// pileus control: asks a run for other output while it goes.

#include <string>

namespace CLI {
class App;
}

namespace pileus::apps {

struct ControlSettings {
  std::string directory, verb, file, frequency, component;
};

/// Adds the command to the program's. What it is given goes to `settings`, which outlives it.
CLI::App* add_control(CLI::App& app, ControlSettings& settings);

/// Notes what is asked for where the run looks. Status: 0; 1 if it cannot be asked so.
/// Errors: OutputError if it cannot be noted.
int control(const ControlSettings& settings);

}  // namespace pileus::apps
