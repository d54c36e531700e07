#pragma once
// pileus join: makes the files of components that are made of what others publish.

#include <string>
#include <vector>

#include "apps/check.h"

namespace CLI {
class App;
}

namespace pileus::apps {

struct JoinSettings {
  std::string configuration;
  std::string directory = ".";
  std::vector<std::string> published;  ///< files after whose publication it is called
  bool is_final = false, is_quiet = false;
  double patience_s = 0;  ///< for another call that makes the same component; 0: without end
};

/// Adds the command to the program's. What it is given goes to `settings`, which outlives it.
CLI::App* add_join(CLI::App& app, JoinSettings& settings);

/// Makes what can be made of what is published so far. Status: 0; 1 if the configuration or the files are
/// wrong, or something cannot be written; 2 if the configuration cannot be read. It never returns where
/// something is left to be made: the process then ends at once.
int join(const ReadSettings& reading, const JoinSettings& settings);

}  // namespace pileus::apps
