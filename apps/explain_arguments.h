#pragma once
// The command line of pileus explain.

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "apps/explain.h"

namespace pileus::apps {

/// Adds the command. `files` and `settings` get its arguments, and must outlive the parsing.
CLI::App* add_explain(CLI::App& app, std::vector<std::string>& files, ExplainSettings& settings);

}  // namespace pileus::apps
